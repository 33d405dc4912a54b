"""Fixtures for all tests: one real server per run, both flavours of the API."""

import signal
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import redis
from hypothesis import HealthCheck, settings

from tests.support.flavours import Loop, open_limpet
from tests.support.servers import Server

# Whoever runs the tests in the background has them ignore these, and programs inherit that.
for name in (signal.SIGHUP, signal.SIGINT):
    if signal.getsignal(name) is signal.SIG_IGN:
        signal.signal(name, signal.SIG_DFL)

# How long an example takes says more about the machine than about the code.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """One server for the whole run, without persistence."""
    running = Server().start()
    yield running
    running.remove()


@pytest.fixture
def plain(server: Server) -> Iterator[redis.Redis]:
    """A plain client of an empty server."""
    with server.client() as client:
        client.flushall()
        yield client


@pytest.fixture(scope="session")
def loop() -> Iterator[Loop]:
    """The event loop in which the asyncio flavour runs."""
    running = Loop()
    yield running
    running.stop()


@pytest.fixture(params=["sync", "async"])
def flavour(request: pytest.FixtureRequest) -> str:
    """Each test that uses it runs once per flavour of the API."""
    return str(request.param)


@pytest.fixture
def connect(
    flavour: str, loop: Loop, server: Server, plain: redis.Redis
) -> Iterator[Callable[..., Any]]:
    """Open any number of clients of one flavour on the empty server; all are closed at the end."""
    opened: list[Any] = []

    def make(url: str | None = None, **options: Any) -> Any:
        opened.append(open_limpet(flavour, loop, url or server.url, **options))
        return opened[-1]

    yield make
    for client in reversed(opened):
        client.close()


@pytest.fixture
def limpet(connect: Callable[..., Any]) -> Any:
    """One client, of either flavour, on an empty server."""
    return connect()

"""Fixtures for broken lines: a proxy that breaks them, and clients that stand still otherwise."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import redis

from limpet.connection import clients
from limpet.heart import Heart
from limpet.link.aio import link as async_link
from limpet.link.sync import link as sync_link
from tests.support.proxy import Proxy
from tests.support.servers import Server


@pytest.fixture
def proxy(server: Server, plain: redis.Redis) -> Iterator[Proxy]:
    """A line to the empty server that can be broken."""
    running = Proxy(server)
    yield running
    running.close()


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Try again without waiting, and connect without telling who we are: thousands of times."""
    monkeypatch.setattr(async_link, "backoff_s", lambda _: 0)
    monkeypatch.setattr(sync_link, "backoff_s", lambda _: 0)
    common = clients._common
    monkeypatch.setattr(clients, "_common", lambda s: {**common(s), "driver_info": None})


@pytest.fixture
def no_heartbeat(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep workers from beating: nothing but the operation under test goes over the line."""

    def start(_: Heart) -> threading.Thread:
        thread = threading.Thread(target=int)
        thread.start()
        return thread

    monkeypatch.setattr(Heart, "_start_thread", start)


@pytest.fixture
def through(proxy: Proxy, connect: Callable[..., Any]) -> Callable[..., Any]:
    """Open clients of either flavour whose line goes through the proxy."""
    return lambda **options: connect(proxy.url, **options)

"""Fixtures for tests of apps: one app on an empty server, asked in both flavours."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import redis

from limpet import App
from tests.support.flavours import Loop
from tests.support.proxy import Proxy
from tests.support.servers import Server


@pytest.fixture
def proxy(server: Server) -> Iterator[Proxy]:
    """A line to the server on which requests are counted."""
    line = Proxy(server)
    yield line
    line.close()


@pytest.fixture
def make_app(
    loop: Loop, server: Server, plain: redis.Redis, proxy: Proxy
) -> Iterator[Callable[..., App]]:
    """Make any number of apps on the empty server; all are closed at the end."""
    made: list[App] = []

    def make(url: str | None = None, **options: Any) -> App:
        made.append(App(url or server.url, **options))
        return made[-1]

    yield make
    for app in made:
        loop.run(app.aclose())


@pytest.fixture
def app(make_app: Callable[..., App]) -> App:
    """An app on an empty server."""
    return make_app()


@pytest.fixture
def ask(flavour: str, loop: Loop) -> Callable[..., Any]:
    """Call a method, or its asynchronous twin: `ask(task, "enqueue", 1)`."""

    def call(thing: Any, verb: str, *args: Any, **kwargs: Any) -> Any:
        if flavour == "sync":
            return getattr(thing, verb)(*args, **kwargs)
        return loop.run(getattr(thing, f"a{verb}")(*args, **kwargs))

    return call

"""A server of their own for the tests of scripts: they change its users and its memory limit."""

from collections.abc import Iterator

import pytest
import redis

from tests.scripts.helpers import World
from tests.support.servers import Server


@pytest.fixture(scope="session")
def store() -> Iterator[redis.Redis]:
    """A client of one real server, without persistence, for all tests of scripts."""
    server = Server().start()
    with server.client() as client:
        yield client
    server.remove()


@pytest.fixture
def world(store: redis.Redis) -> Iterator[World]:
    """One queue, not there yet, on an empty server."""
    store.flushall()
    with World(store) as made:
        yield made

"""One server for all property tests, emptied for each."""

from collections.abc import Iterator

import pytest
import redis

from tests.model.server import running_server


@pytest.fixture(scope="session")
def _session_server() -> Iterator[redis.Redis]:
    with running_server() as client:
        yield client


@pytest.fixture
def server(_session_server: redis.Redis) -> redis.Redis:
    """A server with nothing in it."""
    _session_server.flushall()
    return _session_server

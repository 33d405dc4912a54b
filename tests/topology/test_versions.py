"""A server of the system, such as the Redis 7.0 of Debian; skipped where there is none."""

import shutil
import subprocess
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.support.servers import Server
from tests.topology import everyday
from tests.topology.conftest import Pair

BINARY = shutil.which("redis-server")


class OldServer(Server):
    """A server of the system, not the one we bring along."""

    def spawn(self) -> None:
        """Start it."""
        command = [str(BINARY), "--port", "0", "--unixsocket", str(self.socket)]
        command += ["--dir", str(self.folder), "--save", "", *self.options]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True)


@pytest.fixture(scope="module")
def old() -> Iterator[Server]:
    """One such server for all tests of this file."""
    running = OldServer()
    running.start()
    yield running
    running.remove()


@pytest.mark.skipif(BINARY is None, reason="no redis-server on the PATH")
@pytest.mark.parametrize("scenario", everyday.EVERYDAY, ids=lambda scenario: scenario.__name__)
def test_everyday_work(old: Server, pair: Pair, scenario: Callable[[Any, Any], None]) -> None:
    """Every operation works on the server of the system."""
    with old.client() as plain:
        plain.flushall()

    scenario(*pair(old.url))

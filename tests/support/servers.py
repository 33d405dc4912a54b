"""Real servers for tests: each in a temporary folder, on a Unix socket or a free loopback port."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
from pathlib import Path

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from limpet.engine.find import choose
from tests.support.waiting import wait_until


def free_port() -> int:
    """Find a port on loopback that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Server:
    """A server process that can be stopped, killed, frozen and started again on the same data."""

    def __init__(self, *options: str, tcp: bool = False) -> None:
        """Choose a folder and an address; nothing runs before `start`."""
        self.folder = Path(tempfile.mkdtemp(prefix="limpet-test-"))
        self.port = free_port() if tcp else 0
        self.socket = self.folder / "s.sock"
        self.options = options
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where clients connect."""
        return f"redis://127.0.0.1:{self.port}" if self.port else f"unix://{self.socket}"

    def client(self, timeout_s: float = 5.0) -> redis.Redis:
        """Make a plain client that never sends anything twice."""
        return redis.Redis.from_url(
            self.url, socket_timeout=timeout_s, protocol=2, retry=Retry(NoBackoff(), 0)
        )

    def start(self) -> "Server":
        """Start it and wait until it answers."""
        self.spawn()
        wait_until(self.answers, within=20)
        return self

    def spawn(self) -> None:
        """Start it; it may need a while until it answers."""
        command = [str(choose(None).path), "--port", str(self.port), "--dir", str(self.folder)]
        command += ["--save", "", "--unixsocket", str(self.socket), "--bind", "127.0.0.1"]
        self.process = subprocess.Popen(
            [*command, *self.options], stdout=subprocess.DEVNULL, start_new_session=True
        )

    def answers(self) -> bool:
        """Whether it answers PING."""
        with contextlib.suppress(redis.RedisError, OSError), self.client() as client:
            return bool(client.ping())
        return False

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal."""
        assert self.process is not None
        os.kill(self.process.pid, number)

    def kill(self) -> None:
        """Kill it at once."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def remove(self) -> None:
        """Kill it and delete its folder."""
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

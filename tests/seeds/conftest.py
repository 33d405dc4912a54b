"""Fixtures for the tests of the seeds: calls at the same moment, real processes, what was sent."""

import contextlib
import json
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
import redis

from limpet.scripts import all_scripts, script
from tests.support.servers import Server

#: Takes jobs, tells their ids, and then does with them what it is asked for, line by line.
HOLDER = """
import json, sys
from limpet import Limpet, LimpetError

options = json.loads(sys.argv[1])
queue_name, count = options.pop("queue"), options.pop("count")
limpet = Limpet(**options)
queue = limpet.queue(queue_name)
held = queue.pop(count=count, wait=10)
print(json.dumps([limpet.worker, [job.id for job in held]]), flush=True)
for line in sys.stdin:
    try:
        answer = getattr(queue, line.strip())(*held)
    except LimpetError as error:
        answer = type(error).__name__
    print(json.dumps(answer), flush=True)
"""
NAMES = {script(name).sha: name for name in all_scripts()}
PAGES = Path(__file__).resolve().parents[2] / "docs" / "coming-from"
#: Heartbeats, and what a client says of itself when it connects.
_UNSEEN = {"beat", "client"}


class Holder:
    """A worker in a process of its own that holds jobs until it is told, frozen or killed."""

    def __init__(self, **options: Any) -> None:
        """Start it and wait until it holds its jobs."""
        command = [sys.executable, "-c", HOLDER, json.dumps(options)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.worker, self.ids = self._answer()

    def _answer(self) -> Any:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def ask(self, verb: str) -> Any:
        """Have it call a method of its queue with all it holds; gives the answer."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{verb}\n")
        self.process.stdin.flush()
        return self._answer()

    def freeze(self) -> None:
        """Stop it where it stands."""
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on."""
        self.process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        """Kill it at once; it can clean up nothing."""
        with self.process:
            self.process.kill()


@pytest.fixture
def hold(server: Server) -> Iterator[Callable[..., Holder]]:
    """Start worker processes that hold jobs of a queue."""
    started: list[Holder] = []

    def start(queue: str, count: int = 1, **options: Any) -> Holder:
        started.append(Holder(**{"url": server.url, "queue": queue, "count": count} | options))
        return started[-1]

    yield start
    for holder in started:
        holder.kill()


@pytest.fixture
def together() -> Callable[..., list[Any]]:
    """Call functions at the same moment, each in a thread of its own; gives their answers."""

    def run(*calls: Callable[[], Any]) -> list[Any]:
        gate = threading.Barrier(len(calls))

        def start(call: Callable[[], Any]) -> Any:
            gate.wait()
            return call()

        with ThreadPoolExecutor(len(calls)) as pool:
            return list(pool.map(start, calls))

    return run


def _name(command: str) -> str:
    """Name a command as MONITOR shows it: a script by its file, any other by its first word."""
    word, _, rest = command.partition(" ")
    return NAMES.get(rest.partition(" ")[0], word.lower())


@pytest.fixture
def watch(server: Server) -> Callable[[], AbstractContextManager[list[str]]]:
    """Note what clients send meanwhile, script by script; heartbeats are left out."""

    @contextlib.contextmanager
    def noting() -> Iterator[list[str]]:
        names: list[str] = []
        with server.client() as watcher, server.client() as marker:
            for name in all_scripts():  # loaded before, so that each call is one command
                marker.script_load(script(name).text)
            with watcher.monitor() as monitor:
                yield names
                marker.echo("end")
                for seen in iter(monitor.next_command, None):
                    if seen["command"] == "ECHO end":
                        break
                    if seen["client_type"] != "lua":
                        names.append(_name(seen["command"]))
        names[:] = [name for name in names if name not in _UNSEEN]

    return noting


@pytest.fixture
def serve() -> Iterator[Callable[..., Server]]:
    """Start servers for one test alone; named before `connect`, it outlives the clients."""
    started: list[Server] = []

    def start(*options: str, **how: Any) -> Server:
        started.append(Server(*options, **how).start())
        return started[-1]

    yield start
    for server in started:
        server.remove()


@pytest.fixture
def run_page(
    server: Server, plain: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], dict[str, Any]]:
    """Run the code of one of our pages on the empty server; gives the names it made."""

    def run(name: str) -> dict[str, Any]:
        monkeypatch.setenv("LIMPET_URL", server.url)
        names: dict[str, Any] = {}
        text = (PAGES / f"{name}.md").read_text("utf-8")
        for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
            exec(block, names)
        return names

    return run

"""Fixtures for the tests of workers."""

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest
import redis

from limpet.app.app import App
from limpet.worker.worker import Worker
from tests.support.programs import clean_environment
from tests.support.servers import Server
from tests.worker import apps


@pytest.fixture(autouse=True)
def loop_of_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run these workers on Python's own loop; those of the tests of the command run on uvloop."""
    monkeypatch.setenv("LIMPET_UVLOOP", "0")


@pytest.fixture
def app(server: Server, plain: redis.Redis, monkeypatch: pytest.MonkeyPatch) -> Iterator[App]:
    """The app of the tests, on an empty server; also for the processes that it starts."""
    monkeypatch.setenv("LIMPET_URL", server.url)
    apps.seen.clear()
    apps.gate.clear()
    yield apps.app
    apps.gate.set()
    apps.app.close()


class Helper:
    """A worker in a thread of the test's own process."""

    def __init__(self, worker: Worker) -> None:
        """Start it."""
        self.worker = worker
        self.code: int | None = None
        self.error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self.code = self.worker.run()
        except BaseException as error:  # noqa: BLE001 - the test is shown whatever it is
            self.error = error

    def join(self, within: float = 20) -> int | None:
        """Wait for its end; answers the exit code."""
        self._thread.join(within)
        assert not self._thread.is_alive(), "the worker does not end"
        if self.error is not None:
            raise self.error
        return self.code

    def stop(self, *, now: bool = False) -> int | None:
        """Stop it and wait for its end."""
        self.worker.stop(now=now)
        return self.join()


@contextmanager
def working(app: App, **options: Any) -> Iterator[Helper]:
    """A worker that works for the length of a block."""
    given = {"heartbeat": "100ms", "lease": "1s", "handle_signals": False, **options}
    helper = Helper(Worker(app, **given))
    try:
        yield helper
    finally:
        helper.stop(now=True)


Working = Callable[..., AbstractContextManager[Helper]]


@pytest.fixture
def work(app: App) -> Working:
    """Make a worker that works for the length of a block."""
    return lambda **options: working(app, **options)


@pytest.fixture
def burst(app: App) -> Callable[..., int]:
    """Work until all is done, here and now."""

    def run(**options: Any) -> int:
        return Worker(app, burst=True, handle_signals=False, **options).run()

    return run


@pytest.fixture
def program(app: App, server: Server) -> Iterator[Callable[..., "subprocess.Popen[str]"]]:
    """Start workers in processes of their own; what is left of them is killed at the end."""
    started: list[subprocess.Popen[str]] = []

    def start(**options: Any) -> "subprocess.Popen[str]":
        options.setdefault("queues", "program")
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.worker.program", json.dumps(options)],
            env=clean_environment(LIMPET_URL=server.url, PYTHONPATH=str(Path.cwd())),
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()

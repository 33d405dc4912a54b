"""`limpet worker` as a program, in a folder with an app, on the server of the tests."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis

from limpet import App, Limpet, Queue
from tests.support.programs import clean_environment
from tests.support.servers import Server
from tests.support.waiting import wait_until

SHOP = Path(__file__).parent / "shop.py"


def is_alive(pid: int) -> bool:
    """Whether a process lives; one that ended and was not buried yet does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in {"Z", "X"}


class House:
    """A folder, an app in it, and any number of workers that were started there."""

    def __init__(self, folder: Path, url: str | None) -> None:
        """Write the app; without a URL the embedded engine serves."""
        self.folder, self.url = folder, url
        shutil.copy(SHOP, folder / "shop.py")
        self.programs: list[subprocess.Popen[bytes]] = []
        self.pids: set[int] = set()
        self.client = Limpet(url, home=folder / "home")
        self.queue: Queue = self.client.queue("default")
        self.app = App(url, home=folder / "home")

    def start(self, *options: str, **more: Any) -> "subprocess.Popen[bytes]":
        """Start `limpet worker` with a lease of a second and a half unless said otherwise."""
        short = () if "--lease" in options else ("--lease", "1500ms", "--heartbeat", "300ms")
        named = {} if self.url is None else {"LIMPET_URL": self.url}
        with (self.folder / "said").open("ab") as said:
            program = subprocess.Popen(
                [sys.executable, "-m", "limpet", "worker", "shop:app", *short, *options],
                cwd=self.folder,
                env=clean_environment(LIMPET_HOME=str(self.folder / "home"), **named),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=said,
                start_new_session=True,
                **more,
            )
        self.programs.append(program)
        return program

    def push(self, task: str, *values: object, to: str = "default") -> str:
        """Queue a call as any language would."""
        return self.client.queue(to).push(json.dumps({"task": task, "args": values})).id

    @property
    def said(self) -> str:
        """What the programs said so far."""
        return (self.folder / "said").read_text()

    @property
    def notes(self) -> list[str]:
        """What the tasks wrote down so far."""
        with contextlib.suppress(FileNotFoundError):
            return (self.folder / "notes").read_text().splitlines()
        return []

    def workers(self, count: int = 1) -> list[int]:
        """Wait for so many workers; answers their process ids."""
        found = wait_until(lambda: len(pids := self.workers_now()) == count and pids, within=20)
        assert isinstance(found, list)
        return found

    def workers_now(self) -> list[int]:
        """Look which processes are registered as workers."""
        pids = sorted({worker.pid for worker in self.client.workers()})
        self.pids.update(pids)
        return pids

    def holding(self, name: str, times: int = 1) -> int:
        """Wait until a task holds; answers the process that runs it."""
        start = f"holding {name} in "

        def found() -> list[str]:
            lines = [line for line in self.notes if line.startswith(start)]
            return lines if len(lines) >= times else []

        pid = int(wait_until(found, within=20)[-1].removeprefix(start))
        self.pids.add(pid)
        return pid

    def let_go(self, name: str) -> None:
        """Let a task that holds end."""
        (self.folder / name).write_text("")

    def close(self) -> None:
        """Leave no process behind."""
        for program in self.programs:
            program.kill()
            program.wait()
        with contextlib.suppress(Exception):
            self.workers_now()
        for pid in self.pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.client.close()
        self.app.close()


@pytest.fixture
def house(server: Server, plain: redis.Redis, tmp_path: Path) -> Iterator[House]:
    """A folder with an app, on the empty server."""
    made = House(tmp_path, server.url)
    yield made
    made.close()


@pytest.fixture
def embedded_house(tmp_path: Path) -> Iterator[House]:
    """A folder with an app and an engine of its own."""
    made = House(tmp_path, None)
    yield made
    made.close()

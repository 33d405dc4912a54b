"""A peer at the table: its producer and its worker as processes of their own."""

import json
import os
import select
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.board import Board
from benchmarks.catalogue import Peer
from benchmarks.cores import CLIENT_CORE, pin
from benchmarks.places import ROOT
from benchmarks.server import Reading, Server

_ANSWER_S = 90.0
_END_S = 5.0
_LOOK_S = 0.004


class Trouble(Exception):
    """A peer did not do what it was told; the run goes on without it."""


@dataclass(frozen=True)
class Drained:
    """What a worker did with a backlog."""

    rate: float
    startup_s: float
    wrong: int
    worker_us: float
    server_us: float
    commands: float
    rss_kb: int


class Seat:
    """Starts a peer's processes against one server and one board."""

    def __init__(self, peer: Peer, python: Path, server: Server, board: Path) -> None:
        """Remember; nothing is started."""
        self.peer, self.python, self.server = peer, python, server
        self.board, self._path = Board(board), board
        self._producer: subprocess.Popen[str] | None = None
        self.log = tempfile.TemporaryFile("w+")  # noqa: SIM115 - lives as long as the seat

    def _start(
        self, *words: str, core: int | None = CLIENT_CORE, slots: int = 0
    ) -> "subprocess.Popen[str]":
        environment = {
            **{key: value for key, value in os.environ.items() if key != "PYTHONPATH"},
            "BENCH_URL": self.server.url,
            "BENCH_PORT": str(self.server.port),
            "BENCH_BOARD": str(self._path),
            **({"BENCH_SLOTS": str(slots)} if slots else {}),
        }
        process = subprocess.Popen(
            [str(self.python), "-m", "benchmarks.driver", self.peer.name, *words],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
            bufsize=1,
            start_new_session=True,
        )
        pin(process.pid, core)
        return process

    # -- producing --------------------------------------------------------------------------

    def tell(self, do: str, **order: Any) -> dict[str, Any]:
        """Give the producer an order and wait for its answer."""
        if self._producer is None:
            self._producer = self._start("produce")
            self._hear(self._producer)
        assert self._producer.stdin is not None  # noqa: S101 - a pipe was asked for
        self._producer.stdin.write(json.dumps({"do": do, **order}) + "\n")
        return self._hear(self._producer)

    def _hear(self, producer: "subprocess.Popen[str]") -> dict[str, Any]:
        assert producer.stdout is not None  # noqa: S101 - a pipe was asked for
        ready, _, _ = select.select([producer.stdout], [], [], _ANSWER_S)
        line = producer.stdout.readline() if ready else ""
        if not line:
            raise Trouble(f"its producer fell silent: {self.last_words()}")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise Trouble(f"its producer failed: {answer['error']}")
        return answer

    def enqueue(self, way: str, kind: str, first: int, count: int) -> float | None:
        """Enqueue jobs; answers jobs a second, None if the peer has no such way."""
        seconds = self.tell("enqueue", way=way, kind=kind, first=first, count=count)["seconds"]
        return None if seconds is None else count / float(seconds)

    # -- working ----------------------------------------------------------------------------

    def start_worker(
        self,
        kind: str,
        core: int | None = CLIENT_CORE,
        profile: Path | None = None,
        slots: int = 0,
    ) -> "subprocess.Popen[str]":
        """Start a worker; it works until it is stopped, and leaves its profile if asked for."""
        more = () if profile is None else (str(profile),)
        return self._start("work", kind, *more, core=core, slots=slots)

    def drain(self, worker: "subprocess.Popen[str]", born: float, size: int) -> Drained:
        """Wait until the first `size` jobs ran; say what that cost."""
        half = self._wait_for(worker, 1, size)
        before, cpu = self.server.read(), cpu_ns(worker.pid)
        already = self.board.finished(0, size)
        self._wait_for(worker, size, size)
        after, rss = self.server.read().since(before), rss_kb(worker.pid)
        ran = max(size - already, 1)
        spent_us = (cpu_ns(worker.pid) - cpu) / 1000
        first, last = min(self.board.ran[:size]), max(self.board.ran[:size])
        return Drained(
            (size - 1) / (last - first) if half else 0.0,
            first - born,
            self.board.wrong(0, size),
            spent_us / ran,
            after.cpu_us / ran,
            after.commands / ran,
            rss,
        )

    def _wait_for(self, worker: "subprocess.Popen[str]", count: int, size: int) -> int:
        deadline = time.monotonic() + _ANSWER_S
        while (done := self.board.finished(0, size)) < count:
            if worker.poll() is not None:
                raise Trouble(f"its worker ended by itself: {self.last_words()}")
            if time.monotonic() > deadline:
                raise Trouble(f"only {done} of {size} jobs ran in time: {self.last_words()}")
            time.sleep(_LOOK_S)
        return done

    # -- ending -----------------------------------------------------------------------------

    def end(self, process: "subprocess.Popen[str]", *, gently: bool = False) -> None:
        """End a process at once: all is measured by now. Gently, it may first write its profile."""
        if gently:
            process.send_signal(signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                process.wait(_END_S)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # it leads a session of its own
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()

    def close(self) -> None:
        """End the producer for good."""
        self.end_producer()
        self.log.close()

    def end_producer(self) -> None:
        """End the producer; the next order starts another one."""
        if self._producer is not None:
            self.end(self._producer)
            self._producer = None

    def last_words(self) -> str:
        """Give the last line of what its processes complained about."""
        self.log.seek(0)
        lines = [line.strip() for line in self.log if line.strip()]
        return lines[-1][:300] if lines else "without a word"


def cpu_ns(pid: int) -> int:
    """Add up the time on the CPU of all threads of a process."""
    total = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        try:
            total += int((task / "schedstat").read_text().split()[0])
        except (OSError, IndexError):
            continue
    return total


def rss_kb(pid: int) -> int:
    """Read how much memory a process has in use."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0


__all__ = ["Drained", "Reading", "Seat", "Trouble", "cpu_ns", "rss_kb"]

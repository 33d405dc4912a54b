"""A stage: a server, workers and producers as programs of their own, and the witness."""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from limpet import Limpet
from limpet.errors import BackendError
from tests.matrix.judge import Ending, Final, Verdict, judge
from tests.matrix.tasks import PATIENCE
from tests.matrix.witness import PLACE, Sighting, note, read
from tests.support.programs import clean_environment
from tests.support.proxy import Proxy
from tests.support.servers import Server
from tests.support.waiting import wait_until

ROOT = Path(__file__).resolve().parents[2]
LEASE_S = 1.5
SLOTS = 2
#: Keeps everything that was acknowledged through a kill of the server's process.
DURABLE = ("--appendonly", "yes", "--appendfsync", "everysec", "--enable-debug-command", "yes")
_never = threading.Event()

Program = subprocess.Popen[bytes]


class Stage:
    """One run of one fault, with what it takes to strike."""

    def __init__(self, server: Server, folder: Path, *, jobs: int = 40, seed: int = 1) -> None:
        """Empty the server; nobody works yet."""
        self.server, self.folder = server, folder
        self.jobs, self.seed, self.chance = jobs, seed, random.Random(seed)
        self.place = folder / "witness"
        self.url = server.url
        self._proxy: Proxy | None = None
        self._programs: list[Program] = []
        self._producers: list[Program] = []
        with server.client() as plain:
            plain.flushall()
        self.client = Limpet(server.url, timeout=20)
        self.queue = self.client.queue("default")

    def behind_proxy(self) -> Proxy:
        """Let all that is started from now on go through a proxy."""
        self._proxy = Proxy(self.server)
        self.url = self._proxy.url
        return self._proxy

    # -- who plays --------------------------------------------------------------------------

    def worker(self, *options: str, lease_s: float = LEASE_S) -> Program:
        """Start `limpet worker`."""
        lease = ("--lease", f"{lease_s * 1000:.0f}ms", "--heartbeat", f"{lease_s * 200:.0f}ms")
        slots = () if "-c" in options else ("-c", str(SLOTS))
        return self._start("limpet", "worker", "tests.matrix.tasks:app", *lease, *slots, *options)

    def solo(self, lease_s: float = LEASE_S) -> Program:
        """Start a worker without a parent."""
        lease = {"lease": lease_s, "heartbeat": lease_s / 5}
        return self._start("tests.matrix.solo", json.dumps({"concurrency": SLOTS, **lease}))

    def produce(self, jobs: int | None = None, **order: Any) -> Program:
        """Start a producer."""
        given = {"jobs": jobs or self.jobs, "seed": self.seed, **order}
        patience = {PATIENCE: "120"}
        producer = self._start("tests.matrix.producer", json.dumps(given), **patience)
        self._producers.append(producer)
        return producer

    def _start(self, *command: str, **environment: str) -> Program:
        named = {"LIMPET_URL": self.url, PLACE: str(self.place), **environment}
        with (self.folder / "said").open("ab") as said:
            program = subprocess.Popen(
                [sys.executable, "-m", *command],
                cwd=ROOT,
                env=clean_environment(**named),
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                start_new_session=True,
            )
        self._programs.append(program)
        return program

    # -- what is going on -------------------------------------------------------------------

    @property
    def seen(self) -> list[Sighting]:
        """All that was seen so far."""
        return read(self.place)

    @property
    def said(self) -> str:
        """What the programs said so far."""
        return (self.folder / "said").read_text(errors="replace")

    def open_starts(self) -> dict[int, set[str]]:
        """Which jobs each process has begun and not ended."""
        found: dict[int, set[str]] = {}
        for sighting in self.seen:
            if sighting.what == "start":
                found.setdefault(sighting.pid, set()).add(sighting.job)
            elif sighting.what == "end":
                found.get(sighting.pid, set()).discard(sighting.job)
        return found

    def busy(self, *pids: int, jobs: int = SLOTS) -> int:
        """Wait until one of these processes (or any) has so many jobs under way; answers which."""

        def look() -> int | None:
            found = self.open_starts().items()
            mine = [pid for pid, held in found if len(held) >= jobs and (not pids or pid in pids)]
            return self.chance.choice(mine) if mine else None

        pid = wait_until(look, within=30, step=0.002)
        assert pid is not None
        return pid

    def wait_for_starts(self, count: int) -> None:
        """Wait until so many bodies began."""
        wait_until(lambda: sum(s.what == "start" for s in self.seen) >= count, within=30)

    def pids(self, name: str, count: int = 1) -> list[int]:
        """Wait for workers of that name; answers their processes."""

        def look() -> list[int] | None:
            found = sorted({w.pid for w in self.client.workers() if w.name == name})
            return found if len(found) >= count else None

        pids = wait_until(look, within=30)
        assert pids is not None
        return pids

    def wait_for_ends(self, jobs: set[str], *, but_not_in: int) -> None:
        """Wait until these jobs have ended in any process but that one."""

        def look() -> bool:
            ends = [sighting for sighting in self.seen if sighting.what == "end"]
            return jobs <= {end.job for end in ends if end.pid != but_not_in}

        wait_until(look, within=30)

    def wait_until_said(self, words: str) -> None:
        """Wait until one of the programs said so."""
        wait_until(lambda: words in self.said, within=30)

    # -- striking ---------------------------------------------------------------------------

    def strike(self, number: signal.Signals, *pids: int) -> None:
        """Send a signal to processes; the witness is told who loses jobs by it."""
        for pid in pids:
            note(Sighting("strike", pid=pid, text=number.name), str(self.place))
        for pid in pids:
            os.kill(pid, number)

    def freeze(self, pid: int, *others: int) -> set[str]:
        """Stop a process while it has jobs under way, and others with it; answers which jobs."""
        while True:
            self.busy(pid)
            for one in (*others, pid):
                os.kill(one, signal.SIGSTOP)
            wait_until(lambda: _is_stopped(pid))
            held = self.open_starts()[pid]
            if held:
                note(Sighting("strike", pid=pid, text="SIGSTOP"), str(self.place))
                return held
            self.thaw(pid, *others)

    def thaw(self, *pids: int) -> None:
        """Let stopped processes go on."""
        for pid in pids:
            os.kill(pid, signal.SIGCONT)

    def relief(self) -> None:
        """Note that a trouble is over."""
        note(Sighting("relief"), str(self.place))

    def let_pass(self, seconds: float) -> None:
        """Let the fault last."""
        _never.wait(seconds)

    def again_and_again(self, act: Callable[[], object], every_s: float, times: int) -> None:
        """Do something in even steps."""
        for _ in range(times):
            act()
            _never.wait(every_s)

    # -- the end ----------------------------------------------------------------------------

    def is_settled(self) -> bool:
        """Whether all is enqueued and nothing of it left to do."""
        if any(producer.poll() is None for producer in self._producers):
            return False
        stats = self.queue.stats()
        return stats.pending == stats.scheduled == 0

    def settle(self, within: float = 30.0) -> Verdict:
        """Wait until all is done, or for so long; then judge."""
        deadline = time.monotonic() + within
        while time.monotonic() < deadline:
            with contextlib.suppress(BackendError):
                if self.is_settled():
                    break
            _never.wait(0.02)
        codes = [producer.poll() for producer in self._producers]
        assert all(code == 0 for code in codes), f"a producer failed:\n{self.said[-4000:]}"
        return judge(self.seen, self.final())

    def final(self) -> Final:
        """Ask the server what became of the jobs."""
        ids = [sighting.job for sighting in self.seen if sighting.what == "pushed"]
        stats = self.queue.stats()
        return Final({job: self._ending(job) for job in ids}, stats.completed - stats.failed)

    def _ending(self, job: str) -> Ending:
        view = self.queue.job(job)
        if view is not None:
            return Ending(str(view.state), view.reason or "")
        kept = self.queue.result(job)
        is_kept = kept is not None and kept.word == "done" and kept.body
        return Ending("gone", fence=int(kept.body) if kept and is_kept else None)

    def close(self) -> None:
        """Leave no process behind."""
        with contextlib.suppress(BackendError):
            for worker in self.client.workers():
                _kill(worker.pid)
        for program in self._programs:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(program.pid, signal.SIGKILL)
            program.kill()
            program.wait()
        for pid in {sighting.pid for sighting in self.seen if sighting.what == "start"}:
            _kill(pid)
        self.client.close()
        if self._proxy is not None:
            self._proxy.close()


def _is_stopped(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)

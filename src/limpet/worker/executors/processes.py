"""Tasks with `runs_in="process"`: in processes of their own, one job at a time in each.

A process is started when there is no idle one, and used again. To stop a job its process is
killed, and the job is settled at once. No code travels: the process imports the task's module
and finds the task there. It needs no grace and leaves nothing behind but what the job itself
left half done.
"""

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from typing import Any

from limpet.errors import JobCrashed
from limpet.link import time_shift
from limpet.worker.executors.servant import BEGUN, Order, serve
from limpet.worker.executors.threads import End, ThreadExecutor
from limpet.worker.outcomes import Outcome
from limpet.worker.slots import Begun, Ended, Running


class Child:
    """A process that performs jobs."""

    def __init__(self) -> None:
        """Start it."""
        context = multiprocessing.get_context("spawn")
        self._line, far_end = context.Pipe()
        self.process = context.Process(target=serve, args=(far_end,), name="limpet-process")
        self.process.start()
        far_end.close()

    def ask(self, order: Order, begun: Callable[[], None]) -> Outcome:
        """Have a job performed; EOFError or OSError if the process dies meanwhile."""
        self._line.send(order)
        answer: Any = self._line.recv()
        if answer == BEGUN:
            begun()
            answer = self._line.recv()
        outcome: Outcome = answer
        return outcome

    def kill(self) -> None:
        """Kill it."""
        self.process.kill()

    def bury(self) -> str:
        """Clean up after it; answers how it ended."""
        with contextlib.suppress(OSError):
            self._line.close()
        self.process.kill()
        self.process.join()
        code = self.process.exitcode or 0
        with contextlib.suppress(ValueError):
            return f"killed by {signal.Signals(-code).name}"
        return f"exit code {code}"


class Leash:
    """A hold on the process that performs one job: it is killed at most once, while held."""

    def __init__(self) -> None:
        """Not held yet."""
        self.ident: int | None = None
        self._guard = threading.Lock()
        self._child: Child | None = None
        self._asked = False

    def take(self) -> None:
        """The driving thread begins; there is no process yet."""

    def hold(self, child: Child) -> None:
        """Hold a process; it is killed at once if that was asked for already."""
        with self._guard:
            self._child, self.ident = child, child.process.pid
            if self._asked:
                child.kill()

    def interrupt(self) -> None:
        """Kill the process, or as soon as it is held."""
        with self._guard:
            self._asked = True
            if self._child is not None:
                self._child.kill()

    def let_go(self) -> None:
        """Hold it no longer: it may perform other jobs."""
        with self._guard:
            self._child = None


class ProcessExecutor(ThreadExecutor):
    """Runs functions in processes; a thread of ours waits for each."""

    def __init__(self, begun: Begun, ended: Ended) -> None:
        """Tell the beginnings and ends of user code to these; nothing is started yet."""
        super().__init__(begun, ended, "limpet-driver")
        self._idle: list[Child] = []
        self._all: set[Child] = set()

    def _grip(self) -> Any:
        return Leash()

    def _start_clock(self, running: Running) -> None:
        """Not yet: a process may have to be started first."""

    def _perform(self, running: Running) -> End:
        child = self._child()
        running.handle.hold(child)
        run = running.run
        fn = run.task.fn
        url = run.task.app.url
        place = (fn.__module__, fn.__qualname__, run.task.name)
        order = Order(*place, run.delivery, url, time_shift.at)
        try:
            outcome = child.ask(order, lambda: self._started(running))
        except (EOFError, OSError):
            running.handle.let_go()
            self._all.discard(child)
            raise JobCrashed(run.job.id, child.bury()) from None
        running.handle.let_go()
        self._idle.append(child)
        return End(running, outcome=outcome)

    def _child(self) -> Child:
        """Get an idle process, or a new one; one that died while it was idle is no use."""
        while True:
            try:
                child = self._idle.pop()
            except IndexError:
                child = Child()
                self._all.add(child)
                return child
            if child.process.is_alive():
                return child
            self._all.discard(child)
            child.bury()

    def _started(self, running: Running) -> None:
        running.began = True
        if running.run.timeout_ms is not None:
            self._call(self._begun, running)

    def describe(self, running: Running) -> list[str]:
        """Name the process, and have it write its stack to where errors go."""
        pid = running.handle.ident
        if pid is None or not running.began:
            return ["its process is starting"]
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGUSR1)
        return [f"process {pid}, which writes its stack to stderr"]

    def close(self) -> None:
        """Kill all processes; who waits for one that is busy cleans up after it."""
        super().close()
        while self._idle:
            child = self._idle.pop()
            self._all.discard(child)
            child.bury()
        for child in list(self._all):
            child.kill()

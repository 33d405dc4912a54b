"""`def` tasks: in threads of the worker's own, as many as it has slots.

A thread cannot be killed. To stop a job `job.cancelled` turns true, `job.check()` raises, and
`JobInterrupted` is raised once in the thread, at its next step of Python code. A job that sits
in a call outside of Python, or catches it, goes on; until it ends it keeps its slot, and only
then it is settled, so that a job never runs twice at the same time.
"""

import asyncio
import contextvars
import ctypes
import threading
import time
from collections import deque
from typing import Any, NamedTuple

from limpet.app.context import JobInterrupted, enter_job
from limpet.worker.executors.pool import Pool
from limpet.worker.outcomes import Outcome
from limpet.worker.slots import Begun, Ended, Running
from limpet.worker.stacks import thread_lines

#: Long enough to hand the interpreter over to another thread, too short to be noticed.
NAP_S = 0.00002


class End(NamedTuple):
    """How a job ended in a thread."""

    running: Running
    value: Any = None
    error: BaseException | None = None
    outcome: Outcome | None = None


class ThreadExecutor:
    """Runs functions in threads."""

    def __init__(self, begun: Begun, ended: Ended, name: str = "limpet-thread") -> None:
        """Tell the beginnings and ends of user code to these."""
        self._loop = asyncio.get_running_loop()
        self._context = contextvars.copy_context()
        self._begun, self._ended = begun, ended
        self._pool = Pool(self._run, name)
        self._ends: deque[End] = deque()
        self._called = False

    # -- on the loop ------------------------------------------------------------------------

    def start(self, running: Running) -> None:
        """Start a job in a thread."""
        running.handle = self._grip()
        self._start_clock(running)
        self._pool.add(running)

    def _start_clock(self, running: Running) -> None:
        """Tell the beginning before it: a job may let nobody else run from its first moment on."""
        if running.run.timeout_ms is not None:
            self._begun(running)

    def _grip(self) -> Any:
        return Grip()

    def stop(self, running: Running) -> None:
        """Interrupt the thread."""
        running.handle.interrupt()

    def describe(self, running: Running) -> list[str]:
        """Show where the thread is."""
        return thread_lines(running.handle.ident) if running.handle is not None else []

    def give_way(self) -> None:
        """Let threads that have jobs run now.

        Python runs one thread at a time, and one that is busy keeps the others waiting for
        milliseconds, unless it sleeps.
        """
        if self._pool.has_work:
            time.sleep(NAP_S)

    def close(self) -> None:
        """Let idle threads end; busy ones end after their job, or with the process."""
        self._pool.close()

    def _collect(self) -> None:
        """Pass on what ended; one call for all that ended meanwhile."""
        self._called = False
        while self._ends:
            end = self._ends.popleft()
            self._ended(end.running, end.value, end.error, end.outcome)

    # -- in the threads ---------------------------------------------------------------------

    def _run(self, running: Running) -> None:
        self._ends.append(self._attempt(running))
        if not self._called:
            self._called = True
            self._call(self._collect)

    def _call(self, function: Any, *args: Any) -> None:
        try:
            self._loop.call_soon_threadsafe(function, *args)
        except RuntimeError:  # the worker is gone, and nobody waits for this any more
            return

    def _attempt(self, running: Running) -> End:
        """Perform a job; an interrupt may come at any point until the grip is let go."""
        grip = running.handle
        end = End(running)
        try:
            try:
                grip.take()
                end = self._context.copy().run(self._perform, running)
            except BaseException as error:  # noqa: BLE001 - whatever it is, it ends this job only
                end = End(running, None, error)
            grip.let_go()
        except JobInterrupted as error:
            grip.let_go()
            end = End(running, None, error)
        return end

    def _perform(self, running: Running) -> End:
        run = running.run
        running.began = True
        enter_job(run.job)
        return End(running, run.task.fn(*run.args, **run.kwargs))


class Grip:
    """A hold on the thread that performs one job: it is interrupted at most once, while held."""

    __slots__ = ("_asked", "_guard", "_held", "ident")

    def __init__(self) -> None:
        """Not held yet."""
        self.ident: int | None = None
        self._guard = threading.Lock()
        self._held = self._asked = False

    def take(self) -> None:
        """Hold this thread; it is interrupted at once if that was asked for already."""
        with self._guard:
            self.ident, self._held = threading.get_ident(), True
            if self._asked:
                raise JobInterrupted

    def interrupt(self) -> None:
        """Raise `JobInterrupted` in the thread, or as soon as it is held."""
        with self._guard:
            if self._held and not self._asked:
                _raise_in(self.ident, JobInterrupted)
            self._asked = True

    def let_go(self) -> None:
        """Hold it no longer; an interrupt that did not come yet is taken back."""
        with self._guard:
            asked, self._held = self._held and self._asked, False
        if asked:
            _raise_in(self.ident, None)


def _raise_in(ident: int | None, error: type[BaseException] | None) -> None:
    argument = None if error is None else ctypes.py_object(error)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(ident or 0), argument)

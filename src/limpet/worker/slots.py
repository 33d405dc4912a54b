"""The jobs that are running here, each in a slot."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from limpet.worker.outcomes import Outcome, Why
from limpet.worker.runner import Run

if TYPE_CHECKING:
    from asyncio import TimerHandle


class Executor(Protocol):
    """Where user code runs. Everything but the code itself is called on the loop."""

    def start(self, running: "Running") -> None:
        """Start a job; its end is told to the worker."""

    def stop(self, running: "Running") -> None:
        """Make a job end, as far as that is possible; `running.why` says why."""

    def describe(self, running: "Running") -> list[str]:
        """Say what a job is doing: lines of its stack."""

    def close(self) -> None:
        """End what is left of it; does not wait."""


class Running:
    """One slot in use."""

    __slots__ = (
        "began",
        "delivery",
        "executor",
        "handle",
        "job",
        "run",
        "settling",
        "since",
        "timer",
        "why",
    )

    def __init__(self, run: Run, executor: Executor) -> None:
        """Take a slot for a job that is about to start."""
        self.run, self.executor = run, executor
        self.delivery, self.job = run.delivery, run.job
        #: What the executor knows it by.
        self.handle: Any = None
        self.since = time.monotonic()
        #: User code may be running.
        self.began = False
        #: It has ended, and the server is being told.
        self.settling = False
        self.timer: TimerHandle | None = None
        #: Why it was told to stop; the first reason counts.
        self.why: Why | None = None

    def stop(self, why: Why) -> None:
        """Tell the job to stop and have its executor see to it."""
        if self.why is None and not self.settling:
            self.why = why
            self.job.tell(why.value)
            if self.handle is not None:  # else a hook still runs; what it began ends after it
                self.executor.stop(self)

    @property
    def seconds(self) -> float:
        """For how long it has been running."""
        return time.monotonic() - self.since


#: Called on the loop when user code ended: with what it returned, what it raised, or an outcome
#: where that was judged elsewhere.
Ended = Callable[[Running, Any, BaseException | None, Outcome | None], None]
#: Called on the loop when user code is about to begin.
Begun = Callable[[Running], None]

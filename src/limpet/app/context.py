"""What a running job knows about itself: the value a task gets where it asks for a `Job`."""

import asyncio
import math
import time
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, Protocol

from limpet.errors import ConfigError, JobCancelled
from limpet.values import Delivery, Receipt, Tally

#: Longer texts of progress and log lines are cut here.
LONGEST_LINE = 1024


class JobInterrupted(BaseException):
    """Raised inside a job that runs in a thread, to stop it; `except Exception` lets it pass."""


class Desk(Protocol):
    """Where a job's notes go: see `limpet.app.desk`."""

    def progress(self, job: "Job", fraction: float, text: str) -> None:
        """Tell how far the job has come."""

    def log(self, job: "Job", line: str) -> None:
        """Add a line to the job's log."""

    def once(self, job: "Job", name: str) -> bool:
        """Note an effect; False if it was noted before."""

    def previous(self, job: "Job") -> Any:
        """Get the result of the step before."""


class Job:
    """One delivery of a job, from inside: a task that has a parameter of this type gets it.

    The calls without `a` block for at most a round trip, and only `once` and `previous` do. Those
    with `a` are for `async def` tasks. All of them may be called from any thread.
    """

    __slots__ = ("_delivery", "_desk", "_stop", "pad", "step_before", "task")

    def __init__(
        self, delivery: Delivery, task: str, desk: Desk, step_before: str | None = None
    ) -> None:
        """Made by the worker; use `Job.detached()` in tests of your own."""
        self._delivery, self._desk, self._stop = delivery, desk, ""
        #: The name of the task.
        self.task = task
        #: The id of the step before in a chain.
        self.step_before = step_before
        #: Notes that are not sent yet; the desk's own.
        self.pad: Any = None

    @classmethod
    def detached(cls, task: str = "") -> "Job":
        """Make one for a plain call: it belongs to no queue, and its notes go nowhere."""
        now_ms = int(time.time() * 1000)
        delivery = Delivery(
            "", "detached", b"", Receipt("detached", 0), now_ms, now_ms, now_ms, deliveries=1
        )
        return cls(delivery, task, _NoDesk())

    def __repr__(self) -> str:
        """Show what it is."""
        return f"<Job {self.id} of {self.task or 'no task'} in {self.queue!r}>"

    # -- what it is -------------------------------------------------------------------------

    @property
    def delivery(self) -> Delivery:
        """The delivery as the core gave it."""
        return self._delivery

    @property
    def id(self) -> str:
        """The id of the job; the same for all its deliveries."""
        return self._delivery.id

    @property
    def queue(self) -> str:
        """The queue it came from."""
        return self._delivery.queue

    @property
    def deliveries(self) -> int:
        """How often it was delivered, this time included."""
        return self._delivery.deliveries

    @property
    def fence(self) -> int:
        """The number of this hand-out: it only grows, and serves as a fencing token."""
        return self._delivery.receipt.fence

    @property
    def enqueued_at(self) -> datetime:
        """When it was enqueued, by the server's clock, in UTC."""
        return datetime.fromtimestamp(self._delivery.enqueued_at / 1000, UTC)

    @property
    def retries(self) -> int:
        """How often it was retried after an error."""
        return self._delivery.retries

    @property
    def crashes(self) -> int:
        """How many workers died with it."""
        return self._delivery.crashes

    @property
    def tally(self) -> Tally | None:
        """How the jobs of its batch ended: done, failed, cancelled. None if it follows none."""
        return self._delivery.tally

    # -- being stopped ----------------------------------------------------------------------

    @property
    def cancelled(self) -> bool:
        """Whether it should stop: it was cancelled, took too long, or its worker must stop."""
        return bool(self._stop)

    def check(self) -> None:
        """Raise `JobCancelled` if the job should stop; call it between steps of long work."""
        if self._stop:
            raise JobCancelled(self.id, self._stop)

    def tell(self, why: str) -> None:
        """Tell it to stop; called by the worker."""
        self._stop = self._stop or why

    # -- notes ------------------------------------------------------------------------------

    def progress(self, fraction: float, text: str = "") -> None:
        """Tell how far it has come, from 0 to 1.

        Never blocks. About ten a second are sent, and always the last one.
        """
        if (
            isinstance(fraction, bool)
            or not isinstance(fraction, (int, float))
            or not math.isfinite(fraction)
            or not 0 <= fraction <= 1
        ):
            raise ConfigError(f"progress is a number from 0 to 1, got {fraction!r}")
        self._desk.progress(self, float(fraction), str(text)[:LONGEST_LINE])

    def log(self, line: str) -> None:
        """Add a line to the job's own log, of which the last hundred are kept. Never blocks."""
        self._desk.log(self, str(line)[:LONGEST_LINE])

    def once(self, name: str) -> bool:
        """Note an effect under a name: True for the first time in all deliveries of this job.

        Note it just before the effect: if the worker dies between the two, the effect is left
        out rather than made twice. Raises `JobCancelled` if the job is no longer ours.
        """
        return self._desk.once(self, name)

    def previous(self) -> Any:
        """Get the result of the step before in a chain; None if there is none."""
        return self._desk.previous(self)

    async def aprogress(self, fraction: float, text: str = "") -> None:
        """As `progress`."""
        self.progress(fraction, text)

    async def alog(self, line: str) -> None:
        """As `log`."""
        self.log(line)

    async def aonce(self, name: str) -> bool:
        """As `once`, without blocking the loop."""
        return await asyncio.to_thread(self.once, name)

    async def aprevious(self) -> Any:
        """As `previous`, without blocking the loop."""
        return await asyncio.to_thread(self.previous)


class _NoDesk:
    """The desk of a plain call: effects are new once, all else is dropped."""

    def __init__(self) -> None:
        self._names: set[str] = set()

    def progress(self, *_: object) -> None:
        pass

    def log(self, *_: object) -> None:
        pass

    def once(self, _job: Job, name: str) -> bool:
        new = name not in self._names
        self._names.add(name)
        return new

    def previous(self, *_: object) -> Any:
        return None


_current: ContextVar[Job | None] = ContextVar("limpet_job", default=None)


def current_job() -> Job | None:
    """Get the job that is running here; None outside of any."""
    return _current.get()


#: Say which job runs here; for executors.
enter_job = _current.set

"""Handles: what became of a job, asked from anywhere."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from limpet.errors import ConfigError, JobCancelled, JobFailed, JobGone, ResultTimeout
from limpet.options import Duration, milliseconds
from limpet.values import JobView, Notes, Outcome

if TYPE_CHECKING:
    from limpet.aio import AsyncQueue
    from limpet.app.base import AppBase
    from limpet.sync import Queue

R_co = TypeVar("R_co", covariant=True)
Status = Literal[
    "scheduled", "waiting", "parked", "running", "dead", "done", "failed", "cancelled", "unknown"
]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a job has come, from 0 to 1; `at` is Unix milliseconds by the server's clock."""

    fraction: float
    text: str
    at: int


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line that a job logged; `at` is Unix milliseconds by the server's clock."""

    at: int
    text: str


@dataclass(slots=True, unsafe_hash=True)  # not frozen: that takes twice as long, and there are many
class JobHandle(Generic[R_co]):
    """A job by its id: ask how it is doing, wait for its result, call it off."""

    id: str
    queue: str
    #: False if another job was in the way (a twin, or one with this id): then this is that one.
    created: bool = True
    #: True if that job took over the arguments of this push.
    replaced: bool = False
    #: Whether its result is kept; None if that is not known here.
    keeps: bool | None = field(default=None, repr=False, compare=False)
    app: "AppBase | None" = field(default=None, repr=False, compare=False)

    def status(self) -> Status:
        """Say where the job is, or how it ended if that is kept; else "unknown"."""
        return _status(self._queue.job(self.id)) or _ended(self._queue.result(self.id))

    async def astatus(self) -> Status:
        """As `status`."""
        return _status(await self._aqueue.job(self.id)) or _ended(
            await self._aqueue.result(self.id)
        )

    def result(self, timeout: Duration | None = None) -> R_co:
        """Wait for the end and give what the task returned; None waits for ever.

        Raises:
            ResultTimeout: It did not end in time; it goes on.
            JobFailed: It failed for good.
            JobCancelled: It was cancelled.
            JobGone: It is not there, and its result is not kept any more.
        """
        self._check_wait(timeout)
        return self._judged(self._queue.result(self.id, wait=timeout), timeout)

    async def aresult(self, timeout: Duration | None = None) -> R_co:
        """As `result`."""
        self._check_wait(timeout)
        return self._judged(await self._aqueue.result(self.id, wait=timeout), timeout)

    def cancel(self) -> bool:
        """Call the job off; True if it was there, and not dead.

        One that does not run is gone at once. The worker of a running one is told.
        """
        return self._queue.cancel(id=self.id) > 0

    async def acancel(self) -> bool:
        """As `cancel`."""
        return await self._aqueue.cancel(id=self.id) > 0

    def progress(self) -> Progress | None:
        """Show what the job last told of its progress; None if it told nothing, or ended."""
        return _progress(self._queue.notes(self.id))

    async def aprogress(self) -> Progress | None:
        """As `progress`."""
        return _progress(await self._aqueue.notes(self.id))

    def log(self) -> list[LogLine]:
        """Show the last lines that the job logged; none once it ended."""
        return _lines(self._queue.notes(self.id))

    async def alog(self) -> list[LogLine]:
        """As `log`."""
        return _lines(await self._aqueue.notes(self.id))

    # -- inside -----------------------------------------------------------------------------

    @property
    def _app(self) -> "AppBase":
        if self.app is None:
            raise ConfigError("this handle belongs to no app; take app.handle(id, queue)")
        return self.app

    @property
    def _queue(self) -> "Queue":
        return self._app.limpet.queue(self.queue)

    @property
    def _aqueue(self) -> "AsyncQueue":
        return self._app.alimpet.queue(self.queue)

    def _check_wait(self, timeout: Duration | None) -> None:
        if timeout is not None:
            milliseconds(timeout, "timeout")
        if self.keeps is False:
            raise ConfigError(
                f"no result of job {self.id} is kept; give its task result_ttl='1h', for example"
            )

    def _judged(self, outcome: Outcome | None, timeout: Duration | None) -> R_co:
        if outcome is None:
            raise ResultTimeout(self.id, milliseconds(timeout or 0, "timeout") / 1000)
        if outcome.word == "failed":
            raise JobFailed(self.id, outcome.body.decode("utf-8", "replace"))
        if outcome.word == "cancelled":
            raise JobCancelled(self.id)
        if outcome.word == "unknown":
            raise JobGone(self.id)
        result: Any = self._app.codec.decode(outcome.body) if outcome.body else None
        found: R_co = result
        return found


def _status(view: JobView | None) -> Status | None:
    return None if view is None else view.state.value


def _ended(outcome: Outcome | None) -> Status:
    """Read the outcome; without one the job came back between the two looks."""
    return "unknown" if outcome is None else outcome.word


def _progress(notes: Notes) -> Progress | None:
    return None if notes.fraction is None else Progress(notes.fraction, notes.text, notes.at)


def _lines(notes: Notes) -> list[LogLine]:
    return [LogLine(at, text) for at, text in notes.log]

"""The values that travel: what callers get and give back. Immutable, nothing but reading."""

import json
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from limpet.states import State


def task_of(payload: bytes) -> str | None:
    """Read the name of the task from a payload; None if it is no call of a task."""
    try:
        call = json.loads(payload)
    except (ValueError, RecursionError):
        return None
    return str(call["task"]) if isinstance(call, dict) and "task" in call else None


class Receipt(NamedTuple):
    """Proof of one delivery: the job and the fence under which it was handed out.

    As text it is `id@fence`. The fence only grows, over all jobs of a queue, so it can be passed
    on to other systems as a fencing token.
    """

    id: str
    fence: int

    def __str__(self) -> str:
        """Write the receipt as text."""
        return f"{self.id}@{self.fence}"


class Pushed(NamedTuple):
    """The answer to a push: the job's id, and whether this push created it."""

    queue: str
    id: str
    created: bool = True
    #: True if the job in the way took over the payload and time of this push.
    replaced: bool = False


@dataclass(frozen=True, slots=True)
class Tally:
    """How the members of a group ended."""

    done: int = 0
    failed: int = 0
    cancelled: int = 0


class Delivery(NamedTuple):
    """One hand-out of a job. Times are Unix milliseconds by the server's clock."""

    queue: str
    id: str
    payload: bytes
    receipt: Receipt
    enqueued_at: int
    #: When it was delivered for the first time.
    started_at: int
    #: When this delivery was made.
    delivered_at: int
    #: How often the job was delivered, this time included.
    deliveries: int = 1
    #: How many workers died with the job, and how often it was retried after an error.
    crashes: int = 0
    retries: int = 0
    lock: bytes | None = None
    #: A follower of a group: how its members ended.
    tally: Tally | None = None

    @property
    def fence(self) -> int:
        """A number that grows with every hand-out of the queue: a fencing token."""
        return self.receipt.fence


@dataclass(frozen=True, slots=True)
class JobView:
    """A job as `inspect` shows it. Times are Unix milliseconds by the server's clock."""

    queue: str
    id: str
    payload: bytes
    state: State
    enqueued_at: int
    deliveries: int = 0
    crashes: int = 0
    retries: int = 0
    #: scheduled: when it is due; running: its last delivery; dead: when it was given up.
    at: int | None = None
    #: running: milliseconds since the last delivery.
    elapsed: int | None = None
    worker: str | None = None
    receipt: Receipt | None = None
    unique: bytes | None = None
    lock: bytes | None = None
    #: The last error of a retried job, or why a dead one was given up.
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """One of the last 100 errors; `at` is Unix milliseconds by the server's clock."""

    id: str
    message: str
    at: int
    deliveries: int


OutcomeWord = Literal["done", "failed", "cancelled", "unknown"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a job ended: `body` is its result, or the reason; `at` Unix milliseconds.

    "unknown" is a job that is not in the queue and whose outcome is not (or no longer) kept.
    """

    id: str
    word: OutcomeWord
    body: bytes = b""
    at: int = 0


@dataclass(frozen=True, slots=True)
class Notes:
    """What a job told about itself while it ran."""

    #: How far it has come, from 0 to 1, in words, and when it said so (Unix milliseconds).
    fraction: float | None = None
    text: str = ""
    at: int = 0
    #: The last lines of its log: when (Unix milliseconds) and what.
    log: tuple[tuple[int, str], ...] = ()
    #: Effects it has had, by name.
    once: tuple[str, ...] = ()


ClaimState = Literal["READY", "TIMEDOUT", "PROCESSING", "NONE"]


@dataclass(frozen=True, slots=True)
class Claim:
    """One look at a queue: READY is taken; TIMEDOUT shows a delivery that may be resumed."""

    state: ClaimState
    delivery: Delivery | None = None


@dataclass(frozen=True, slots=True)
class Stats:
    """What is in a queue now, and what went through it."""

    waiting: int = 0
    parked: int = 0
    #: Parked because no worker that took them knew their task.
    stranded: int = 0
    scheduled: int = 0
    running: int = 0
    dead: int = 0
    #: Ended jobs, failed ones included.
    completed: int = 0
    failed: int = 0
    cancelled: int = 0
    #: Deliveries taken over from dead or timed-out workers.
    recovered: int = 0
    #: Pushes refused as duplicates.
    refused: int = 0
    #: Jobs merged into an identical one.
    merged: int = 0
    workers: int = 0
    paused: bool = False
    #: Milliseconds the job served next has been in the queue.
    oldest_ms: int = 0

    @property
    def pending(self) -> int:
        """Waiting, parked and running jobs together."""
        return self.waiting + self.parked + self.running


@dataclass(frozen=True, slots=True)
class WorkerView:
    """A worker as others see it; `lease_left_ms` is None for a permanent lease."""

    id: str
    queue: str
    name: str
    host: str
    pid: int
    lease_ms: int
    lease_left_ms: int | None
    handouts: int
    #: Names of the tasks it knows; empty for a worker of bare queues.
    tasks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LockView:
    """A held lock: the running job that holds it and how many wait for it."""

    lock: bytes
    holder: str
    parked: int


@dataclass(frozen=True, slots=True)
class ScheduleView:
    """A schedule as others see it. Times are Unix milliseconds by the server's clock."""

    queue: str
    name: str
    payload: bytes
    #: When it fires next.
    next_at: int
    #: The job it pushed last.
    last_id: str | None = None
    #: Either a cron expression in a time zone, or an interval.
    cron: str | None = None
    every_ms: int | None = None
    tz: str = "UTC"
    missed: str = "once"
    overlap: str = "skip"
    #: The name of the app that declared it; "" for one made by hand.
    owner: str = ""

    @property
    def task(self) -> str | None:
        """The name of the task that it runs; None if its jobs are not calls of tasks."""
        return task_of(self.payload)


@dataclass(frozen=True, slots=True)
class Renewed:
    """The answer to a renewal: deliveries that are lost, and those that were cancelled."""

    lost: tuple[Delivery, ...] = ()
    cancelled: tuple[Delivery, ...] = ()


EventKind = Literal["work", "done", "failed", "cancel", "delete", "lost"]


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened in a queue; events carry no guarantee."""

    queue: str
    kind: EventKind
    #: work, done: how many jobs.
    count: int = 0
    #: failed, cancel: the job; lost: the worker.
    subject: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """One inconsistency: its kind, and the job, mark, lock or lease it is about."""

    kind: str
    subject: str


@dataclass(frozen=True, slots=True)
class Report:
    """What `verify` found or `repair` mended."""

    queue: str
    problems: tuple[Problem, ...] = field(default=())

    @property
    def ok(self) -> bool:
        """Whether nothing was wrong."""
        return not self.problems

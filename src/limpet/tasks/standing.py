"""How a job stands: what decides when it runs, gathered in one look; and that in words."""

from dataclasses import dataclass, field
from typing import NamedTuple

from limpet.values import JobView, Tally


class Holder(NamedTuple):
    """A running job that holds a lock, its worker, and since when (Unix milliseconds)."""

    id: str
    worker: str
    since: int


class Hand(NamedTuple):
    """A living worker and the tasks it knows; a worker of bare queues names none."""

    worker: str
    tasks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Standing:
    """All that decides when a job runs, at one moment."""

    job: JobView
    now_ms: int
    #: Waiting: its position from 1 on; 0: it is in no line; -1: too far behind to be found.
    position: int = 0
    #: There may be cancelled jobs before it that were counted.
    guess: bool = False
    #: How many wait in line.
    line: int = 0
    paused: bool = False
    running: int = 0
    #: Running: it was asked to end; its worker lives.
    told: bool = False
    alive: bool = False
    #: Living workers of the queue, and those that are registered and silent for too long.
    workers: int = 0
    silent: int = 0
    #: Some of the living workers.
    crew: tuple[Hand, ...] = ()
    #: How many suspects (jobs whose worker died) run now.
    trials: int = 0
    #: Some holders of its lock, how many there are, and how many there may be.
    holders: tuple[Holder, ...] = ()
    held: int = 0
    limit: int = 1
    #: Parked: how many wait before it for the same.
    before: int = 0
    #: Parked: the task for which it was set aside.
    task: str | None = None
    #: Parked: it follows a group; some members that have not ended, how many, how others did.
    follows: bool = False
    awaited: tuple[str, ...] = ()
    left: int = 0
    tally: Tally = field(default_factory=Tally)
    #: It is called off unless all members succeed.
    needs: bool = False


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a job is where it is, in words; `str()` of it is the whole text."""

    queue: str
    id: str
    #: Where it is, or how it ended: "done", "failed", "cancelled".
    state: str
    headline: str
    details: tuple[str, ...] = ()
    #: What to do so that it runs; None if it will without that.
    next_step: str | None = None

    def __str__(self) -> str:
        """Write all of it, line by line."""
        step = [] if self.next_step is None else [f"  -> {self.next_step}"]
        head = f"job {self.id} of queue {self.queue!r} {self.headline}"
        return "\n".join([head, *[f"  {line}" for line in self.details], *step])

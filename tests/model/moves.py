"""The moving parts of the reference model: a job, its state, its marks, its lock, the clocks.

Nothing here knows a server. `QueueModel` in queue_model.py builds the operations from these
moves. Every change of a job's state goes through `Moves.move`, which looks it up in
`limpet.states.TRANSITIONS`: a way that is not in that table does not exist.
"""

from collections import Counter
from dataclasses import dataclass
from typing import ClassVar, TypeVar

from limpet.states import TRANSITIONS, State
from limpet.values import Failure, Receipt

T = TypeVar("T")
ALLOWED = {(way.verb, way.source, way.target) for way in TRANSITIONS}
FOREVER, DEAD_ALREADY = float("inf"), float("-inf")


@dataclass
class Job:
    """One job and everything that is known about it. Times are milliseconds."""

    id: str
    payload: bytes
    place: int
    enqueued_at: int
    unique: bytes | None = None
    mode: str | None = None
    lock: bytes | None = None
    limit: int = 1
    state: State | None = None
    #: Waiting: it came back, or was pushed to the front; served before the rest of the line.
    returned: bool = False
    due: int | None = None
    #: Running: the number of its hand-out, its position there, who has it and since when.
    fence: int | None = None
    nth: int = 0
    worker: str | None = None
    delivered_at: int = 0
    #: Asked to end while it runs.
    told: bool = False
    #: Ended deliveries, deaths of its worker, retries after an error.
    deliveries: int = 0
    crashes: int = 0
    retries: int = 0
    started_at: int | None = None
    error: str | None = None
    reason: str | None = None
    #: The worker that runs empty for the last chance of this job.
    booked: str | None = None
    dead_at: int | None = None


@dataclass
class Worker:
    """A registered worker: the length of its lease, and its end on the queue clock."""

    lease_ms: int
    lease_end: float


class Moves:
    """All that is in a queue, and the steps from which operations are made."""

    #: The ways between states: verb, from, to.
    allowed: ClassVar[set[tuple[str, State | None, State | None]]] = ALLOWED

    def __init__(self, queue: str = "model") -> None:
        self.queue = queue
        self.us = self.ms = 0
        self.exists = self.paused = False
        self.jobs: dict[str, Job] = {}
        self.marks: dict[bytes, str] = {}
        self.workers: dict[str, Worker] = {}
        self.failures: list[Failure] = []
        self.counters: Counter[str] = Counter()
        self.tick = 0
        self.seen: int | None = None
        self.stride: int | None = None
        self.last_ms = self.last_seq = self.last_fence = 0

    # Looking

    def of(self, state: State) -> list[Job]:
        """Jobs of one state, in the order they were pushed."""
        return [job for job in self.jobs.values() if job.state is state]

    def line(self) -> list[Job]:
        """Waiting jobs as they are served: suspects, then what came back, then the rest."""
        lines = {
            job.id: 0 if job.crashes else 1 if job.returned else 2 for job in self.of(State.WAITING)
        }
        return sorted(self.of(State.WAITING), key=lambda j: (lines[j.id], j.place))

    def running(self, worker: str | None = None) -> list[Job]:
        """Running jobs (of one worker), oldest hand-out first."""
        found = [j for j in self.of(State.RUNNING) if worker in (None, j.worker)]
        return sorted(found, key=lambda j: (j.fence, j.nth))

    def holders(self, lock: bytes) -> list[Job]:
        """Jobs that hold a lock: the running ones that name it."""
        return [job for job in self.jobs.values() if job.lock == lock and job.fence is not None]

    def has_room(self, job: Job) -> bool:
        """May this job take its lock now?"""
        return job.lock is None or len(self.holders(job.lock)) < job.limit

    def holds(self, receipt: Receipt) -> bool:
        """Is a receipt valid: does its job still run under that fence?"""
        job = self.jobs.get(receipt.id)
        return job is not None and job.fence == receipt.fence

    def due_in(self) -> int:
        """Milliseconds until the next scheduled job is due; -1 if there is none."""
        dues = [job.due for job in self.of(State.SCHEDULED) if job.due is not None]
        return max(min(dues) - self.ms, 0) if dues else -1

    # Clocks

    def advance(self) -> None:
        """Let the queue clock follow the server's, by at most one stride, never back."""
        if self.seen is not None:
            self.tick += min(max(self.ms - self.seen, 0), self.stride or 1000)
        if self.exists or self.last_seq or self.seen is not None:
            self.seen = self.ms

    def mint(self, count: int) -> int:
        """Reserve numbers in line; answers the one before the first."""
        before = self.last_seq
        if count:
            self.last_ms, self.last_seq = max(self.last_ms, self.ms), before + count
        return before

    def is_lost(self, worker: str) -> bool:
        """Was this worker declared dead, or is it unknown here?"""
        return worker not in self.workers or self.workers[worker].lease_end == DEAD_ALREADY

    def renew_lease(self, worker: str) -> None:
        """Let the lease run anew from now."""
        lease_ms = self.workers[worker].lease_ms
        self.workers[worker].lease_end = FOREVER if lease_ms < 0 else self.tick + lease_ms

    def expired(self) -> list[str]:
        """Workers whose lease is over, the longest dead first."""
        ends = sorted((worker.lease_end, name) for name, worker in self.workers.items())
        return [name for end, name in ends if end < self.tick]

    # Moving

    def move(self, job: Job, verb: str, target: State | None) -> None:
        """Change the state of a job: the only place where that happens."""
        assert (verb, job.state, target) in self.allowed, f"{verb}: {job.state} to {target}"
        job.state, job.returned = target, False
        if target is not State.RUNNING:
            job.fence = job.worker = None
        if target in (None, State.DEAD):
            self.unmark(job)
        if target is None:
            del self.jobs[job.id]

    def line_up(self, job: Job, verb: str) -> None:
        """Bring a job back to its place."""
        self.move(job, verb, State.WAITING)
        job.returned = True

    def call_next(self, lock: bytes) -> None:
        """The first job that is parked for a lock goes back to its place."""
        parked = [job for job in self.of(State.PARKED) if job.lock == lock]
        if parked:
            self.line_up(min(parked, key=lambda j: j.place), "unlock")

    def mark(self, job: Job) -> None:
        """Take the unique key for a job."""
        if job.unique is not None:
            self.marks[job.unique] = job.id

    def unmark(self, job: Job) -> None:
        """Free the unique key of a job, if it is the one that holds it."""
        if job.unique is not None and self.marks.get(job.unique) == job.id:
            del self.marks[job.unique]

    def evict(self, job: Job, verb: str) -> None:
        """Take a job that does not run out of the queue; if it was called for a lock, call on."""
        was_parked = job.state is State.PARKED
        self.move(job, verb, None)
        if job.lock is not None and not was_parked and self.has_room(job):
            self.call_next(job.lock)

    def end_delivery(self, job: Job) -> bool:
        """The job stops running: counted, its lock is free; answers False if it was cancelled."""
        job.deliveries += 1
        job.started_at = job.started_at or job.delivered_at
        job.fence = job.worker = None
        if job.lock is not None:
            self.call_next(job.lock)
        if job.told:
            self.move(job, "cancel", None)
            self.counters["cancelled"] += 1
        return not job.told

    def twin_of(self, job: Job) -> Job | None:
        """The job that does not run and took this one's unique key meanwhile."""
        twin = self.jobs.get(self.marks.get(job.unique, "")) if job.unique is not None else None
        return twin if twin and twin is not job and twin.state is not State.RUNNING else None

    def put_back(self, job: Job, verb: str) -> None:
        """Bring a job that ran back to its place; of two twins in line the younger is merged."""
        twin = self.twin_of(job)
        if twin and twin.state is not State.SCHEDULED and twin.place < job.place:
            self.move(job, "merge", None)
            self.counters["merged"] += 1
            return
        if twin:
            self.evict(twin, "merge")
            self.counters["merged"] += 1
        self.mark(job)
        self.line_up(job, verb)

    def put_off(self, job: Job, verb: str, due: int) -> None:
        """Schedule a job that ran; if a twin waits already, that one does the work."""
        if self.twin_of(job):
            self.move(job, "merge", None)
            self.counters["merged"] += 1
            return
        self.mark(job)
        self.move(job, verb, State.SCHEDULED)
        job.due = due

    def bury(self, job: Job, verb: str, reason: str, dead_limit: int) -> None:
        """End a job in failure; the dead list keeps at most so many, the oldest make room."""
        failure = Failure(job.id, reason, self.ms, job.deliveries)
        self.failures = [failure, *self.failures][:100]
        self.counters.update(completed=1, failed=1)
        if dead_limit == 0:
            self.move(job, "fail", None)
            return
        self.move(job, verb, State.DEAD)
        job.reason, job.dead_at = reason, self.ms
        for oldest in self.dead()[: max(len(self.dead()) - dead_limit, 0)]:
            self.move(oldest, "purge", None)

    def dead(self) -> list[Job]:
        """The dead list, oldest first."""
        return sorted(self.of(State.DEAD), key=lambda j: (j.dead_at, j.id))

    def copy(self) -> "Moves":
        """Copy the whole queue, so that an exploration can try two ways from here."""
        twin = _clone(self)
        twin.jobs = {job_id: _clone(job) for job_id, job in self.jobs.items()}
        twin.workers = {name: _clone(worker) for name, worker in self.workers.items()}
        twin.marks, twin.counters = dict(self.marks), Counter(self.counters)
        return twin


def _clone(thing: T) -> T:
    """Copy the attributes, faster than the copy module does."""
    twin: T = object.__new__(type(thing))
    twin.__dict__.update(thing.__dict__)
    return twin

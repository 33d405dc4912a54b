"""A small world around the model: a producer, a few workers, and a budget of faults.

From each state every request may be made, its reply may get lost, a worker may die before or
after the server heard it, a slow worker may lose its lease: `moves` gives all that can happen.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from limpet.commands.push import NewJob
from limpet.commands.take import Taker
from limpet.errors import WorkerLost
from limpet.options import WorkerOptions
from limpet.values import Receipt
from tests.model.queue_model import QueueModel, handed_out

START_US = 1_800_000_000_000_000
CRASH_LIMIT, DEAD_LIMIT = 3, 10
OPTIONS = WorkerOptions()


@dataclass(frozen=True)
class World:
    """What there is, and how much may go wrong."""

    jobs: tuple[NewJob, ...]
    workers: int = 2
    cuts: int = 0
    crashes: int = 0
    freezes: int = 0
    count: int = 1
    #: Payloads that kill the worker that starts them.
    poison: frozenset[bytes] = frozenset()
    model: Callable[[], QueueModel] = QueueModel


@dataclass(frozen=True, slots=True)
class Actor:
    """A worker process (or, with the name "p", the producer) as it sees itself."""

    name: str
    seq: int = 0
    #: A request without reply, to be sent again.
    pending: tuple[Any, ...] | None = None
    receipts: tuple[Receipt, ...] = ()
    doomed: bool = False
    pushed: int = 0


@dataclass(slots=True)
class Point:
    """One state of the world."""

    model: QueueModel
    actors: tuple[Actor, ...]
    cuts: int
    crashes: int
    freezes: int
    born: int = 0
    #: payload -> how many more starts are excused; id -> accepted acks.
    starts_left: dict[bytes, int] = field(default_factory=dict)
    acked: dict[str, int] = field(default_factory=dict)
    pushed: dict[str, bytes] = field(default_factory=dict)
    wrong: str = ""

    def copy(self) -> "Point":
        """Copy it, to go on in another way."""
        kept = (self.actors, self.cuts, self.crashes, self.freezes, self.born)
        counts = (dict(self.starts_left), dict(self.acked), dict(self.pushed))
        return Point(self.model.copy(), *kept, *counts, self.wrong)

    def put(self, n: int, actor: Actor) -> "Point":
        """Change one actor."""
        self.actors = (*self.actors[:n], actor, *self.actors[n + 1 :])
        return self

    def key(self) -> Any:
        """All that matters for what can happen next; numbers that only grow are ranked."""
        model = self.model
        known = {job.fence for job in model.jobs.values() if job.fence is not None}
        known |= {r.fence for actor in self.actors for r in actor.receipts}
        memory = []
        for actor in self.actors:
            last = model.memory.get(actor.name)
            given = handed_out(last.answer) if last else []
            known |= {d.receipt.fence for d in given}
            memory.append((last and actor.seq - last.seq, tuple(d.receipt for d in given)))
        rank = {fence: n for n, fence in enumerate(sorted(known))}
        # What a process is called does not matter, only which of them it is.
        slot: dict[Any, Any] = {actor.name: n for n, actor in enumerate(self.actors)}
        for name in model.workers:
            slot.setdefault(name, f"old {len(slot)}")
        jobs = tuple(
            (
                *(job.id, job.place, job.state, job.returned, rank.get(job.fence or 0)),
                *(job.crashes, slot.get(job.worker), slot.get(job.booked)),
            )
            for job in model.jobs.values()
        )
        actors = tuple(
            (a.pending and a.pending[0], _ranked(a.receipts, rank), a.doomed, a.pushed)
            for a in self.actors
        )
        ends = tuple((slot[name], w.lease_end < model.tick) for name, w in model.workers.items())
        kept = tuple((gap, _ranked(receipts, rank)) for gap, receipts in memory)
        excused = tuple(sorted(self.starts_left.items()))
        acked = tuple(sorted(self.acked.items()))
        budget = (self.cuts, self.crashes, self.freezes)
        return jobs, actors, tuple(sorted(ends, key=str)), kept, budget, excused, acked


def _ranked(receipts: tuple[Receipt, ...], rank: dict[int, int]) -> tuple[Any, ...]:
    return tuple((receipt.id, rank[receipt.fence]) for receipt in receipts)


def begin(world: World) -> Point:
    """Make the first state: an empty queue, workers that have started."""
    model = world.model()
    names = [f"w{n}" for n in range(1, world.workers + 1)]
    for name in names:
        model.send(START_US, "start_work", name, OPTIONS, "host", 1, lane=name, seq=0)
    actors = (Actor("p"), *(Actor(name) for name in names))
    excused = {job.payload: 1 for job in world.jobs}
    return Point(model, actors, world.cuts, world.crashes, world.freezes, world.workers, excused)


def moves(world: World, here: Point) -> Iterator[tuple[str, Point]]:
    """Everything that can happen next."""
    for n, actor in enumerate(here.actors):
        if actor.doomed:
            yield f"{actor.name} is killed by its job", _crash(here.copy(), n)
            continue
        for request in _requests(world, actor):
            yield from _send(world, here, n, request)
        if n and here.crashes:
            there = here.copy()
            there.crashes -= 1
            yield f"{actor.name} dies", _crash(there, n)
    for name, worker in here.model.workers.items():
        living = any(actor.name == name for actor in here.actors)
        if worker.lease_end >= here.model.tick and (here.freezes or not living):
            yield f"the lease of {name} ends", _expire(here.copy(), name, living=living)
    if here.model.expired():
        there = here.copy()
        there.model.send(START_US, "tend", CRASH_LIMIT, DEAD_LIMIT)
        yield "tend", there


def _requests(world: World, actor: Actor) -> Iterator[tuple[Any, ...]]:
    if actor.pending:
        yield actor.pending
    elif actor.name == "p":
        if actor.pushed < len(world.jobs):
            yield "push", [world.jobs[actor.pushed]]
    elif actor.receipts:
        yield "ack", list(actor.receipts)
        yield "release", list(actor.receipts), None
    else:
        yield "pop", Taker(actor.name, "none", CRASH_LIMIT), world.count


def _send(
    world: World, here: Point, n: int, request: tuple[Any, ...]
) -> Iterator[tuple[str, Point]]:
    """Send a request: the reply arrives, or gets lost, or finds nobody."""
    there, actor = here.copy(), here.actors[n]
    seq = actor.seq if actor.pending else actor.seq + 1
    answer = _serve(there, actor.name, seq, request)
    what = f"{actor.name}: {request[0]}{' again' if actor.pending else ''}"
    if here.cuts:
        cut = there.copy().put(n, replace(actor, seq=seq, pending=request))
        cut.cuts -= 1
        yield f"{what}, reply lost", cut
    if here.crashes and n:
        died = there.copy()
        died.crashes -= 1
        yield f"{what}, dies before the reply", _crash(died, n)
    yield f"{what} -> {_told(answer)}", _hear(world, there, n, request[0], answer, seq)


def _serve(there: Point, name: str, seq: int, request: tuple[Any, ...]) -> Any:
    """What the server does with a request."""
    last = there.model.memory.get(name)
    held = {(job.id, job.fence) for job in there.model.jobs.values()}
    try:
        answer = there.model.send(START_US, *request, lane=name, seq=seq)
    except WorkerLost:
        return None
    fresh = last is None or seq > last.seq
    for job_id in answer if fresh and request[0] in ("ack", "release") else ():
        if not held.intersection(receipt for receipt in request[1] if receipt.id == job_id):
            there.wrong = "a stale receipt is accepted"
        if request[0] == "ack":
            there.acked[job_id] = there.acked.get(job_id, 0) + 1
        else:
            there.starts_left[there.pushed[job_id]] += 1
    if request[0] == "push":
        there.pushed[answer.pushed[0].id] = request[1][0].payload
    return answer


def _hear(world: World, there: Point, n: int, name: str, answer: Any, seq: int) -> Point:
    """What an actor does with a reply."""
    actor = replace(there.actors[n], seq=seq, pending=None)
    if name == "push":
        return there.put(n, replace(actor, pushed=actor.pushed + 1))
    if name == "pop" and answer is None:
        return _respawn(there, n)
    given = handed_out(answer) if name == "pop" else []
    for delivery in given:
        there.starts_left[delivery.payload] -= 1
        if there.starts_left[delivery.payload] < 0:
            there.wrong = f"{delivery.payload!r} starts again though nobody died or froze with it"
    doomed = any(delivery.payload in world.poison for delivery in given)
    return there.put(n, replace(actor, receipts=tuple(d.receipt for d in given), doomed=doomed))


def _crash(there: Point, n: int) -> Point:
    """A worker process dies; another takes its place under a new name."""
    _excuse(there, there.actors[n].name)
    return _respawn(there, n)


def _respawn(there: Point, n: int) -> Point:
    there.born += 1
    name = f"w{there.born}"
    there.model.send(START_US, "start_work", name, OPTIONS, "host", 1, lane=name, seq=0)
    return there.put(n, Actor(name))


def _expire(there: Point, name: str, *, living: bool) -> Point:
    if living:
        there.freezes -= 1
        _excuse(there, name)
    there.model.workers[name].lease_end = there.model.tick - 1
    return there


def _excuse(there: Point, name: str) -> None:
    for job in there.model.running(name):
        there.starts_left[job.payload] += 1


def _told(answer: Any) -> str:
    return "lost" if answer is None else str([d.id for d in handed_out(answer)] or "ok")

"""Taking jobs: pop, ack_and_pop, claim, recover, resume."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import repeat
from typing import Literal

from limpet.commands.base import Arg, Command, Reply, as_bytes, command, loads, misread, number
from limpet.errors import WorkerLost
from limpet.keys import QueueKeys
from limpet.values import Claim, Delivery, Receipt, Tally

#: Values made from rows of their fields, without a look at the defaults of each.
_as_receipt = partial(tuple.__new__, Receipt)
_as_delivery = partial(tuple.__new__, Delivery)
#: The fields of a plain delivery behind its times.
_PLAIN = tuple(Delivery._field_defaults.values())

#: What a worker holds already: a suspect must not run beside another, a last chance runs alone.
Burden = Literal["none", "plain", "suspect", "alone"]


@dataclass(frozen=True, slots=True)
class Taken:
    """The answer to a pop: jobs, and what to do if there are too few."""

    deliveries: list[Delivery] = field(default_factory=list)
    #: Milliseconds until the next scheduled job is due; -1 if there is none.
    due_in_ms: int = -1
    #: Another call would find more at once.
    more: bool = False
    #: The worker must run empty first (for a job that has to run alone).
    draining: bool = False
    #: Keep house first, then ask again.
    tend: bool = False
    #: ack_and_pop: positions of receipts that were not acked.
    not_acked: frozenset[int] = frozenset()


def enqueued_at(job_id: str, facts: dict[str, object]) -> int:
    """Tell when a job was pushed: its id says it, unless the caller chose the id."""
    kept = facts.get("enqueued")
    if isinstance(kept, (int, float)):
        return int(kept)
    stem = job_id.partition("-")[0]
    return int(stem) if stem.isdigit() else 0


def _delivery(
    queue: str, fence: int, at: int, job_id: bytes, payload: bytes, raw: bytes
) -> Delivery:
    name = job_id.decode()
    receipt, facts = Receipt(name, fence), loads(raw)
    tally = facts.get("tally")
    return Delivery(
        queue,
        name,
        payload,
        receipt,
        enqueued_at(name, facts),
        started_at=number(facts, "started", at),
        delivered_at=at,
        deliveries=number(facts, "deliveries") + 1,
        crashes=number(facts, "crashes"),
        retries=number(facts, "retries"),
        lock=as_bytes(facts.get("lock")),
        tally=tally_of(tally) if isinstance(tally, dict) else None,
    )


def tally_of(kept: dict[str, object]) -> Tally:
    """Read how the members of a group ended."""
    return Tally(*[number(kept, word) for word in ("done", "failed", "cancelled")])


def deliveries(queue: str, handout: list[Reply]) -> list[Delivery]:
    """Read a hand-out: fence, time, ids, payloads, and facts (none at all for plain jobs)."""
    fence, at, ids, payloads, raws = int(handout[0]), int(handout[1]), *handout[2:]
    if raws:
        triples = zip(ids, payloads, raws, strict=True)
        return [_delivery(queue, fence, at, *triple) for triple in triples]
    if len(ids) != len(payloads):
        misread("pop", handout)
    return _plain_deliveries(queue, fence, at, [job_id.decode() for job_id in ids], payloads)


def _plain_deliveries(
    queue: str, fence: int, at: int, ids: list[str], payloads: list[bytes]
) -> list[Delivery]:
    """Make deliveries with nothing special about them: all at once, since there are many."""
    receipts = map(_as_receipt, zip(ids, repeat(fence)))
    enqueued = [int(job_id.partition("-")[0]) for job_id in ids]
    common = map(repeat, (at, at, *_PLAIN))
    rows = zip(repeat(queue), ids, payloads, receipts, enqueued, *common)
    return list(map(_as_delivery, rows))


@dataclass(frozen=True, slots=True)
class Shown:
    """Receipts as scripts want them: by hand-out, each its fence, how many ids, and the ids."""

    args: tuple[Arg, ...]
    #: Where each receipt, as it is sent, stood before.
    places: Sequence[int]

    def back(self, positions: list[int]) -> frozenset[int]:
        """Turn positions in what was sent into positions in what was given."""
        return frozenset([self.places[n - 1] for n in positions])


def show(receipts: list[Receipt]) -> Shown:
    """Lay receipts out by hand-out."""
    if len({receipt.fence for receipt in receipts}) == 1:
        ids = [receipt.id for receipt in receipts]
        return Shown((receipts[0].fence, len(ids), *ids), range(1, len(ids) + 1))
    handouts: dict[int, list[int]] = {}
    for place, receipt in enumerate(receipts, 1):
        handouts.setdefault(receipt.fence, []).append(place)
    args: list[Arg] = []
    for fence, places in handouts.items():
        args += (fence, len(places), *[receipts[place - 1].id for place in places])
    return Shown(tuple(args), tuple([n for places in handouts.values() for n in places]))


NOTHING = show([])


def _read_taken(queue: str, worker: str, reply: Reply, shown: Shown = NOTHING) -> Taken:
    match reply:
        case [b"popped", handout, due, more, draining, *rest]:
            jobs = deliveries(queue, handout)
            return Taken(jobs, due, more == 1, draining == 1, not_acked=_positions(rest, shown))
        case [b"none", due, more, draining, *rest]:
            return Taken([], due, more == 1, draining == 1, not_acked=_positions(rest, shown))
        case [b"paused", *rest]:
            return Taken(not_acked=_positions(rest, shown))
        case [b"tend", *rest]:
            return Taken(tend=True, not_acked=_positions(rest, shown))
        case [b"lost"]:
            raise WorkerLost(worker)
    misread("pop", reply)


def _positions(rest: list[Reply], shown: Shown) -> frozenset[int]:
    return shown.back(rest[0]) if rest and rest[0] else frozenset()


@dataclass(frozen=True, slots=True)
class Taker:
    """Who takes: the worker, what it holds, and the crash limit of the queue."""

    worker: str
    burden: Burden
    crash_limit: int


def pop(keys: QueueKeys, taker: Taker, count: int, *, tended: bool = False) -> Command[Taken]:
    """Take up to `count` jobs."""

    def read(reply: Reply) -> Taken:
        return _read_taken(keys.queue, taker.worker, reply)

    return command(
        "pop",
        keys,
        read,
        worker=taker.worker,
        count=count,
        burden=taker.burden,
        crash_limit=taker.crash_limit,
        tended="1" if tended else "",
    )


def ack_and_pop(
    keys: QueueKeys, taker: Taker, receipts: list[Receipt], count: int
) -> Command[Taken]:
    """End jobs as done and take new ones, in one step."""
    shown = show(receipts)

    def read(reply: Reply) -> Taken:
        return _read_taken(keys.queue, taker.worker, reply, shown)

    return command(
        "ack_and_pop",
        keys,
        read,
        worker=taker.worker,
        count=count,
        burden=taker.burden,
        crash_limit=taker.crash_limit,
        tail=shown.args,
    )


def claim(
    keys: QueueKeys, taker: Taker, timeout_ms: int, *, tended: bool = False
) -> Command[Claim | None]:
    """Take one job or see what the oldest running one does; None: keep house, then ask again."""

    def read(reply: Reply) -> Claim | None:
        match reply:
            case [b"ready", handout]:
                return Claim("READY", deliveries(keys.queue, handout)[0])
            case [b"timedout", handout]:
                return Claim("TIMEDOUT", deliveries(keys.queue, handout)[0])
            case [b"processing"]:
                return Claim("PROCESSING")
            case [b"none"] | [b"paused"]:
                return Claim("NONE")
            case [b"tend"]:
                return None
            case [b"lost"]:
                raise WorkerLost(taker.worker)
        misread("claim", reply)

    return command(
        "claim",
        keys,
        read,
        worker=taker.worker,
        burden=taker.burden,
        crash_limit=taker.crash_limit,
        timeout_ms=timeout_ms,
        tended="1" if tended else "",
    )


def _read_taken_over(queue: str, worker: str, reply: Reply) -> list[Delivery]:
    match reply:
        case [b"popped", handout]:
            return deliveries(queue, handout)
        case [b"none"]:
            return []
        case [b"lost"]:
            raise WorkerLost(worker)
    misread("recover", reply)


def recover(keys: QueueKeys, worker: str, count: int, older_ms: int) -> Command[list[Delivery]]:
    """Take over deliveries that are at least that old, oldest first."""

    def read(reply: Reply) -> list[Delivery]:
        return _read_taken_over(keys.queue, worker, reply)

    return command("recover", keys, read, worker=worker, count=count, older_ms=older_ms)


def resume(
    keys: QueueKeys, worker: str, receipt: Receipt, timeout_ms: int
) -> Command[Delivery | None]:
    """Take over one timed-out delivery."""

    def read(reply: Reply) -> Delivery | None:
        found = _read_taken_over(keys.queue, worker, reply)
        return found[0] if found else None

    return command(
        "resume",
        keys,
        read,
        worker=worker,
        id=receipt.id,
        fence=receipt.fence,
        timeout_ms=timeout_ms,
    )

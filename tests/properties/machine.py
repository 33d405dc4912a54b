"""The state machine: all operations in any order, on a real server and on the model.

Names are few, so that requests collide. Every rule ends in `Pair`, which compares the answers
and the whole worlds and looks at all invariants after each request.
"""

from typing import Any, ClassVar

import redis
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from limpet.commands.push import NewJob
from limpet.commands.take import Claim, Taken, Taker
from limpet.options import WorkerOptions
from limpet.states import State
from limpet.values import Delivery, Receipt
from tests.model.pair import Pair, Request

MANY_JOBS = 30
MS = 1000
WORKERS = ("w1", "w2", "w3")
PRODUCERS = ("p1", "p2")
OWN_IDS = ("x", "own-7")
OPTIONS = (
    WorkerOptions(heartbeat=1, lease=3),
    WorkerOptions(heartbeat=1, lease=10),
    WorkerOptions(heartbeat=1, lease=None),
)
#: Unique keys with the mode they are pushed with; the last one is pushed with either.
MARKS = ((b"=w", "waiting"), (b"=r", "running"), (b"=\xff", "waiting"), (b"=\xff", "running"))
#: Locks with their limit; the last one is pushed with either.
LOCKS = ((b"one", 1), (b"two\x00", 2), (b"\xff", 1), (b"\xff", 2))
STEPS_US = (1, MS, 50 * MS, 999 * MS, 1500 * MS, 5000 * MS, 11_000 * MS, 60_000 * MS, 3_600_000 * MS)
BACK_US = (-1, -MS, -2500 * MS, -3_600_000 * MS)

# Strategies

payloads = st.sampled_from((b"a", b"b", b"", b"\x00\xff"))
workers = st.sampled_from(WORKERS)
counts = st.integers(1, 5)
nth = st.integers(0, 11)
delays = st.sampled_from((0, 1, 700, 5000, 3_600_000))
ages = st.sampled_from((0, 1, 2000, 30_000))
burdens = st.sampled_from(("none", "none", "none", "plain", "suspect", "alone"))


def _rare(*values: Any) -> st.SearchStrategy[Any]:
    """None, more often than not."""
    return st.sampled_from((None,) * (2 * len(values)) + values)


def _new(payload: bytes, mark: Any, lock: Any, when: Any, **rest: Any) -> NewJob:
    unique, mode = mark or (None, None)
    key, limit = lock or (None, None)
    kind, ms = when or (None, None)
    return NewJob(
        payload,
        unique=unique,
        mode=mode,
        lock=key,
        limit=limit,
        delay_ms=ms if kind == "delay" else None,
        at_ms=ms if kind == "at" else None,
        **rest,
    )


new_jobs = st.builds(
    _new,
    payloads,
    _rare(*MARKS),
    _rare(*LOCKS),
    _rare(("delay", 0), ("delay", 900), ("delay", 60_000), ("at", -5), ("at", 3000)),
    twin=_rare("replace"),
    front=st.sampled_from((False, False, False, True)),
    id=_rare(*OWN_IDS),
)
plain_jobs = st.builds(NewJob, payloads)


class QueueMachine(RuleBasedStateMachine):
    """One queue, three workers, two producers, and everything that can happen to them."""

    client: ClassVar[redis.Redis]
    steps: ClassVar[int] = 0
    requests: ClassVar[int] = 0

    @initialize(crash_limit=st.sampled_from((3, 3, 2, 0)), dead_limit=st.sampled_from((2, 2, 0)))
    def begin(self, crash_limit: int, dead_limit: int) -> None:
        """Start with an empty server."""
        self.client.flushall()
        self.pair = Pair(self.client)
        self.pair.mixed_modes = True
        self.crash_limit, self.dead_limit = crash_limit, dead_limit
        self.receipts: list[Receipt] = [Receipt("1-1", 1)]
        self.history: list[Request] = []

    # Help

    def do(self, name: str, *args: Any, lane: str = "", **named: Any) -> Any:
        """Send a new request and keep it, to send it again some time."""
        if lane:
            self.pair.seqs[lane] += 1
        request = Request(name, args, named, lane, self.pair.seqs[lane])
        if lane:
            self.history = [*self.history[-40:], request]
        return self.send(request)

    def send(self, request: Request) -> Any:
        """Send a request and count it."""
        type(self).requests += 1
        answer = self.pair.send(request)
        match answer:
            case Taken(deliveries=given) | [*given]:
                found = [d for d in given if isinstance(d, Delivery)]
            case Claim(delivery=Delivery() as one) | (Delivery() as one):
                found = [one]
            case _:
                found = []
        self.receipts = [*self.receipts, *(d.receipt for d in found)][-12:]
        return answer

    def receipt(self, n: int) -> Receipt:
        """One of the last receipts, 0 is the newest."""
        return self.receipts[-1 - n % len(self.receipts)]

    def chosen(self, numbers: list[int]) -> list[Receipt]:
        """Some of the last receipts."""
        return [self.receipt(n) for n in numbers]

    def taker(self, worker: str, burden: str) -> Taker:
        """Describe who takes."""
        return Taker(worker, burden, self.crash_limit)  # type: ignore[arg-type]

    def id(self, n: int, state: State | None = None) -> str:
        """The id of some job (of a state), or of none."""
        ids = sorted(j.id for j in self.pair.model.jobs.values() if state in (None, j.state))
        return ids[n % len(ids)] if ids else "9-9"

    def counted(self) -> None:
        """Count a step."""
        type(self).steps += 1

    # Queueing

    @rule(jobs=st.lists(plain_jobs, min_size=1, max_size=4), lane=st.sampled_from(PRODUCERS))
    def push_plain(self, jobs: list[NewJob], lane: str) -> None:
        """Queue plain jobs."""
        if len(self.pair.model.jobs) > MANY_JOBS:
            jobs = jobs[:1]
        self.do("push", jobs, lane=lane)

    @rule(jobs=st.lists(new_jobs, min_size=1, max_size=3), lane=st.sampled_from(PRODUCERS))
    def push(self, jobs: list[NewJob], lane: str) -> None:
        """Queue jobs of all kinds."""
        if len(self.pair.model.jobs) > MANY_JOBS:
            jobs = jobs[:1]
        self.do("push", [self._timed(job) for job in jobs], lane=lane)

    def _timed(self, job: NewJob) -> NewJob:
        if job.at_ms is None:
            return job
        values = {name: getattr(job, name) for name in NewJob.__slots__}
        return NewJob(**{**values, "at_ms": self.pair.us // MS + job.at_ms})

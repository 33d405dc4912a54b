"""The state machine of flows: groups, chains, results, notes and unknown tasks in any order."""

from typing import Any, ClassVar

import redis
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from limpet.commands.push import NewJob
from limpet.commands.take import Taken, Taker
from limpet.options import WorkerOptions
from limpet.states import State
from limpet.values import Receipt
from tests.model.pair import Request
from tests.model.queue_model import handed_out
from tests.properties.flow_model import FlowModel
from tests.properties.flow_pair import FlowPair

MS = 1000
TASKS = ("a", "ab", "b|1:")
#: Each worker knows other tasks; nobody knows the last one but the one that clears up.
WORKERS = {"w1": (), "w2": ("a",), "w3": ("a", "ab")}
MANY_JOBS = 20

_nth = st.integers(0, 11)
_member = st.tuples(_nth, _nth, _nth)
_members = st.lists(_member, min_size=1, max_size=3)
MARKS = (None, None, None, (b"=w", "waiting"), (b"=r", "running"))
LOCKS = (None, None, b"one")
IDS = (None, None, None, "x", "y")
KEEPS = (None, 1000, 60_000)

ACTIONS: dict[str, tuple[int, tuple[Any, ...]]] = {
    "batch": (6, (_members, _member, st.integers(0, 1))),
    "chain": (5, (st.lists(_member, min_size=2, max_size=4),)),
    "single": (4, (_member, st.sampled_from((None, 700)))),
    "pop": (16, (_nth, st.integers(1, 3))),
    "ack_and_pop": (3, (_nth, st.lists(_nth, max_size=2))),
    "ack": (5, (st.lists(_nth, min_size=1, max_size=3),)),
    "complete": (5, (_nth, st.sampled_from((b"", b"42", b"\x00 \n\xff")))),
    "fail": (4, (_nth,)),
    "retry": (2, (_nth, st.sampled_from((0, 700)))),
    "release": (3, (st.lists(_nth, min_size=1, max_size=2), st.sampled_from((None, None, 700)))),
    "strand": (5, (_nth, st.sampled_from(TASKS))),
    "progress": (1, (_nth,)),
    "log": (1, (_nth, st.sampled_from(("", "l\u00ef\x00ne")))),
    "once": (3, (_nth, st.sampled_from(("1", "paid")))),
    "cancel": (5, (st.lists(_nth, min_size=1, max_size=3), st.sampled_from((None, *State)))),
    "kill": (4, (_nth,)),
    "stop_work": (1, (_nth,)),
    "start_work": (4, (_nth,)),
    "abandon": (1, ()),
    "revive": (2, (_nth,)),
    "purge": (1, (_nth,)),
    "drop": (1, (st.integers(0, 5),)),
    "pass_time": (4, (st.sampled_from((1, 700, 1500, 61_000)),)),
    "send_again": (4, (st.integers(0, 2),)),
}
_NAMES = tuple(name for name, (often, _) in ACTIONS.items() for _ in range(often))


@st.composite
def actions(draw: Any) -> tuple[Any, ...]:
    """One action."""
    name = draw(st.sampled_from(_NAMES))
    return (name, *(draw(arg) for arg in ACTIONS[name][1]))


class FlowMachine(RuleBasedStateMachine):
    """Everything that can happen to flows; the methods are the actions above."""

    client: ClassVar[redis.Redis]
    make_model: ClassVar[type[FlowModel]] = FlowModel
    steps: ClassVar[int] = 0

    @initialize(crash_limit=st.sampled_from((2, 1, 0)), dead_limit=st.sampled_from((3, 1, 0)))
    def begin(self, crash_limit: int, dead_limit: int) -> None:
        """Start with an empty server and all workers."""
        self.client.flushall()
        self.pair = FlowPair(self.client, self.make_model("flows"))
        self.crash_limit, self.dead_limit = crash_limit, dead_limit
        self.receipts = [Receipt("1-1", 1)]
        self.history: list[Request] = []
        self.groups = 0
        for worker in WORKERS:
            self._hire(worker)

    @rule(action=actions())
    def step(self, action: tuple[Any, ...]) -> None:
        """Let one thing happen."""
        name, *args = action
        getattr(self, name)(*args)
        self.pair.groups()
        type(self).steps += 1

    def teardown(self) -> None:
        """Whatever happened, one worker that knows all can end all that is left."""
        if not hasattr(self, "pair"):
            return
        for worker in list(self.pair.model.workers):
            self._do("stop_work", worker)
        options = WorkerOptions(heartbeat=1, lease=None, tasks=TASKS)
        self._do("start_work", "last", options, "host", 1)
        for _ in range(2 * MANY_JOBS + 30):
            if all(job.state is State.DEAD for job in self.pair.model.jobs.values()):
                break
            self.pair.advance(1000 * MS)
            self._tend()
            taken = self._do("pop", Taker("last", "none", self.crash_limit), 5, tended=True)
            self._do("ack", [d.receipt for d in taken.deliveries])
        self._do("purge", [], 100)
        self.pair.advance(100_000 * MS)
        self._tend()
        self.pair.verify()
        self.pair.at_rest()

    # Sending, and choosing what to send

    def _do(self, name: str, *args: Any, **named: Any) -> Any:
        self.pair.seqs["lane"] += 1
        request = Request(name, args, named, "lane", self.pair.seqs["lane"])
        self.history = [*self.history[-5:], request]
        answer = self.pair.send(request)
        self.receipts = [*self.receipts, *(d.receipt for d in handed_out(answer))][-8:]
        return answer

    def _tend(self) -> None:
        self._do("tend", self.crash_limit, self.dead_limit)

    def _hire(self, worker: str) -> None:
        options = WorkerOptions(heartbeat=1, lease=None, tasks=WORKERS[worker])
        self._do("start_work", worker, options, "host", 1)

    def _worker(self, n: int) -> str:
        alive = [name for name in WORKERS if not self.pair.model.is_lost(name)]
        if not alive:
            self._hire("w1")
        return alive[n % len(alive)] if alive else "w1"

    def _receipt(self, n: int) -> Receipt:
        valid = [Receipt(job.id, job.fence or 0) for job in self.pair.model.running()]
        known = valid if valid and n < 11 else self.receipts
        return known[n % len(known)]

    def _job(self, spec: tuple[int, int, int], **flow: Any) -> NewJob:
        mark, lock, rest = spec
        unique, mode = MARKS[mark % len(MARKS)] or (None, None)
        chosen = {"id": IDS[(mark + rest) % len(IDS)], "keep_ms": KEEPS[rest % len(KEEPS)]}
        key = LOCKS[lock % len(LOCKS)]
        return NewJob(b"p%d" % rest, unique=unique, mode=mode, lock=key, **chosen, **flow)

    def _push(self, jobs: list[NewJob]) -> None:
        if len(self.pair.model.jobs) < MANY_JOBS:
            self._do("push", jobs)

    def _group(self) -> str:
        self.groups += 1
        return f"g{self.groups}"

    # Actions

    def batch(self, specs: list[Any], then: Any, needs: int) -> None:
        """Queue some jobs and one that follows."""
        group = self._group()
        follower = self._job(then, after=group, needs=needs == 1)
        self._push([*(self._job(spec, group=group) for spec in specs), follower])

    def chain(self, specs: list[Any]) -> None:
        """Queue jobs of which each needs the one before."""
        jobs, before = [], None
        for spec in specs:
            group = self._group()
            jobs.append(self._job(spec, after=before, needs=before is not None, group=group))
            before = group
        self._push(jobs)

    def single(self, spec: Any, delay_ms: int | None) -> None:
        """Queue a job of no flow."""
        self._push([self._job(spec, delay_ms=delay_ms)])

    def pop(self, who: int, count: int) -> None:
        """Take jobs."""
        taker = Taker(self._worker(who), "none", self.crash_limit)
        taken = self._do("pop", taker, count)
        if isinstance(taken, Taken) and taken.tend:
            self._tend()
            self._do("pop", taker, count, tended=True)

    def ack_and_pop(self, who: int, numbers: list[int]) -> None:
        """End jobs and take one."""
        taker = Taker(self._worker(who), "none", self.crash_limit)
        self._do("ack_and_pop", taker, [self._receipt(n) for n in numbers], 1)

    def ack(self, numbers: list[int]) -> None:
        """End jobs as done."""
        self._do("ack", [self._receipt(n) for n in numbers])

    def complete(self, n: int, result: bytes) -> None:
        """End a job with a result."""
        self._do("complete", self._receipt(n), result)

    def fail(self, n: int) -> None:
        """End a job in failure."""
        self._do("fail", self._receipt(n), b"boom", self.dead_limit)

    def retry(self, n: int, delay_ms: int) -> None:
        """Schedule another attempt."""
        self._do("retry", self._receipt(n), delay_ms, b"again")

    def release(self, numbers: list[int], delay_ms: int | None) -> None:
        """Give jobs back."""
        self._do("release", [self._receipt(n) for n in numbers], delay_ms)

    def strand(self, n: int, task: str) -> None:
        """Set a job aside."""
        self._do("strand", self._receipt(n), task)

    def progress(self, n: int) -> None:
        """Tell how far it is."""
        self._do("progress", self._receipt(n), n / 16, f"step {n}")

    def log(self, n: int, line: str) -> None:
        """Write a line."""
        self._do("log", self._receipt(n), line)

    def once(self, n: int, effect: str) -> None:
        """Note an effect."""
        self._do("once", self._receipt(n), effect)

    def cancel(self, numbers: list[int], state: State | None) -> None:
        """Cancel jobs (of a state)."""
        jobs = self.pair.model.jobs.values()
        known = sorted(job.id for job in jobs if state in {None, job.state}) or ["9-9"]
        self._do("cancel", [known[n % len(known)] for n in numbers], None)

    def kill(self, who: int) -> None:
        """Let a worker die, if possible one that holds something."""
        busy = sorted({job.worker for job in self.pair.model.running() if job.worker})
        worker = busy[who % len(busy)] if busy else self._worker(who)
        self._do("fail_worker", worker)
        self._tend()

    def stop_work(self, who: int) -> None:
        """Let a worker leave."""
        self._do("stop_work", self._worker(who))

    def start_work(self, who: int) -> None:
        """Let a worker that is gone come back."""
        gone = [name for name in WORKERS if name not in self.pair.model.workers]
        if gone:
            self._hire(gone[who % len(gone)])

    def abandon(self) -> None:
        """Give up the last request."""
        request = Request("abandon", (), {}, "lane", self.pair.seqs["lane"])
        self.history = [*self.history, request]
        self.pair.send(request)

    def revive(self, n: int) -> None:
        """Give dead jobs another life."""
        dead = [job.id for job in self.pair.model.dead()]
        self._do("revive", [dead[n % len(dead)]] if dead and n else [], 1)

    def purge(self, n: int) -> None:
        """Forget dead jobs."""
        self._do("purge", [], 1 + n % 2)

    def drop(self, really: int) -> None:
        """Drop the queue, not too often."""
        if really == 5:
            self._do("drop")

    def pass_time(self, ms: int) -> None:
        """Let time pass, and keep house."""
        self.pair.advance(ms * MS)
        self._tend()

    def send_again(self, n: int) -> None:
        """Send one of the last requests again."""
        if self.history:
            self.pair.send(self.history[-1 - n % len(self.history)])

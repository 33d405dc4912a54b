"""Two and three clients: every order of their requests, compared with the model after each.

A script is atomic, so what clients can do to each other is the set of orders of their requests;
for short programs all of them can be tried. After each order the queue is emptied by a fresh
worker: whatever happened before, every job that is left can be taken and ended.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import pytest
import redis

from limpet.commands.push import NewJob
from limpet.commands.take import Taken, Taker
from limpet.options import WorkerOptions
from limpet.states import State
from limpet.values import Receipt
from tests.model.pair import Pair, Request
from tests.model.queue_model import handed_out

CRASH_LIMIT, DEAD_LIMIT = 3, 10
OPTIONS = WorkerOptions(heartbeat=1, lease=3)
PLAIN = NewJob(b"plain")
LATER = NewJob(b"later", delay_ms=500)
WAITING = NewJob(b"w", unique=b"=w", mode="waiting")
RUNNING = NewJob(b"r", unique=b"=r", mode="running")
NEWER = NewJob(b"newer", unique=b"=w", mode="waiting", twin="replace")
LOCKED = NewJob(b"l", lock=b"lock", limit=1)
NAMED = NewJob(b"n", id="named")

Program = tuple[Any, ...]


class Client:
    """One of those who use the queue: a producer and a worker in one, with its own lane."""

    def __init__(self, name: str, pair: Pair) -> None:
        self.name, self.pair = name, pair
        self.receipts: list[Receipt] = []
        self.last: Request | None = None
        self.created: Counter[str] = Counter()
        self.acked: Counter[str] = Counter()

    def do(self, name: str, *args: Any) -> Any:
        """Send a request and keep what it brought."""
        self.pair.seqs[self.name] += 1
        self.last = Request(name, args, {}, self.name, self.pair.seqs[self.name])
        answer = self.pair.send(self.last)
        self.receipts += [delivery.receipt for delivery in handed_out(answer)]
        return answer

    def step(self, word: Any) -> None:
        """Carry out one word of a program: push this job, or do what the word says."""
        if isinstance(word, NewJob):
            pushed = self.do("push", [word]).pushed
            self.created.update(job.id for job in pushed if job.created)
        elif isinstance(word, tuple):
            self.do(*word)
        elif word in self.REQUESTS:
            name, *args = self.REQUESTS[word](self)
            self.do(name, *args)
        else:
            getattr(self, f"_{word.replace(' ', '_')}")()

    @property
    def taker(self) -> Taker:
        """How this client introduces itself when it asks for jobs."""
        return Taker(self.name, "none", CRASH_LIMIT)

    @property
    def newest(self) -> Receipt:
        """The receipt of its last delivery."""
        return self.receipts[-1] if self.receipts else Receipt("1-1", 1)

    REQUESTS: ClassVar[dict[str, Callable[["Client"], Program]]] = {
        "pop": lambda c: ("pop", c.taker, 1),
        "claim": lambda c: ("claim", c.taker, 0),
        "release": lambda c: ("release", c.receipts, None),
        "put off": lambda c: ("release", c.receipts, 500),
        "fail": lambda c: ("fail", c.newest, b"boom", DEAD_LIMIT),
        "retry": lambda c: ("retry", c.newest, 500, b"boom"),
        "recover": lambda c: ("recover", c.name, 5, 0),
        "cancel": lambda c: ("cancel", sorted(c.pair.model.jobs), None),
        "drop": lambda c: ("drop",),
        "stop": lambda c: ("stop_work", c.name),
        "tend": lambda c: ("tend", CRASH_LIMIT, DEAD_LIMIT),
    }

    def _ack(self) -> None:
        self.acked.update(self.do("ack", self.receipts))

    def _again(self) -> None:
        self.pair.send(self.last or Request("beat", (self.name,)))

    def _time_passes(self) -> None:
        self.pair.advance(600_000)
        self.pair.do("beat", self.name)

    def _ack_and_pop(self) -> None:
        shown = list(self.receipts)
        taken = self.do("ack_and_pop", self.taker, shown, 1)
        if isinstance(taken, Taken):
            good = [r.id for n, r in enumerate(shown, 1) if n not in taken.not_acked]
            self.acked.update(set(good))


def orders(lengths: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Every order in which programs of these lengths can be mixed, as numbers of the clients."""
    if not any(lengths):
        yield ()
    for n, left in enumerate(lengths):
        if left:
            rest = (*lengths[:n], left - 1, *lengths[n + 1 :])
            yield from ((n, *order) for order in orders(rest))


def empty(pair: Pair) -> Counter[str]:
    """Let a fresh worker end all that is left; answers what it acked."""
    last = Client("last", pair)
    last.do("start_work", "last", OPTIONS, "host", 1)
    for name in [name for name in pair.model.workers if name != "last"]:
        last.do("stop_work", name)
    for _ in range(10):
        if all(job.state is State.DEAD for job in pair.model.jobs.values()):
            break
        pair.advance(600_000)
        last.step("tend")
        last.step("pop")
        last.step("ack")
    return last.acked


def play(plain: redis.Redis, first: Program, order: tuple[int, ...], programs: Any) -> None:
    """Run programs in one order and look at everything after each step."""
    plain.flushall()
    pair = Pair(plain, "orders")
    clients = [Client(f"c{n}", pair) for n in range(len(programs))]
    for client in clients:
        client.do("start_work", client.name, OPTIONS, "host", 1)
    for n, word in first:
        clients[n].step(word)
    todo = [iter(program) for program in programs]
    for n in order:
        clients[n].step(next(todo[n]))
    acked = sum((client.acked for client in clients), empty(pair))
    created = sum((client.created for client in clients), Counter[str]())

    stuck = [job for job in pair.model.jobs.values() if job.state is not State.DEAD]
    assert not stuck
    assert acked <= created, f"created {created}, acked {acked}"


SCENES: dict[str, tuple[Program, Program]] = {
    "two workers want the same job": (
        ((0, PLAIN),),
        (("pop", "ack"), ("pop", "ack"), ("pop", "release")),
    ),
    "jobs come and go": ((), ((PLAIN, LATER, PLAIN), ("pop", "ack_and_pop", "ack"), ("claim",))),
    "twins are pushed and taken, unique while waiting": (
        (),
        ((WAITING, WAITING), ("pop", "release"), (NEWER, "pop", "ack")),
    ),
    "twins are pushed and taken, unique until they ended": (
        (),
        ((RUNNING, RUNNING), ("pop", "release"), ("pop", "fail")),
    ),
    "twins come back": (
        ((0, WAITING), (0, "pop"), (1, WAITING), (1, "pop")),
        (("release", "pop"), ("put off", "time passes", "pop"), (WAITING, "cancel")),
    ),
    "a lock goes from hand to hand": (
        ((0, LOCKED), (0, LOCKED), (0, LOCKED)),
        (("pop", "ack", "pop"), ("pop", "release"), ("pop", "fail")),
    ),
    "the one who waits for a lock is cancelled": (
        ((0, LOCKED), (0, "pop"), (1, LOCKED), (1, "pop")),
        (("ack", LOCKED), ("cancel", LOCKED), ("pop", "stop")),
    ),
    "a delivery is taken over while its holder ends it": (
        ((0, PLAIN), (0, PLAIN), (0, "pop")),
        (("ack", "pop"), ("recover", "ack"), ("recover", "release")),
    ),
    "a worker dies while it works": (
        ((0, PLAIN), (0, LOCKED), (0, "pop"), (0, "pop")),
        (("ack", "pop"), (("fail_worker", "c0"), "tend"), ("tend", "pop", "ack")),
    ),
    "a job is cancelled while it runs": (
        ((0, NAMED), (0, "pop")),
        (("retry", "pop"), ("cancel", NAMED), ("recover", "ack")),
    ),
    "a reply is lost and the request sent again": (
        ((0, PLAIN), (0, PLAIN)),
        (("pop", "again", "ack", "again"), ("recover", "again", "ack")),
    ),
    "the queue is dropped in between": (
        ((0, WAITING),),
        (("pop", "again", "ack"), ("drop", WAITING), (WAITING, "pop")),
    ),
}


@pytest.mark.parametrize("scene", SCENES)
def test_every_order_of_requests_does_what_the_model_says(scene: str, plain: redis.Redis) -> None:
    """In whatever order requests arrive, nothing is stuck or acked twice, and the model agrees."""
    first, programs = SCENES[scene]

    for order in orders(tuple(map(len, programs))):
        play(plain, first, order, programs)


def test_all_orders_are_tried() -> None:
    """The orders are all there are, each once."""
    found = list(orders((3, 2, 2)))

    assert len(found) == len(set(found)) == 210

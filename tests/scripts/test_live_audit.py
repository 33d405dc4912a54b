"""verify.lua and repair.lua on a queue that is in use: no false alarm, nothing in the way."""

from random import Random
from typing import Any

import pytest

from limpet.commands import finish, manage, take, workers
from limpet.commands.push import NewJob
from limpet.commands.take import Taker
from limpet.flows import audit
from limpet.flows.base import Flow
from limpet.values import Delivery, Report
from tests.scripts.helpers import World, receipts
from tests.scripts.scenes import drain


class Traffic:
    """Producers and workers that do something at random."""

    def __init__(self, world: World, seed: int) -> None:
        """Start with three workers and a line longer than one step of an audit."""
        self.world, self.random = world, Random(seed)
        self.held: list[Delivery] = []
        self.names = ["w0", "w1", "w2"]
        self.count = 0  # of workers that died
        for name in self.names:
            world.start(name)
        world.push(*[b"%d" % n for n in range(450)])
        for _ in range(60):
            self.act()

    def act(self) -> None:
        """Do one thing."""
        self.world.now += self.random.randrange(20)
        acts = [
            *[self._push] * 6,
            *[self._pop] * 6,
            *[self._end] * 6,
            self._cancel,
            self._crash,
            self._tend,
            self._take_over,
        ]
        self.random.choice(acts)()

    def _push(self) -> None:
        number = self.random.randrange(12)
        jobs = [
            NewJob(b"plain"),
            NewJob(b"front", front=True),
            NewJob(b"own", id=f"own{number}"),
            NewJob(b"later", delay_ms=self.random.randrange(200)),
            NewJob(b"unique", unique=b"=w%d" % number, mode="waiting", lock=b"L%d" % (number % 3)),
            NewJob(b"unique", unique=b"=r%d" % number, mode="running"),
            NewJob(b"locked", lock=b"M%d" % (number % 2), limit=2),
        ]
        self.world.push(*self.random.choices(jobs, k=self.random.randrange(1, 5)))

    def _pop(self) -> None:
        worker = self.random.choice(self.names)
        count = self.random.randrange(1, 9)
        self.held += self.world.pop(count, worker, self.random.choice(["none", "plain"]))

    def _some(self) -> list[Delivery]:
        self.random.shuffle(self.held)
        size = self.random.randrange(1, 6)
        some, self.held = self.held[:size], self.held[size:]
        return some

    def _end(self) -> None:
        some, keys, run = self._some(), self.world.keys, self.world.run
        match self.random.randrange(6):
            case 0:
                run(finish.release(keys, receipts(*some), None))
            case 1:
                run(finish.release(keys, receipts(*some), self.random.randrange(100)))
            case 2:
                for delivery in some:
                    run(finish.fail(keys, delivery.receipt, b"no", 5))
            case 3:
                for delivery in some:
                    run(finish.retry(keys, delivery.receipt, self.random.randrange(100), b"no"))
            case _:
                run(finish.ack(keys, receipts(*some)))

    def _cancel(self) -> None:
        jobs = sorted(self.world.store.hkeys(self.world.keys["jobs"]))
        some = self.random.sample(jobs, min(len(jobs), 5))
        self.world.run(manage.cancel(self.world.keys, [i.decode() for i in some], None))

    def _crash(self) -> None:
        worker = self.names.pop(0)
        self.world.run(workers.fail_worker(self.world.keys, worker))
        self.count += 1
        self.names.append(f"w{2 + self.count}")
        self.world.start(self.names[-1])

    def _tend(self) -> None:
        self.world.run(workers.tend(self.world.keys, 3, 5, 4))

    def _take_over(self) -> None:
        keys, run = self.world.keys, self.world.run
        self.held += run(take.recover(keys, self.random.choice(self.names), 3, 50))
        run(take.ack_and_pop(keys, Taker(self.random.choice(self.names), "none", 3), [], 2))


def meanwhile(traffic: Traffic, flow: Flow[Report]) -> Report:
    """Go through a flow, with traffic between any two steps."""
    answer: Any = None
    while True:
        try:
            command = flow.send(answer)
        except StopIteration as end:
            return end.value
        answer = traffic.world.run(command)
        traffic.act()


@pytest.mark.parametrize("seed", range(12))
def test_a_queue_in_use_has_no_problems(world: World, seed: int) -> None:
    """Whatever happens between two steps, every step sees a state in order."""
    traffic = Traffic(world, seed)

    found = meanwhile(traffic, audit.verify(world.keys))
    mended = meanwhile(traffic, audit.repair(world.keys))

    assert found.problems == ()
    assert mended.problems == ()


@pytest.mark.parametrize("seed", range(12))
def test_a_queue_in_use_is_mended(world: World, seed: int) -> None:
    """Repair finds lost jobs under traffic; afterwards all is well and each comes out once."""
    traffic = Traffic(world, 100 + seed)
    random, store, keys = traffic.random, world.store, world.keys
    for _ in range(5):
        size = store.llen(keys["waiting"])
        store.lrem(keys["waiting"], 1, store.lindex(keys["waiting"], random.randrange(size)))
    for key in ("leases", "unique", "locks", "front"):
        store.delete(keys[key])

    meanwhile(traffic, audit.repair(keys))

    assert world.drive(audit.verify(keys)).problems == ()
    jobs = {i.decode() for i in store.hkeys(keys["jobs"])}
    told = {i.decode() for i in store.smembers(keys["cancelled"])}
    came = drain(world)
    assert set(came.values()) == {1}
    assert len(jobs - told - came.keys()) <= world.stats().merged

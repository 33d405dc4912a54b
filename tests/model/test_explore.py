"""Everything that can happen in small worlds, and faults of the design that this would find."""

import os
from dataclasses import replace
from typing import Any

import pytest

from limpet.commands.push import NewJob
from limpet.commands.workers import Tended
from limpet.states import State
from limpet.values import Receipt
from tests.model.explorer import explore
from tests.model.moves import Job
from tests.model.queue_model import QueueModel
from tests.model.small_world import World

ONE, TWO = (NewJob(b"a"),), (NewJob(b"a"), NewJob(b"b"))
LOCKED = tuple(NewJob(payload, lock=b"lock") for payload in (b"a", b"b"))
POISON = frozenset({b"poison"})
BAD_NEIGHBOUR = (NewJob(b"a"), NewJob(b"poison"), NewJob(b"b"))

WORLDS = {
    "one job, lost replies, a death": World(ONE, cuts=2, crashes=1),
    "one job, a lost reply, a death, a slow worker": World(ONE, cuts=1, crashes=1, freezes=1),
    "one job, a worker that is slow twice": World(ONE, cuts=1, freezes=2),
    "two jobs, a lost reply, a death": World(TWO, cuts=1, crashes=1),
    "two jobs, a lost reply, a slow worker": World(TWO, cuts=1, freezes=1),
    "two jobs at once": World(TWO, cuts=1, crashes=1, count=2),
    "a lock, a lost reply, a death": World(LOCKED, cuts=1, crashes=1),
    "a lock, a slow worker": World(LOCKED, freezes=2),
    "a job that kills its worker": World(BAD_NEIGHBOUR, count=3, poison=POISON),
    "a job that kills its worker, one worker": World(
        BAD_NEIGHBOUR, workers=1, cuts=1, count=3, poison=POISON
    ),
}
#: Visited only in a soak: some 30,000 states.
LARGE = {
    "two jobs, a death, a slow worker": World(TWO, crashes=1, freezes=1),
    "two jobs, everything": World(TWO, cuts=1, crashes=1, freezes=1),
}


@pytest.mark.parametrize("name", [*WORLDS, *(LARGE if "LIMPET_STEPS" in os.environ else ())])
def test_no_order_of_faults_breaks_a_promise(name: str) -> None:
    """Nothing is lost, acked twice, started too often, out of place or stuck, in any state."""
    found = explore({**WORLDS, **LARGE}[name])

    assert not found.wrong, "\n".join([found.wrong, *found.way])
    assert found.states > 30


# Faults of the design: each is one line that a protocol could get wrong.


class AckWithoutFence(QueueModel):
    """Whoever once had the job may end it."""

    def holds(self, receipt: Receipt) -> bool:
        """Look at the job only."""
        job = self.jobs.get(receipt.id)
        return job is not None and job.fence is not None


class AckByAnybody(QueueModel):
    """A delete by id: the job ends whatever it does meanwhile."""

    def holds(self, receipt: Receipt) -> bool:
        """Look whether the job is there."""
        return receipt.id in self.jobs

    def end_delivery(self, job: Job) -> bool:
        """Let the job end from any state."""
        job.state = State.RUNNING
        return super().end_delivery(job)


class YesToAll(QueueModel):
    """An ack is answered with yes, whatever it did."""

    def ack(self, receipts: list[Receipt]) -> list[str]:
        """Say yes."""
        super().ack(receipts)
        return [receipt.id for receipt in receipts]


class ForgetfulPop(QueueModel):
    """A pop sent again takes again."""

    def send(self, us: int, name: str, *args: Any, **named: Any) -> Any:
        """Remember nothing of pops."""
        if name == "pop":
            self.memory.pop(named["lane"], None)
        return super().send(us, name, *args, **named)


class ForgetfulPush(QueueModel):
    """A push sent again pushes again."""

    def send(self, us: int, name: str, *args: Any, **named: Any) -> Any:
        """Remember nothing of pushes."""
        if name == "push":
            self.memory.pop(named["lane"], None)
        return super().send(us, name, *args, **named)


class CountlessCrashes(QueueModel):
    """Deaths are not counted."""

    def put_back(self, job: Job, verb: str) -> None:
        """Forget how often it crashed."""
        job.crashes = 0
        super().put_back(job, verb)


class NoSuspects(QueueModel):
    """Jobs whose worker died are handed out together with others."""

    def take(self, taker: Any, count: int) -> tuple[list[Job], bool]:
        """Take whatever comes."""
        got = [job for job in self.line()[:count] if self.take_one(job)]
        return got, False


class UnlockCallsNobody(QueueModel):
    """The lock is freed, but who waits for it is not told."""

    def call_next(self, lock: bytes) -> None:
        """Do nothing."""


class BackToTheTail(QueueModel):
    """What comes back goes to the end of the line."""

    def line_up(self, job: Job, verb: str) -> None:
        """Give it a new place."""
        super().line_up(job, verb)
        job.returned, job.place = False, self.mint(1) + 1


class SweepLosesJobs(QueueModel):
    """The dead worker is cleared away first, its jobs by somebody who may not come."""

    def tend(self, crash_limit: int, dead_limit: int, limit: int = 100) -> Tended:
        """Only clear the worker away."""
        for name in self.expired():
            del self.workers[name]
        return Tended(0, 0, more=False)


class AgeIsDeath(QueueModel):
    """A job that runs for long is taken from a living worker at the next look."""

    def tend(self, crash_limit: int, dead_limit: int, limit: int = 100) -> Tended:
        """Return everything that runs, whoever holds it."""
        for job in self.running():
            if self.end_delivery(job):
                self.put_back(job, "return")
        return super().tend(crash_limit, dead_limit, limit)


MUTANTS: list[tuple[type[QueueModel], str, str]] = [
    (AckWithoutFence, "one job, a lost reply, a death, a slow worker", "stale receipt"),
    (AckByAnybody, "one job, a lost reply, a death, a slow worker", "stale receipt"),
    (YesToAll, "one job, a worker that is slow twice", "stale receipt"),
    (ForgetfulPop, "two jobs, a lost reply, a death", "stuck"),
    (ForgetfulPush, "two jobs, a lost reply, a death", "starts again"),
    (CountlessCrashes, "a job that kills its worker", "stuck"),
    (NoSuspects, "a job that kills its worker", "given up for its neighbour"),
    (UnlockCallsNobody, "a lock, a lost reply, a death", "stuck"),
    (BackToTheTail, "two jobs, a lost reply, a death", "not at its place"),
    (SweepLosesJobs, "one job, lost replies, a death", "stuck"),
    (AgeIsDeath, "two jobs, a lost reply, a slow worker", "starts again"),
]


@pytest.mark.parametrize(
    ("mutant", "name", "wrong"), MUTANTS, ids=[mutant[0].__name__ for mutant in MUTANTS]
)
def test_a_fault_of_the_design_is_found(mutant: type[QueueModel], name: str, wrong: str) -> None:
    """An exploration of the same worlds finds what each wrong protocol would do."""
    found = explore(replace(WORLDS[name], model=mutant))

    assert wrong in found.wrong, found

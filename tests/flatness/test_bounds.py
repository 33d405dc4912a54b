"""Bounded work: one call touches a bounded number of jobs, however many need it."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from limpet.commands import explain, finish, manage, take, workers
from limpet.commands.take import Taker
from limpet.tasks.standing import Standing
from limpet.values import Receipt
from tests.flatness.counting import KEYS, Bench
from tests.support.servers import Server

FEW, MANY = 300, 10_000
TAKER = Taker("bench", "plain", 3)


@pytest.fixture(scope="module")
def ground() -> Iterator[Server]:
    """A server of its own, so that nobody else is counted."""
    running = Server().start()
    yield running
    running.remove()


def both(server: Server, work: Any) -> list[Counter[str]]:
    """Do the same on a few and on many jobs; answers what was called each time."""
    found = []
    with server.client() as plain:
        for jobs in (FEW, FEW, MANY):
            bench = Bench(server.url, plain)
            work(bench, jobs)
            bench.close()
            found.append(bench.counts["it"])
    return found[1:]


def tend_due_jobs(bench: Bench, jobs: int) -> None:
    """Bring in jobs that are due."""
    bench.push(jobs, delay_ms=1)
    bench.link.at_us = str((int(bench.plain.time()[0]) + 60) * 1_000_000)
    tended = bench.count("it", workers.tend(KEYS, 3, 1000))
    assert (tended.promoted, tended.more) == (100, True)


def tend_a_dead_worker(bench: Bench, jobs: int) -> None:
    """Return what a dead worker held."""
    bench.push(jobs)
    bench.pop(jobs, 50)
    bench.send(workers.fail_worker(KEYS, "bench"))
    tended = bench.count("it", workers.tend(KEYS, 3, 1000))
    assert (tended.returned, tended.more) == (100, True)


def leave(bench: Bench, jobs: int) -> None:
    """Say goodbye with full hands."""
    bench.push(jobs)
    bench.pop(jobs, 50)
    finished, returned = bench.count("it", workers.stop_work(KEYS, "bench"))
    assert (finished, returned) == (False, 100)


def take_over(bench: Bench, jobs: int) -> None:
    """Take over what others have held for too long."""
    bench.push(jobs)
    bench.pop(jobs, 5, worker="other")
    assert len(bench.count("it", take.recover(KEYS, "bench", 100, 0))) == 100


def park(bench: Bench, jobs: int) -> list[Receipt]:
    """Take one job and let all others wait for its lock."""
    bench.push(jobs + 1, lock=b"door")
    (holder,) = bench.pop(1, 1)
    while bench.send(take.pop(KEYS, TAKER, 1)).more:
        pass
    return [holder]


def call_the_next(bench: Bench, jobs: int) -> None:
    """End the holder of a lock that many wait for."""
    bench.count("it", finish.ack(KEYS, park(bench, jobs)))


def meet_a_held_lock(bench: Bench, jobs: int) -> None:
    """Take from a line in which every job must be parked."""
    bench.push(jobs + 1, lock=b"door")
    bench.pop(1, 1)
    taken = bench.count("it", take.pop(KEYS, TAKER, 1))
    assert (taken.deliveries, taken.more) == ([], True)


def skip_cancelled_jobs(bench: Bench, jobs: int) -> None:
    """Take from a line whose first jobs were cancelled, behind one that was not."""
    ids = bench.push(jobs)
    for first in range(1, jobs - 1, 1000):
        bench.send(manage.cancel(KEYS, ids[first : min(first + 1000, jobs - 1)], None))
    bench.pop(1, 1)
    taken = bench.count("it", take.pop(KEYS, TAKER, 1))
    assert (taken.deliveries, taken.more) == ([], True)


def explain_the_last(bench: Bench, jobs: int) -> None:
    """Say why the last of a long line does not run."""
    *_, last = bench.push(jobs)
    standing = bench.count("it", explain.explain(KEYS, last))
    assert isinstance(standing, Standing)
    assert standing.position == jobs


def explain_a_parked_one(bench: Bench, jobs: int) -> None:
    """Say why a job does not run whose lock many wait for."""
    (holder,) = park(bench, jobs)
    *_, last = bench.push(1, lock=b"door")
    bench.send(take.pop(KEYS, TAKER, 1))
    standing = bench.count("it", explain.explain(KEYS, last))
    assert isinstance(standing, Standing)
    assert (standing.before, standing.holders[0].id) == (jobs, holder.id)


@pytest.mark.parametrize(
    "work",
    [
        tend_due_jobs,
        tend_a_dead_worker,
        leave,
        take_over,
        call_the_next,
        meet_a_held_lock,
        skip_cancelled_jobs,
        explain_the_last,
        explain_a_parked_one,
    ],
    ids=lambda work: work.__name__,
)
def test_one_call_does_a_bounded_piece(ground: Server, work: Any) -> None:
    """The server calls the same commands, as often, for three hundred jobs and ten thousand."""
    few, many = both(ground, work)

    assert dict(many) == dict(few)
    assert many.total() < 3000

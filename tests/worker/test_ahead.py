"""A busy worker with many slots takes one half while the other one runs."""

import asyncio
from collections import Counter
from typing import Any

import pytest

from limpet.app.app import App
from limpet.worker.shift import Shift
from tests.support.waiting import wait_until
from tests.worker import apps
from tests.worker.apps import gate, seen
from tests.worker.conftest import Working

SLOTS = 100
JOBS = 6_000


def queue_of(app: App) -> Any:
    """Get the queue of the tests."""
    return app.limpet.queue("default")


@pytest.mark.parametrize("task", [apps.wait, apps.wait_in_thread])
def test_all_slots_are_filled_and_no_more(app: App, work: Working, task: Any) -> None:
    """What is taken ahead is for slots that are free."""
    app.enqueue_many([task.item() for _ in range(3 * SLOTS)])

    with work(queues="default", concurrency=SLOTS):
        wait_until(lambda: seen.count("begun") == SLOTS)
        stats = queue_of(app).stats()
        assert (stats.running, stats.waiting) == (SLOTS, 2 * SLOTS)
        gate.set()
        wait_until(lambda: queue_of(app).stats().completed == 3 * SLOTS)

    assert seen.count("ended") == 3 * SLOTS


def ran() -> Counter[int]:
    """Count how often each number was told."""
    told = (what[0] if isinstance(what, tuple) else what for what in seen)
    return Counter(what for what in told if isinstance(what, int))


@pytest.mark.parametrize("now", [False, True])
@pytest.mark.parametrize("task", [apps.tell, apps.tell_from_thread])
@pytest.mark.parametrize("after", [1, 777, 2_500])
def test_a_worker_that_stops_at_full_speed_loses_nothing(
    app: App, work: Working, task: Any, after: int, *, now: bool
) -> None:
    """What was taken ahead is run or given back; one that was stopped now may run once more."""
    app.enqueue_many([task.item(number) for number in range(JOBS)])

    with work(queues="default", concurrency=SLOTS) as helper:
        wait_until(lambda: ran().total() >= after)
        assert helper.stop(now=now) == 0

    stats = queue_of(app).stats()
    assert (stats.running, stats.workers) == (0, 0)
    assert stats.completed + stats.waiting == JOBS
    with work(queues="default", concurrency=SLOTS):
        wait_until(lambda: queue_of(app).stats().completed == JOBS)
    assert ran().keys() == set(range(JOBS))
    assert now or ran().total() == JOBS


class Started:
    """Notes what is begun."""

    def __init__(self) -> None:
        """Start with nothing."""
        self.begun: list[Any] = []

    def begin_all(self, jobs: list[Any]) -> None:
        """Note jobs."""
        self.begun += jobs


async def test_jobs_that_come_in_the_moment_of_the_stop_are_begun() -> None:
    """Their taking had ended when it was called off: nobody else would hear of them."""
    shift: Any = Shift.__new__(Shift)
    shift.bench = Started()

    async def take() -> list[str]:
        return ["a", "b"]

    taking = asyncio.create_task(take())
    await asyncio.sleep(0)
    await shift._call_off(taking)

    assert shift.bench.begun == ["a", "b"]

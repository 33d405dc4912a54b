"""A slow or a huge job is no burden for its neighbours."""

import itertools
import time
from collections.abc import Iterator
from typing import Any

import pytest
import redis

from limpet.app.app import App
from tests.support.waiting import wait_until
from tests.worker import apps
from tests.worker.apps import gate, seen
from tests.worker.conftest import Working

QUICK = 2_000
QUICK_IN_PROCESS = 200
LEASE_S = 1.5
#: A lease with less than this left is about to run out. One that does is renewed when its worker
#: takes a job: to see it at 0 would be luck.
LEAST_MS = 300
#: The largest payload allowed is 1 MiB; this leaves room for the name of the task.
MEGABYTE = 1_000_000
#: How many of them may wait at a time: the server's memory is not the question here.
WAITING = 40


def queue_of(app: App) -> Any:
    """Get the queue of the tests."""
    return app.limpet.queue("default")


@pytest.mark.parametrize("slots", [2, 50])
@pytest.mark.parametrize(
    ("slow", "quick"),
    [
        (apps.wait, apps.tell),
        (apps.wait_in_thread, apps.tell_from_thread),
        (apps.wait_in_thread, apps.tell),
        (apps.wait, apps.tell_from_thread),
    ],
)
def test_a_slow_job_takes_its_own_slot_only(
    app: App, work: Working, slow: Any, quick: Any, slots: int
) -> None:
    """All that came after it are done and acked while it still runs."""
    slow.enqueue()
    app.enqueue_many([quick.item(number) for number in range(QUICK)])

    with work(queues="default", concurrency=slots):
        wait_until(lambda: queue_of(app).stats().completed == QUICK, within=60)
        assert "begun" in seen
        assert "ended" not in seen
        assert queue_of(app).stats().running == 1
        gate.set()
        wait_until(lambda: queue_of(app).stats().completed == QUICK + 1)


def test_a_slow_job_in_a_process_takes_its_own_slot_only(
    app: App, work: Working, plain: redis.Redis
) -> None:
    """The other process goes through all the others meanwhile."""
    apps.wait_in_process.enqueue()
    app.enqueue_many([apps.multiply.item(number, 1) for number in range(QUICK_IN_PROCESS)])

    with work(queues="default", concurrency=2):
        wait_until(lambda: queue_of(app).stats().completed == QUICK_IN_PROCESS, within=60)
        assert len(apps.said(plain)) == 1
        assert queue_of(app).stats().running == 1


class Heads(list[str]):
    """Keeps only the beginnings of what is said: megabytes are not worth remembering."""

    def append(self, what: Any) -> None:
        """Keep eight letters; those in threads say where they are too."""
        super().append((what if isinstance(what, str) else what[0])[:8])


def texts() -> Iterator[str]:
    """Make texts of a megabyte, each of them another one."""
    return (f"{number:08}".ljust(MEGABYTE, "x") for number in itertools.count())


def lease_left(app: App, worker: str) -> int:
    """Say how many ms of a worker's lease are left; 0 for a worker that is gone."""
    return sum(view.lease_left_ms or 0 for view in app.limpet.workers() if view.id == worker)


def keep_busy(app: App, task: Any, worker: str) -> tuple[int, int]:
    """Send megabytes for three leases; answers how many, and the least that a lease had left."""
    made, pushed, least = texts(), 0, lease_left(app, worker)
    end = time.monotonic() + 3 * LEASE_S
    while time.monotonic() < end:
        least = min(least, lease_left(app, worker))
        if queue_of(app).stats().waiting < WAITING:
            app.enqueue_many([task.item(next(made)) for _ in range(10)])
            pushed += 10
    return pushed, least


@pytest.mark.parametrize("task", [apps.tell, apps.tell_from_thread])
def test_megabytes_do_not_stall_the_heartbeat(
    app: App, work: Working, monkeypatch: pytest.MonkeyPatch, task: Any
) -> None:
    """They come without a pause for three leases; none runs out, and each job runs once."""
    queue, heads = queue_of(app), Heads()
    monkeypatch.setattr(apps, "seen", heads)

    with work(queues="default", concurrency=10, lease=LEASE_S, heartbeat="300ms") as helper:
        wait_until(lambda: queue.stats().workers == 1)
        first = str(helper.worker.id)
        pushed, least = keep_busy(app, task, first)
        wait_until(lambda: queue.stats().completed == pushed, within=60)

        assert least > LEAST_MS
        assert helper.worker.id == first
    assert pushed > WAITING
    assert queue.stats().recovered == 0
    assert sorted(heads[1:-1]) == [f"{number:08}" for number in range(pushed)]

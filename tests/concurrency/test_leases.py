"""Death, not slowness: a living worker keeps its jobs; one that leaves gives them back at once."""

from collections.abc import Callable
from typing import Any

import pytest
import redis

from tests.concurrency import roles
from tests.concurrency.calls import Call, wait_for_blocked
from tests.concurrency.crew import Crew
from tests.support.flavours import Loop, open_limpet
from tests.support.servers import Server
from tests.support.waiting import wait_until


@pytest.mark.slow
def test_a_job_of_ten_leases_starts_once(loop: Loop, server: Server, plain: redis.Redis) -> None:
    """While others look for work all the time, living workers keep their jobs for ten leases."""
    options = {"heartbeat": 0.1, "lease": 0.6}
    holders = [open_limpet(flavour, loop, server.url, **options) for flavour in ("sync", "async")]
    other = open_limpet("sync", loop, server.url, **options)
    holders[0].queue("mail").push_many([b"long", b"long"])
    held = [holder.queue("mail").pop()[0] for holder in holders]

    def ticks() -> int:
        return int(plain.hget("limpet:{mail}:clock", "tick") or 0)

    end = ticks() + 10 * 600
    while ticks() < end:
        assert other.queue("mail").pop(wait=0.1) == []

    for holder, delivery in zip(holders, held, strict=True):
        assert holder.queue("mail").ack(delivery) == [delivery.id]
    stats = other.queue("mail").stats()
    assert (stats.completed, stats.recovered) == (2, 0)
    for client in (*holders, other):
        client.close()


def test_work_of_a_killed_worker_returns_to_its_place(
    connect: Callable[..., Any], plain: redis.Redis, server: Server, crew: Crew
) -> None:
    """After the lease of a killed process its jobs are first in line again, in their old order."""
    client = connect(heartbeat=0.1, lease=0.8)
    queue = client.queue("mail")
    ids = [p.id for p in queue.push_many([b"%d" % n for n in range(6)])]
    process = crew.hire(roles.hold, "doomed", server.url, {"heartbeat": 0.1, "lease": 0.8}, 3)
    wait_until(lambda: plain.llen("held") == 4)

    crew.kill(process)
    client.start_work("mail")
    wait_until(lambda: queue.stats().recovered == 3)

    assert [view.id for view in queue.inspect(0, 10)] == ids
    assert [view.crashes for view in queue.inspect(0, 10)] == [1, 1, 1, 0, 0, 0]


def test_closing_gives_jobs_back_at_once(connect: Callable[..., Any], plain: redis.Redis) -> None:
    """close() returns what is held to the front in order, counts no crash, and wakes who waits."""
    slow = {"heartbeat": 100, "lease": 1000}
    leaving, staying = connect(**slow), connect(**slow)
    ids = [p.id for p in leaving.queue("mail").push_many([b"%d" % n for n in range(3)])]
    leaving.queue("mail").pop(count=3)
    call = Call(staying.queue("mail").pop, count=5, wait=30)
    wait_for_blocked(plain, 1)

    leaving.close()

    assert [(d.id, d.crashes, d.deliveries) for d in call.result()] == [(i, 0, 2) for i in ids]
    assert staying.queue("mail").stats().workers == 1

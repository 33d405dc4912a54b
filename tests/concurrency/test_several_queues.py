"""One pop over several queues: strictly in order, filled from all, woken by any."""

from collections.abc import Callable
from typing import Any

import pytest
import redis

from tests.concurrency.calls import Call, calls_of, wait_for_blocked

SLOW = {"heartbeat": 100, "lease": 1000}
NAMES = ("high", "middle", "low")


def test_queues_are_served_strictly_in_order(connect: Callable[..., Any]) -> None:
    """All of the first queue, then all of the next, whatever came first."""
    client = connect()
    for name in reversed(NAMES):
        client.queue(name).push_many([f"{name} {n}" for n in range(3)])

    taken = client.pop(*NAMES, count=7)
    rest = client.pop(*NAMES, count=7)

    assert [d.payload.decode() for d in taken + rest] == [
        f"{name} {n}" for name in NAMES for n in range(3)
    ]
    assert (len(taken), len(rest)) == (7, 2)


def test_a_parked_job_does_not_hold_up_the_next_queue(connect: Callable[..., Any]) -> None:
    """Jobs whose lock is held are skipped, and the next queue fills the rest."""
    client = connect()
    client.queue("high").push_many([b"a", b"b"], lock="door")
    client.queue("low").push(b"c")

    taken = client.pop(*NAMES, count=5)

    assert [d.payload for d in taken] == [b"a", b"c"]


@pytest.mark.parametrize("name", NAMES)
def test_any_queue_wakes(connect: Callable[..., Any], plain: redis.Redis, name: str) -> None:
    """Who waits on several queues is woken by each of them, with one look."""
    client, producer = connect(**SLOW), connect(**SLOW)
    call = Call(client.pop, *NAMES, wait=30)
    wait_for_blocked(plain, 1)
    producer.queue(name).push(b"a")
    assert [d.queue for d in call.result()] == [name]
    again = Call(client.pop, *NAMES, wait=30)
    wait_for_blocked(plain, 1)
    before = calls_of(plain, "evalsha", "eval")

    producer.queue(name).push(b"b")

    assert [d.payload for d in again.result()] == [b"b"]
    assert calls_of(plain, "evalsha", "eval") - before == 2


def test_work_in_two_queues_is_not_stranded(
    connect: Callable[..., Any], plain: redis.Redis
) -> None:
    """Two who wait on both queues get one job each when both queues get one at once."""
    calls = [Call(connect(**SLOW).pop, *NAMES, wait=30) for _ in range(2)]
    producer = connect(**SLOW)
    wait_for_blocked(plain, 2)

    producer.queue("low").push(b"a")
    producer.queue("high").push(b"b")

    taken = sorted(d.payload for call in calls for d in call.result())
    assert taken == [b"a", b"b"]

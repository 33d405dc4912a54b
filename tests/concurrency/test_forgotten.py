"""A server that lost its last writes, as in a failover: what it forgot does not stay stuck."""

from collections.abc import Callable
from typing import Any

import pytest
import redis

from tests.support.waiting import wait_until

PREFIX = "limpet:{mail}:"


def snapshot(plain: redis.Redis) -> dict[Any, Any]:
    """Copy all keys of the queue."""
    return {key: plain.dump(key) for key in plain.keys(f"{PREFIX}*")}


def go_back(plain: redis.Redis, copy: dict[Any, Any]) -> None:
    """Bring the queue back to an earlier state, and cut all connections as a new primary does."""
    with plain.pipeline() as step:
        step.delete(*plain.keys(f"{PREFIX}*"))
        for key, value in copy.items():
            step.restore(key, 0, value)
        step.execute()
    plain.client_kill_filter(_type="normal", skipme=True)


def test_a_forgotten_ack_does_not_leave_a_job_stuck(
    connect: Callable[..., Any], plain: redis.Redis
) -> None:
    """Jobs that ended by the worker's memory but run by the server's come back after a lease.

    What the same worker really holds stays with it, and so does its lock.
    """
    client, other = connect(heartbeat=0.1, lease=0.8), connect(heartbeat=0.1, lease=0.8)
    mine, theirs = client.queue("mail"), other.queue("mail")
    mine.push_many([b"a", b"b"], lock="door")
    mine.push(b"c")
    done, held = mine.pop(count=3)
    copy = snapshot(plain)
    assert mine.ack(done) == [done.id]

    go_back(plain, copy)

    (again,) = theirs.pop(wait=10)
    assert (again.id, again.deliveries, again.crashes) == (done.id, 2, 0)
    assert mine.ack(held) == [held.id]
    assert theirs.ack(again) == [done.id]
    assert [d.payload for d in theirs.pop(wait=10)] == [b"b"]
    assert theirs.verify().ok


@pytest.mark.slow
def test_a_cut_alone_takes_nothing_away(connect: Callable[..., Any], plain: redis.Redis) -> None:
    """If the server forgot nothing, a worker keeps all it holds, however often it is cut off."""
    client, other = connect(heartbeat=0.1, lease=0.5), connect(heartbeat=0.1, lease=0.5)
    client.queue("mail").push_many([b"a", b"b"])
    held = client.queue("mail").pop(count=2)
    first = ticks(plain)

    while ticks(plain) < first + 2000:
        plain.client_kill_filter(_type="normal", skipme=True)
        assert other.queue("mail").pop(wait=0.3) == []
    after = ticks(plain)
    wait_until(lambda: ticks(plain) > after + 1000)

    assert other.queue("mail").pop() == []
    assert client.queue("mail").ack(*held) == [delivery.id for delivery in held]


def ticks(plain: redis.Redis) -> int:
    """Read the clock of the queue."""
    return int(plain.hget(f"{PREFIX}clock", "tick") or 0)

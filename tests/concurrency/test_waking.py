"""Whoever waits for work is called as soon as there is some, whatever brought it.

The worker that waits here has a heartbeat of minutes, so nothing but the call can wake it.
"""

from collections.abc import Callable
from typing import Any

import pytest
import redis

from tests.concurrency.calls import Call, blocked, wait_for_blocked
from tests.support.servers import Server

SLOW = {"heartbeat": 100, "lease": 1000}
Connect = Callable[..., Any]


@pytest.fixture
def helper(connect: Connect) -> Any:
    """The queue as another client sees it."""
    return connect(**SLOW).queue("mail")


@pytest.fixture
def waiter(connect: Connect, plain: redis.Redis) -> Callable[..., Call]:
    """Start a pop that waits; answers once the server has put it to sleep."""

    def start(wait: float = 30.0, **options: Any) -> Call:
        before = blocked(plain)
        call = Call(connect(**{**SLOW, **options}).queue("mail").pop, wait=wait)
        wait_for_blocked(plain, before + 1)
        return call

    return start


def stop_beating(client: Any) -> None:
    """Let a worker fall silent without a word, as a frozen one does."""
    getattr(client, "inner", client)._heart._stopped = True


def payloads(call: Call) -> list[bytes]:
    """Get what the waiting pop took."""
    return [delivery.payload for delivery in call.result()]


def test_a_push_wakes(waiter: Callable[..., Call], helper: Any) -> None:
    """A pop that waits gets a job as soon as it is pushed."""
    call = waiter()

    helper.push(b"a")

    assert payloads(call) == [b"a"]


def test_a_release_wakes(waiter: Callable[..., Call], helper: Any) -> None:
    """A job given back goes to the one who waits, without a crash being counted."""
    helper.push(b"a")
    (mine,) = helper.pop()
    call = waiter()

    helper.release(mine)

    (theirs,) = call.result()
    assert (theirs.id, theirs.deliveries, theirs.crashes) == (mine.id, 2, 0)


def test_the_return_of_a_dead_workers_job_wakes(
    waiter: Callable[..., Call], helper: Any, connect: Connect
) -> None:
    """What a worker held that is declared dead goes to the one who waits."""
    helper.push(b"a")
    doomed = connect(**SLOW)
    (first,) = doomed.queue("mail").pop()
    call = waiter()

    connect(**SLOW).fail_worker(doomed.worker)

    (second,) = call.result()
    assert (second.id, second.crashes) == (first.id, 1)


def test_the_end_of_a_lease_wakes(
    waiter: Callable[..., Call], helper: Any, connect: Connect
) -> None:
    """The one who waits finds out by itself that a silent worker's lease has ended."""
    helper.push(b"a")
    silent = connect(heartbeat=0.1, lease=0.5)
    (first,) = silent.queue("mail").pop()
    stop_beating(silent)
    call = waiter()

    (second,) = call.result()
    assert (second.id, second.crashes) == (first.id, 1)


@pytest.mark.parametrize("end", ["ack", "fail", "cancel", "retry"])
def test_a_freed_lock_wakes(waiter: Callable[..., Call], helper: Any, end: str) -> None:
    """Whatever ends the holder of a lock calls the one who waits for the next with that lock."""
    helper.push_many([b"a", b"b"], lock="door")
    (holder,) = helper.pop()
    call = waiter()
    assert helper.stats().parked == 1

    match end:
        case "ack":
            helper.ack(holder)
        case "fail":
            helper.fail(holder, "no")
        case "retry":
            helper.retry(holder, delay=60)
        case "cancel":
            helper.cancel(id=holder.id)
            helper.ack(holder)

    assert payloads(call) == [b"b"]


def test_a_cancelled_job_passes_its_turn_on(waiter: Callable[..., Call], helper: Any) -> None:
    """If the next with a free lock is cancelled before it is taken, the one behind it is served."""
    helper.push_many([b"a", b"b", b"c"], lock="door")
    (holder,) = helper.pop()
    assert helper.pop() == []
    helper.pause()
    call = waiter()
    helper.ack(holder)

    helper.cancel(payload=b"b")
    helper.unpause()

    assert payloads(call) == [b"c"]


def test_a_due_time_wakes(waiter: Callable[..., Call], helper: Any) -> None:
    """A job pushed for later while somebody waits is served when it is due, and not before."""
    call = waiter()

    pushed = helper.push(b"a", delay=0.5)

    (delivery,) = call.result()
    assert delivery.id == pushed.id
    assert delivery.delivered_at - delivery.enqueued_at >= 500


def test_an_earlier_due_time_wakes(waiter: Callable[..., Call], helper: Any) -> None:
    """Who waits for one time hears of an earlier one."""
    helper.push(b"late", delay=60)
    call = waiter()

    helper.push(b"early", delay=0.2)

    assert payloads(call) == [b"early"]


def test_unpausing_wakes(waiter: Callable[..., Call], helper: Any, plain: redis.Redis) -> None:
    """A paused queue wakes nobody; once it goes on, the one who waits is served."""
    helper.pause()
    call = waiter()
    helper.push(b"a")
    wait_for_blocked(plain, 1)
    assert not call.done

    helper.unpause()

    assert payloads(call) == [b"a"]


def test_reviving_wakes(waiter: Callable[..., Call], helper: Any) -> None:
    """A dead job that gets another life goes to the one who waits."""
    helper.push(b"a")
    (delivery,) = helper.pop()
    helper.fail(delivery, "no")
    call = waiter()

    helper.revive()

    assert payloads(call) == [b"a"]


def test_leaving_wakes(waiter: Callable[..., Call], helper: Any, connect: Connect) -> None:
    """What a worker held that says goodbye goes to the one who waits."""
    helper.push(b"a")
    leaving = connect(**SLOW)
    (first,) = leaving.queue("mail").pop()
    call = waiter()

    leaving.stop_work("mail")

    (second,) = call.result()
    assert (second.id, second.crashes) == (first.id, 0)


def test_adopting_wakes(waiter: Callable[..., Call], helper: Any, plain: redis.Redis) -> None:
    """Jobs taken over from a plain list are served at once."""
    plain.rpush("old", b"a")
    call = waiter()

    helper.adopt("old")

    assert payloads(call) == [b"a"]


def test_a_stolen_call_costs_a_heartbeat(
    waiter: Callable[..., Call], helper: Any, plain: redis.Redis, server: Server
) -> None:
    """If the call is lost, the heartbeat of the one who waits finds the job: it is not stranded."""
    with server.client(timeout_s=40) as thief:
        theft = Call(thief.blpop, ["limpet:{mail}:wake"], timeout=30)
        wait_for_blocked(plain, 1)
        call = waiter(heartbeat=1.0, lease=10.0)

        helper.push(b"a")

        assert theft.result() is not None
        assert [delivery.payload for delivery in call.result(within=4)] == [b"a"]

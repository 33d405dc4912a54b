"""The everyday path of a queue as functions: the same for every kind of server, in both flavours.

Each takes an empty server's client (and a second one where two are needed) and checks what it did.
"""

from typing import Any

import pytest

from limpet.errors import BackendError, Duplicate
from tests.concurrency.calls import Call


def raw(client: Any, *words: str) -> Any:
    """Send a plain command through a client of either flavour."""
    answer = getattr(client, "inner", client).link.raw(*words)
    return client._loop.run(answer) if hasattr(client, "inner") else answer


def push_pop_ack(one: Any, other: Any) -> None:
    """Jobs go through in order, one by one and in batches."""
    queue = one.queue("mail")
    pushed = [queue.push(b"0").id, *[p.id for p in queue.push_many([b"1", b"\x00\xff", b""])]]

    first = queue.pop(count=2)
    acked, rest = queue.ack_and_pop(first, count=10)

    assert acked == pushed[:2]
    assert [(d.id, d.payload) for d in rest] == list(
        zip(pushed[2:], [b"\x00\xff", b""], strict=True)
    )
    assert queue.ack(*rest) == pushed[2:]
    assert queue.ack(*rest) == []
    stats = queue.stats()
    assert (stats.completed, stats.pending) == (4, 0)
    assert one.queues() == ["mail"]


def unique(one: Any, other: Any) -> None:
    """A twin is refused, replaced or raised, as asked."""
    queue = one.queue("mail", unique="waiting")
    first = queue.push(b"a")

    again = other.queue("mail").push(b"a", unique="waiting")
    newer = queue.push(b"b", key=b"a", on_twin="replace")
    with pytest.raises(Duplicate):
        queue.push(b"a", on_twin="raise")

    assert (again.created, again.id, newer.replaced) == (False, first.id, True)
    assert [d.payload for d in queue.pop(count=5)] == [b"b"]
    assert queue.push(b"a").created


def lock(one: Any, other: Any) -> None:
    """One holder at a time; the next is called when the first ends."""
    queue = one.queue("mail")
    queue.push_many([b"a", b"b"], lock="door")

    (holder,) = queue.pop(count=5)
    assert other.queue("mail").pop(count=5) == []
    assert [view.parked for view in queue.locks()] == [1]
    queue.ack(holder)

    assert [d.payload for d in other.queue("mail").pop(wait=5)] == [b"b"]


def delay(one: Any, other: Any) -> None:
    """A job for later is served when it is due, to one who waits."""
    call = Call(other.queue("mail").pop, wait=20)

    one.queue("mail").push(b"a", delay=0.2)

    (delivery,) = call.result()
    assert delivery.delivered_at - delivery.enqueued_at >= 200


def failing(one: Any, other: Any) -> None:
    """Fail, retry, release, revive and purge move a job as they should."""
    queue = one.queue("mail")
    queue.push(b"a")

    (delivery,) = queue.pop()
    assert queue.retry(delivery, delay=0, message="once more")
    (delivery,) = queue.pop(wait=5)
    assert (delivery.deliveries, delivery.retries) == (2, 1)
    assert queue.release(delivery) == [delivery.id]
    (delivery,) = queue.pop()
    assert queue.fail(delivery, "enough")
    assert queue.last_failure().message == "enough"
    assert queue.revive() == [delivery.id]
    (delivery,) = queue.pop()
    assert queue.fail(delivery, "really")
    assert (queue.purge(), queue.dead()) == (1, [])


def taking_over(one: Any, other: Any) -> None:
    """Recover, claim and resume hand a delivery to somebody else; the old receipt is stale."""
    queue = one.queue("mail")
    queue.push(b"a")
    (old,) = queue.pop()

    (new,) = other.queue("mail").recover(older_than=0)
    seen = queue.claim(timeout=0)
    newest = queue.resume(seen.delivery, timeout=0)

    assert seen.state == "TIMEDOUT"
    assert [queue.ack(old), other.queue("mail").ack(new)] == [[], []]
    assert queue.ack(newest) == [old.id]


def dead_worker(one: Any, other: Any) -> None:
    """What a worker held that is declared dead comes back, and the worker is told."""
    queue = one.queue("mail")
    ids = [p.id for p in queue.push_many([b"a", b"b"])]
    queue.pop(count=2)

    assert other.fail_worker(one.worker)

    assert [(v.id, v.crashes) for v in queue.inspect()] == [(i, 1) for i in ids]
    assert [d.id for d in other.queue("mail").pop(count=2)] == ids[:1]


def cancelling(one: Any, other: Any) -> None:
    """Waiting copies go, a running one is told."""
    queue = one.queue("mail")
    queue.push_many([b"a", b"b", b"a", b"c"])
    (running,) = queue.pop()

    assert other.queue("mail").cancel(payload=b"a") == 2
    assert queue.renew(running).cancelled == (running,)
    assert queue.ack(running) == []
    (kept,) = queue.pop()
    assert queue.cancel(id=queue.peek().id) == 1

    assert (kept.payload, queue.stats().cancelled) == (b"b", 3)


def pausing_and_dropping(one: Any, other: Any) -> None:
    """A paused queue hands nothing out; a dropped one is gone, and late receipts are stale."""
    queue = one.queue("mail")
    queue.push_many([b"a", b"b"])
    (held,) = queue.pop()

    other.queue("mail").pause()
    assert queue.pop() == []
    other.queue("mail").unpause()
    assert other.queue("mail").drop()

    assert (queue.ack(held), queue.stats().pending, one.queues()) == ([], 0, [])
    assert queue.push(b"c").created


def verifying(one: Any, other: Any) -> None:
    """A queue with jobs in every state is in order."""
    queue = one.queue("mail")
    queue.push_many([b"a", b"b", b"c"], lock="door")
    queue.push(b"later", delay=60)
    queue.push(b"x", unique="running")
    queue.pop(count=2)

    assert queue.verify().ok
    assert queue.repair().ok


def scheduling(one: Any, other: Any) -> None:
    """A schedule fires while somebody waits for work; it can be seen and removed by others."""
    one.queue("mail").schedule("tick", b"tick", every="200ms")

    (job,) = one.queue("mail").pop(wait=20)
    (view,) = other.queue("mail").schedules()

    assert (job.payload, view.name, view.last_id) == (b"tick", "tick", job.id)
    assert other.queue("mail").unschedule("tick")
    assert one.queue("mail").ack(job) == [job.id]


def several_queues(one: Any, other: Any) -> None:
    """Queues are served in order and filled across, and each of them wakes one who waits."""
    names = ("high", "middle", "low")
    for name in reversed(names):
        one.queue(name).push_many([f"{name} 0", f"{name} 1"])
    taken = one.pop(*names, count=5)
    assert [d.payload.decode() for d in taken] == [f"{n} {i}" for n in names for i in (0, 1)][:5]
    assert len(one.ack(*taken, *one.pop(*names))) == 6

    for name in (*names, "low", "high"):
        call = Call(one.pop, *names, wait=20)
        other.queue(name).push(b"wake up")
        (delivery,) = call.result()
        assert delivery.queue == name
        assert one.ack(delivery) == [delivery.id]


def adopting(one: Any, other: Any) -> None:
    """A plain list beside the queue is taken over."""
    raw(one, "RPUSH", "old:{mail}", "a", "b")

    assert one.queue("mail").adopt("old:{mail}") == 2
    assert [d.payload for d in other.queue("mail").pop(count=5)] == [b"a", b"b"]


def events(one: Any, other: Any) -> None:
    """What happens is told to who listens."""
    with one.queue("mail").events() as heard:
        other.queue("mail").push(b"a")
        assert heard.next(within=5).kind == "work"
        other.queue("mail").ack(*other.queue("mail").pop())
        assert heard.next(within=5).kind == "done"


def adopting_from_another_slot(one: Any, other: Any) -> None:
    """A list in another slot is refused in words that help, and nothing is touched."""
    raw(one, "RPUSH", "old-list", "a", "b")

    with pytest.raises(BackendError, match="hash tag"):
        one.queue("mail").adopt("old-list")

    assert one.queue("mail").stats().pending == 0
    assert raw(one, "LLEN", "old-list") == 2


EVERYDAY = (
    push_pop_ack,
    unique,
    lock,
    delay,
    failing,
    taking_over,
    dead_worker,
    cancelling,
    pausing_and_dropping,
    verifying,
    scheduling,
    several_queues,
    adopting,
    events,
)

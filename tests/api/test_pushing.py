"""Pushing, in both flavours."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from limpet import Duplicate, Item


def payloads(deliveries: list[Any]) -> list[bytes]:
    """The payloads of deliveries, in order."""
    return [d.payload for d in deliveries]


def test_many_jobs_are_queued_left_to_right(limpet: Any) -> None:
    """push_many keeps the order, also over more than one round trip."""
    queue = limpet.queue("q")
    wanted = [str(n).encode() for n in range(1200)]

    pushed = queue.push_many(wanted)

    assert len({p.id for p in pushed}) == 1200
    assert payloads(queue.pop(count=1000)) + payloads(queue.pop(count=1000)) == wanted


def test_an_item_says_what_is_its_own(limpet: Any) -> None:
    """Options of push_many are for all; an Item overrides them."""
    queue = limpet.queue("q")

    pushed = queue.push_many(
        [b"a", b"a", Item(b"a", unique=None), Item(b"b", key="k"), Item(b"c", key="k")],
        unique="waiting",
    )

    assert [p.created for p in pushed] == [True, False, True, True, False]
    assert pushed[1].id == pushed[0].id
    assert pushed[4].id == pushed[3].id


def test_front_jobs_come_first_and_keep_their_order(limpet: Any) -> None:
    """A batch pushed to the front is served before all others, left to right."""
    queue = limpet.queue("q")
    queue.push_many([b"1", b"2"])

    queue.push_many([b"a", b"b"], front=True)
    queue.push(b"z", front=True)

    assert payloads(queue.pop(count=9)) == [b"z", b"a", b"b", b"1", b"2"]


def test_any_bytes_travel_untouched(limpet: Any) -> None:
    """Empty, NUL, text, non-UTF-8 and a whole mebibyte come out as they went in."""
    queue = limpet.queue("q")
    odd = [b"", b"\0", b"\xff\xfe\0x", "ä€".encode(), bytes(range(256)) * 4096]

    queue.push_many(odd)

    assert payloads(queue.pop(count=9)) == odd


def test_keys_and_locks_may_be_any_bytes(limpet: Any) -> None:
    """Unique keys and locks with NUL, colons, braces and bytes that are no text stay distinct."""
    queue = limpet.queue("q")
    odd = [b"", b"\0", b"a:b", b"a", b"{x}", b"\xff", b"1:a|", b"x" * 5000, b"x" * 5001]

    made = [queue.push(b"p", unique="waiting", key=k, lock=k).created for k in odd]
    twins = [queue.push(b"p", unique="waiting", key=k).created for k in odd]
    taken = queue.pop(count=50)
    queue.push_many([Item(b"second", lock=k) for k in odd])

    assert made == [True] * len(odd)
    assert twins == [False] * len(odd)
    assert len(taken) == len(odd)
    assert queue.pop(count=50) == []
    assert queue.stats().parked == len(odd)
    assert {lock.parked for lock in queue.locks()} == {1}


def test_a_twin_is_kept_replaced_or_raised(limpet: Any) -> None:
    """on_twin decides what a duplicate does; the first keeps its place each time."""
    queue = limpet.queue("q", unique="waiting")
    first = queue.push(b"old", key="k")
    queue.push(b"other")

    kept = queue.push(b"kept", key="k")
    replaced = queue.push(b"new", key="k", on_twin="replace")
    with pytest.raises(Duplicate) as caught:
        queue.push(b"raised", key="k", on_twin="raise")

    assert (kept.id, kept.created, kept.replaced) == (first.id, False, False)
    assert (replaced.id, replaced.created, replaced.replaced) == (first.id, False, True)
    assert (caught.value.queue, caught.value.job_id) == ("q", first.id)
    assert payloads(queue.pop(count=9)) == [b"new", b"other"]


def test_debounce_moves_the_time_of_the_scheduled_twin(limpet: Any) -> None:
    """Replacing a scheduled twin takes over payload and time."""
    queue = limpet.queue("q", unique="waiting", on_twin="replace")
    queue.push(b"1", key="k", delay="1h")

    queue.push(b"2", key="k", delay="2h")

    (job,) = queue.inspect(state="scheduled")
    assert job.payload == b"2"
    assert job.at - job.enqueued_at > 3_600_000


def test_times_may_be_said_in_many_ways(limpet: Any) -> None:
    """Seconds, text, timedelta and an aware datetime all schedule."""
    queue = limpet.queue("q")

    queue.push(b"a", delay=60)
    queue.push(b"b", delay="1m30s")
    queue.push(b"c", delay=timedelta(minutes=2))
    queue.push(b"d", at=datetime.now(UTC) + timedelta(minutes=10))
    queue.push(b"past", at=datetime(2020, 1, 1, tzinfo=UTC))

    assert payloads(queue.inspect(state="scheduled")) == [b"a", b"b", b"c", b"d"]
    assert payloads(queue.pop(count=9)) == [b"past"]


def test_policies_of_the_client_reach_its_queues(connect: Any) -> None:
    """Options under "*" are for all queues; those of a name, and of the queue, go over them."""
    limpet = connect(policies={"*": {"unique": "waiting"}, "plain": {"unique": None}})

    def twin_created(queue: Any) -> bool:
        queue.push(b"x")
        return bool(queue.push(b"x").created)

    assert not twin_created(limpet.queue("any"))
    assert twin_created(limpet.queue("plain"))
    assert twin_created(limpet.queue("other", unique=None))


def test_a_queue_may_make_its_locks_from_payloads(limpet: Any) -> None:
    """A policy function gives each job its lock; lock_limit says how many may run."""
    queue = limpet.queue("q", lock=lambda payload: payload[:1], lock_limit=2)
    queue.push_many([b"a1", b"a2", b"a3", b"b1"])

    first = queue.pop(count=9)
    queue.ack(first[0])
    second = queue.pop(count=9)

    assert payloads(first) == [b"a1", b"a2", b"b1"]
    assert payloads(second) == [b"a3"]


def test_an_own_id_is_queued_once(limpet: Any) -> None:
    """Pushing an id that is there adds nothing; once it ended it may come again."""
    queue = limpet.queue("q")
    queue.push(b"1", id="invoice-7")

    again = queue.push(b"2", id="invoice-7")
    (delivery,) = queue.pop(count=9)
    queue.ack(delivery)
    later = queue.push(b"3", id="invoice-7")

    assert (again.id, again.created) == ("invoice-7", False)
    assert delivery.payload == b"1"
    assert later.created


def test_a_cancelled_own_id_may_be_pushed_again_and_is_served_once(limpet: Any) -> None:
    """What a removed job leaves behind in the line is never taken for its successor."""
    queue = limpet.queue("q")
    queue.push_many([b"a", Item(b"old", id="x"), b"b"])

    queue.cancel(id="x")
    queue.push(b"new", id="x")

    assert payloads(queue.inspect()) == [b"a", b"b", b"new"]
    assert payloads(queue.pop(count=9)) == [b"a", b"b", b"new"]
    assert queue.pop() == []

"""Taking and ending jobs, in both flavours."""

from typing import Any

import pytest

from limpet import ConfigError, Receipt, WorkerLost
from tests.support.waiting import wait_until


def payloads(deliveries: list[Any]) -> list[bytes]:
    """The payloads of deliveries, in order."""
    return [d.payload for d in deliveries]


def test_a_receipt_works_in_any_form(limpet: Any) -> None:
    """A delivery, its receipt and the receipt as text all end the job."""
    queue = limpet.queue("q")
    queue.push_many([b"a", b"b", b"c"])
    a, b, c = queue.pop(count=3)

    acked = queue.ack(a, b.receipt, str(c.receipt), Receipt("1-1", 1), "nonsense", "x@y")

    assert acked == [a.id, b.id, c.id]


def test_ack_and_pop_does_both(limpet: Any) -> None:
    """Finished jobs go, new ones come, and stale receipts are missing from the answer."""
    queue = limpet.queue("q")
    queue.push_many([b"a", b"b", b"c"])
    first = queue.pop(count=2)
    queue.ack(first[0])

    acked, second = queue.ack_and_pop(first, count=5)

    assert acked == [first[1].id]
    assert payloads(second) == [b"c"]
    assert queue.stats().completed == 2


def test_release_gives_back_to_the_front_or_for_later(limpet: Any) -> None:
    """Released jobs keep their order ahead of the others; a delay schedules them."""
    queue = limpet.queue("q")
    queue.push_many([b"a", b"b", b"c", b"d"])
    a, b, c = queue.pop(count=3)

    assert queue.release(c, a) == [c.id, a.id]
    assert queue.release(b, delay="1h") == [b.id]
    assert queue.release(b) == []

    assert payloads(queue.inspect()) == [b"a", b"c", b"d"]
    assert payloads(queue.inspect(state="scheduled")) == [b"b"]


def test_retry_counts_and_notes_the_error(limpet: Any) -> None:
    """A retried job is scheduled again with its error; its next delivery knows the count."""
    queue = limpet.queue("q")
    queue.push(b"a")
    (first,) = queue.pop()

    assert queue.retry(first, 0.3, ValueError("broken"))
    (view,) = queue.inspect(state="scheduled")
    (second,) = queue.pop(wait=5)

    assert view.reason == "ValueError: broken"
    assert (second.retries, second.deliveries, second.crashes) == (1, 2, 0)
    assert second.started_at == first.started_at
    assert not queue.retry(first, 0)


def test_fail_keeps_the_job_in_the_dead_list(limpet: Any) -> None:
    """A failed job is counted and kept; it can be revived or purged."""
    queue = limpet.queue("q")
    queue.push_many([b"a", b"b"])
    a, b = queue.pop(count=2)

    assert queue.fail(a, "first")
    assert queue.fail(b, b"second \xff")
    assert not queue.fail(a, "again")
    newest, oldest = queue.dead()

    assert (newest.payload, newest.reason) == (b"b", "second \ufffd")
    assert queue.last_failure(1).message == "first"
    assert queue.revive(a.id) == [a.id]
    assert queue.purge(oldest.id, newest.id) == 1
    assert payloads(queue.pop(count=9)) == [b"a"]
    stats = queue.stats()
    assert (stats.completed, stats.failed, stats.dead) == (2, 2, 0)


def test_a_delivery_of_another_queue_is_refused(limpet: Any) -> None:
    """Ending a job through the wrong queue is an error that names the right one."""
    limpet.queue("a").push(b"x")
    (delivery,) = limpet.queue("a").pop()

    with pytest.raises(ConfigError, match="'a'"):
        limpet.queue("b").ack(delivery)

    assert limpet.ack(delivery) == [delivery.id]


def test_the_client_ends_deliveries_of_several_queues(limpet: Any) -> None:
    """Pop over queues is strictly in order; ack and release sort the deliveries themselves."""
    limpet.queue("low").push_many([b"l1", b"l2"])
    limpet.queue("high").push_many([b"h1", b"h2"])

    taken = limpet.pop("high", "low", count=3)
    acked = limpet.ack(taken[0], taken[2])
    released = limpet.release(taken[1])

    assert payloads(taken) == [b"h1", b"h2", b"l1"]
    assert sorted(acked) == sorted([taken[0].id, taken[2].id])
    assert released == [taken[1].id]


def test_a_worker_declared_dead_is_told_and_starts_anew(connect: Any) -> None:
    """Its next call raises WorkerLost; the one after works under a new identity."""
    limpet, other = connect(), connect()
    queue = limpet.queue("q")
    queue.push(b"a")
    (held,) = queue.pop()
    old = limpet.worker

    assert other.fail_worker(old)
    with pytest.raises(WorkerLost) as caught:
        wait_until(lambda: queue.pop(count=5) and False, within=5)
    (again,) = queue.pop()

    assert caught.value.worker == old
    assert limpet.worker not in {old, None}
    assert (again.id, again.crashes) == (held.id, 1)
    assert queue.ack(held) == []
    assert queue.ack(again) == [held.id]


def test_renew_tells_what_is_lost_and_what_is_cancelled(connect: Any) -> None:
    """A renewal names deliveries that another took over and those somebody cancelled."""
    limpet, other = connect(), connect()
    queue = limpet.queue("q")
    queue.push_many([b"a", b"b", b"c"])
    a, b, c = queue.pop(count=3)

    other.queue("q").recover(count=1, older_than=0)
    other.queue("q").cancel(id=b.id)
    renewed = queue.renew(a, b, c)

    assert [d.id for d in renewed.lost] == [a.id]
    assert [d.id for d in renewed.cancelled] == [b.id]
    assert queue.ack(b, c) == [c.id]
    assert queue.stats().cancelled == 1


def test_closing_gives_back_what_is_held(connect: Any) -> None:
    """A worker that leaves returns its jobs to their places, without a crash on their record."""
    limpet, other = connect(), connect()
    limpet.queue("q").push_many([b"a", b"b", b"c"])
    limpet.queue("q").pop(count=2)

    limpet.close()

    taken = other.queue("q").pop(count=9)
    assert payloads(taken) == [b"a", b"b", b"c"]
    assert [d.crashes for d in taken] == [0, 0, 0]


def test_start_and_stop_of_work_are_visible(limpet: Any) -> None:
    """workers() lists who serves which queue; stop_work returns that queue's jobs only."""
    worker = limpet.start_worker(name="anna", heartbeat=1, lease=3)
    for name in ("a", "b"):
        limpet.queue(name).push(b"x")
        limpet.queue(name).pop()

    listed = {(w.id, w.queue, w.name, w.lease_ms) for w in limpet.workers()}
    returned = limpet.stop_work("a")

    assert listed == {(worker, "a", "anna", 3000), (worker, "b", "anna", 3000)}
    assert returned == 1
    assert [w.queue for w in limpet.workers()] == ["b"]
    assert (limpet.queue("a").stats().waiting, limpet.queue("b").stats().running) == (1, 1)


def test_a_permanent_lease_never_ends(limpet: Any) -> None:
    """lease=None registers a worker whose lease has no end."""
    limpet.start_worker(lease=None)

    limpet.start_work("q")

    (worker,) = limpet.workers()
    assert worker.lease_left_ms is None


def test_of_two_twins_that_come_back_the_older_stays(limpet: Any) -> None:
    """Whichever returns last, one of the two waits, and it is the older one."""
    queue = limpet.queue("q", unique="waiting")
    older = queue.push(b"x")
    (first,) = queue.pop()
    queue.push(b"x")
    (second,) = queue.pop()

    queue.release(first)
    queue.release(second)

    assert [job.id for job in queue.inspect()] == [older.id]
    assert queue.stats().merged == 1

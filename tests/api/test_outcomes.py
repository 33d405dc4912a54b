"""Results, groups, notes and jobs set aside, through the public calls, in both flavours."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from limpet import Item
from limpet.errors import ConfigError, PayloadError
from limpet.values import Notes, Outcome, Tally
from tests.support.waiting import wait_until

Connect = Callable[..., Any]


def test_whoever_waits_for_a_result_gets_it_when_it_is_there(limpet: Any, connect: Connect) -> None:
    """The wait ends with the job, not with its time."""
    queue = limpet.queue("mail")
    pushed = queue.push("a", keep="1h")
    worker = connect().queue("mail")
    (delivery,) = worker.pop()
    assert queue.result(pushed.id) is None

    ending = threading.Timer(0.05, worker.complete, (delivery, b"42"))
    ending.start()
    found = queue.result(pushed.id, wait="30s")
    ending.join()

    assert found is not None
    assert (found.word, found.body) == ("done", b"42")
    assert queue.result(pushed.id) == found


def test_a_result_that_does_not_come_is_none(limpet: Any) -> None:
    """After the time to wait; one that cannot come is unknown at once."""
    queue = limpet.queue("mail")
    pushed = queue.push("a", keep=60)

    assert queue.result(pushed.id, wait="20ms") is None
    assert queue.result("17-3", wait="1h") == Outcome("17-3", "unknown")
    assert queue.result("no such id\n", wait="1h").word == "unknown"


def test_many_may_wait_for_one_result(limpet: Any, connect: Connect, plain: Any) -> None:
    """All of them get it."""
    queue = limpet.queue("mail")
    pushed = queue.push("a", keep="1h")
    found: list[Any] = []
    askers = [connect().queue("mail") for _ in range(3)]
    threads = [
        threading.Thread(target=lambda q=asker: found.append(q.result(pushed.id, wait="30s")))
        for asker in askers
    ]
    for thread in threads:
        thread.start()
    channel = f"limpet:{{mail}}:results:{pushed.id}"
    wait_until(lambda: plain.pubsub_numsub(channel)[0][1] == 3)

    queue.complete(queue.pop()[0], b"7")
    for thread in threads:
        thread.join(30)

    assert [outcome.body for outcome in found] == [b"7"] * 3


def test_a_stale_receipt_ends_nothing(limpet: Any) -> None:
    """It is told so."""
    queue = limpet.queue("mail")
    queue.push("a", keep=1)
    (delivery,) = queue.pop()
    queue.release(delivery)

    assert queue.complete(delivery, b"1") is False
    assert queue.strand(delivery, "task") is False
    assert queue.progress(delivery, 0.5) is False
    assert queue.log(delivery, "x") is False
    assert queue.once(delivery, "x") is None
    assert queue.complete("nonsense", b"1") is False


def test_a_batch_and_what_follows_it(limpet: Any) -> None:
    """Members and follower go in with one call."""
    queue = limpet.queue("mail")
    queue.push_many([Item("a", group="g"), Item("b", group="g"), Item("then", after="g")])
    a, b = queue.pop(count=5)
    queue.ack(a)
    assert queue.pop() == []
    queue.fail(b, "no")

    (then,) = queue.pop(wait=5)

    assert (then.payload, then.tally) == (b"then", Tally(done=1, failed=1))
    queue.ack(then)
    assert queue.verify().ok


def test_a_job_nobody_knows_waits_for_one_who_does(limpet: Any, connect: Connect) -> None:
    """A worker that was waiting all the time is woken for it."""
    queue = limpet.queue("mail")
    queue.push("a")
    (delivery,) = queue.pop()
    knower = connect(heartbeat=0.05, lease=1)
    knower.start_worker(tasks=("send",))
    got: list[Any] = []
    thread = threading.Thread(target=lambda: got.extend(knower.queue("mail").pop(wait="30s")))
    thread.start()
    wait_until(lambda: queue.stats().workers == 2)

    assert queue.strand(delivery, "send") is True
    thread.join(30)

    assert [(d.payload, d.deliveries) for d in got] == [(b"a", 1)]
    assert queue.stranded() == {}
    assert limpet.workers()[0].tasks or limpet.workers()[1].tasks == ("send",)


def test_notes_of_a_job(limpet: Any) -> None:
    """Progress, lines and effects can be read by anybody."""
    queue = limpet.queue("mail")
    pushed = queue.push("a")
    (delivery,) = queue.pop()

    assert queue.progress(delivery, 0.25, "resizing") is True
    assert queue.log(delivery, "one\ntwo") is True
    assert queue.once(delivery, "charge") is True
    assert queue.once(delivery, "charge") is False

    notes = queue.notes(pushed.id)
    assert (notes.fraction, notes.text, notes.once) == (0.25, "resizing", ("charge",))
    assert [line for _, line in notes.log] == ["one\ntwo"]
    assert queue.notes("other") == Notes()
    queue.ack(delivery)
    assert queue.notes(pushed.id) == Notes()


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda q: q.push("a", keep=0), ConfigError),
        (lambda q: q.push("a", lock="l", lock_limit=0), ConfigError),
        (lambda q: q.push_many([Item("a", after="g", delay=1)]), ConfigError),
        (lambda q: q.push_many([Item("a", group="no spaces")]), ConfigError),
        (lambda q: q.progress("1-1@1", 1.5), ConfigError),
        (lambda q: q.progress("1-1@1", float("nan")), ConfigError),
        (lambda q: q.once("1-1@1", ""), ConfigError),
        (lambda q: q.complete("1-1@1", b"x" * 2_000_000), PayloadError),
    ],
)
def test_wrong_input_is_refused(
    limpet: Any, call: Callable[[Any], object], error: type[Exception]
) -> None:
    """Before anything is sent."""
    with pytest.raises(error):
        call(limpet.queue("mail"))


def test_a_lock_may_have_room_for_several(limpet: Any) -> None:
    """The job itself may say for how many."""
    queue = limpet.queue("mail")
    for name in "abc":
        queue.push(name, lock="l", lock_limit=2)

    assert [d.payload for d in queue.pop(count=5)] == [b"a", b"b"]

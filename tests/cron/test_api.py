"""Schedules of a queue, as both flavours of the API give them."""

from typing import Any

import pytest
import redis

from limpet import Item
from limpet.errors import ConfigError, PayloadError
from tests.support.waiting import wait_until


def test_a_schedule_is_written_shown_and_removed(limpet: Any) -> None:
    """With all that was said."""
    queue = limpet.queue("q")

    assert queue.schedule(
        "nightly", b"x\xff", "0 3 * * *", tz="Europe/Berlin", missed="skip", owner="shop"
    )
    (view,) = queue.schedules()

    assert (view.queue, view.name, view.payload, view.owner) == ("q", "nightly", b"x\xff", "shop")
    assert (view.cron, view.tz, view.missed) == ("0 3 * * *", "Europe/Berlin", "skip")
    assert (view.every_ms, view.overlap, view.last_id, view.task) == (None, "skip", None, None)
    assert limpet.queues() == ["q"]
    assert queue.unschedule("nightly")
    assert not queue.unschedule("nightly")
    assert queue.schedules() == []


def test_a_worker_that_waits_gets_the_job_when_it_is_time(limpet: Any) -> None:
    """Its heart fires; the job has the options of the item."""
    queue = limpet.queue("q")
    queue.schedule("tick", Item(b"tick", unique="running", lock="l"), every="200ms")

    (job,) = queue.pop(wait="20s")

    assert (job.payload, job.lock) == (b"tick", b"l")
    assert queue.schedules()[0].last_id == job.id
    assert queue.ack(job) == [job.id]


def test_a_dropped_queue_has_no_schedules(limpet: Any, plain: redis.Redis) -> None:
    """They go with everything else, and can be written anew."""
    queue = limpet.queue("q")
    queue.schedule("tick", b"tick", every="1h")

    queue.drop()

    assert queue.schedules() == []
    assert not plain.exists(queue._keys["schedules"], queue._keys["firing"])
    assert queue.schedule("tick", b"tick", every="1h")
    assert limpet.queues() == ["q"]


def test_a_queue_that_others_dropped_is_listed_again(connect: Any) -> None:
    """A client that knew the queue before writes a schedule: it must be found."""
    mine, other = connect(), connect()
    mine.queue("q").push(b"x")
    other.queue("q").drop()

    mine.queue("q").schedule("tick", b"tick", every="1h")

    assert other.queues() == ["q"]


def test_an_unreadable_schedule_is_shown_and_harms_nobody(limpet: Any, plain: redis.Redis) -> None:
    """It is listed without its times; the others fire."""
    queue = limpet.queue("q")
    queue.schedule("torn", b"x", every="1h")
    queue.schedule("tick", b"tick", every="100ms")
    plain.hset(queue._keys["schedules"], "torn", "- {")
    plain.zadd(queue._keys["firing"], {"torn": 1})

    (job,) = queue.pop(wait="20s")

    assert job.payload == b"tick"
    torn = next(view for view in queue.schedules() if view.name == "torn")
    assert (torn.cron, torn.every_ms, torn.payload) == (None, None, b"")
    queue.unschedule("tick")
    wait_until(lambda: {problem.subject for problem in queue.repair().problems} == {"torn"})
    assert queue.schedules() == []


@pytest.mark.parametrize(
    ("arguments", "options", "said"),
    [
        (("", b"x", "* * * * *"), {}, "needs a name"),
        (("a\nb", b"x", "* * * * *"), {}, "needs a name"),
        (("n" * 300, b"x", "* * * * *"), {}, "needs a name"),
        (("\ud800", b"x", "* * * * *"), {}, "needs a name"),
        ((5, b"x", "* * * * *"), {}, "needs a name"),
        (("n", b"x"), {}, "say when"),
        (("n", b"x", "every day"), {}, "cron expression 'every day'"),
        (("n", b"x", "* * * * *"), {"tz": "Mars"}, "no time zone 'Mars'"),
        (("n", Item(b"x", id="own"), "* * * * *"), {}, "leave out id, at, group and after"),
        (("n", Item(b"x", at=5), "* * * * *"), {}, "leave out id, at, group and after"),
    ],
)
def test_nonsense_is_refused_and_nothing_is_written(
    limpet: Any, plain: redis.Redis, arguments: Any, options: Any, said: str
) -> None:
    """At the door."""
    with pytest.raises(ConfigError, match=said):
        limpet.queue("q").schedule(*arguments, **options)

    assert plain.keys() == []


def test_a_payload_that_cannot_travel_is_refused(limpet: Any, plain: redis.Redis) -> None:
    """As by a push."""
    with pytest.raises(PayloadError, match="the limit is"):
        limpet.queue("q", max_payload=5).schedule("n", b"too long", "* * * * *")

    assert plain.keys() == []

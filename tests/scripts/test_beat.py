"""beat.lua."""

import pytest
import redis

from limpet.commands import manage
from limpet.commands.push import NewJob
from limpet.commands.schedules import schedule, unschedule
from limpet.commands.workers import Beat, beat, fail_worker
from limpet.keys import queue_keys
from tests.scripts.helpers import NOW, World, jid
from tests.scripts.scenes import SPEC


def test_a_heartbeat_renews_the_lease(world: World) -> None:
    """By the clock of the queue; nothing else changes."""
    world.start()

    reply, changed = world.step(beat([world.keys], "w1"), at=NOW + 1000)

    assert reply == [[b"ok", 10_001, [], -1]]
    assert changed == {
        "clock": {"seen": str(NOW + 1000), "stride": "4500", "tick": "1000"},
        "workers": {"w1": 11_000},
    }


def test_a_lease_for_ever_stays_one(world: World) -> None:
    """There is no end in sight: far away is told instead."""
    world.start(lease=None)

    reply, changed = world.step(beat([world.keys], "w1"), at=NOW + 1000)

    assert reply == [[b"ok", 1_000_000, [], -1]]
    assert changed.keys() == {"clock"}


def test_a_dead_or_unknown_worker_is_told_so(world: World) -> None:
    """It stays dead."""
    world.start()
    world.run(fail_worker(world.keys, "w1"))

    replies = [world.step(beat([world.keys], name)) for name in ("w1", "stranger")]

    assert [reply[0][0] for reply, _ in replies] == [b"lost", b"lost"]
    assert [changed for _, changed in replies] == [{}, {}]


def test_a_due_job_is_told(world: World) -> None:
    """And before, how long it takes until there is one."""
    world.start()
    world.push(b"x", NewJob(b"a", delay_ms=300))

    assert world.run(beat([world.keys], "w1")) == [Beat(False, False, 300, ())]
    assert world.run(beat([world.keys], "w1"), at=NOW + 300)[0].tend


def test_when_a_schedule_fires_is_told(world: World) -> None:
    """Zero: its time has come; far away is told as a quarter of an hour."""
    world.start()
    world.run(schedule(world.keys, "tick", SPEC, NOW + 300))

    beats = [world.run(beat([world.keys], "w1"), at=NOW + t)[0] for t in (0, 300, 999)]
    world.run(unschedule(world.keys, "tick"))
    world.run(schedule(world.keys, "far", SPEC, NOW + 10**10))

    assert [found.fires_in_ms for found in beats] == [300, 0, 0]
    assert not any(found.tend for found in beats)
    assert world.run(beat([world.keys], "w1"))[0].fires_in_ms == 1_000_000


def test_a_dead_worker_is_told(world: World) -> None:
    """Somebody must return what it holds."""
    world.start()
    world.start("w2")
    world.run(fail_worker(world.keys, "w2"))

    assert world.run(beat([world.keys], "w1"))[0].tend


def test_jobs_nobody_was_called_for_are_told(world: World) -> None:
    """The token was lost with whoever took it; a paused queue needs none."""
    world.start()
    world.push(b"a")
    assert not world.run(beat([world.keys], "w1"))[0].tend
    world.store.delete(world.keys["wake"])

    assert world.run(beat([world.keys], "w1"))[0].tend
    world.run(manage.pause(world.keys))
    assert not world.run(beat([world.keys], "w1"))[0].tend


def test_cancelled_jobs_are_told(world: World) -> None:
    """Whoever runs one of them ends it."""
    world.start()
    world.push(b"a")
    world.pop()
    world.run(manage.cancel(world.keys, [jid(1)], None))

    assert world.run(beat([world.keys], "w1"))[0].cancelled == (jid(1),)


def test_many_queues_are_renewed_in_one_call(world: World) -> None:
    """Each has its own answer, in the order asked."""
    other = queue_keys("other")
    world.start()

    reply, changed = world.step(beat([other, world.keys], "w1"), at=NOW + 5)

    assert [answer[0] for answer in reply] == [b"lost", b"ok"]
    assert changed["workers"] == {"w1": 10_005}
    assert changed.keys() == {"clock", "workers"}


def test_a_key_of_another_type_in_any_queue_stops_all(world: World) -> None:
    """Nothing is renewed by halves."""
    world.start()
    world.store.set("limpet:{other}:crew", "in the way")
    before = world.snapshot()

    with pytest.raises(redis.ResponseError, match="WRONGTYPE"):
        world.send(beat([world.keys, queue_keys("other")], "w1"), at=NOW + 5)

    assert world.snapshot() == before

"""fire.lua."""

import pytest

from limpet.commands.finish import fail
from limpet.commands.manage import drop
from limpet.commands.push import NewJob
from limpet.commands.schedules import Fired, Row, Spec, fire, schedule, unschedule
from limpet.tasks.cron import Timing
from tests.scripts.helpers import NOW, World, jid
from tests.scripts.scenes import ROW, SPEC

NEXT = NOW + 1000


@pytest.fixture
def planned(world: World) -> World:
    """A queue with a schedule whose time has come."""
    world.run(schedule(world.keys, "tick", SPEC, NOW))
    return world


def again(world: World, at: int) -> Row:
    """The schedule as it is seen after it fired: its next time has come."""
    raw = world.store.hget(world.keys["schedules"], "tick")
    return Row("tick", raw.partition(b" ")[2], at, "")


def test_a_schedule_fires(planned: World) -> None:
    """The job is queued, a worker is called, the next time is set: one step."""
    reply, changed = planned.step(fire(planned.keys, ROW, next_ms=NEXT, pushes=1))

    assert reply == [b"fired", 1000, jid(1).encode()]
    assert changed == {
        "clock": {"ms": str(NOW), "seq": "1"},
        "jobs": {jid(1): "tick"},
        "waiting": [jid(1)],
        "wake": ["1"],
        "schedules": {"tick": f"{jid(1)} {SPEC.write().decode()}"},
        "firing": {"tick": NEXT},
    }


def test_the_same_time_fires_once(planned: World) -> None:
    """However many workers try."""
    first = planned.run(fire(planned.keys, ROW, next_ms=NEXT, pushes=1))

    others = [planned.step(fire(planned.keys, ROW, next_ms=NEXT, pushes=1)) for _ in range(3)]

    assert first.word == "fired"
    assert others == [([b"late"], {})] * 3


def test_nothing_fires_before_its_time(planned: World) -> None:
    """By the server's clock, whatever the sender thinks."""
    command = fire(planned.keys, ROW, next_ms=NEXT, pushes=1)

    assert planned.step(command, at=NOW - 1) == ([b"early"], {})


def test_a_skipped_time_only_sets_the_next(planned: World) -> None:
    """For missed times that nobody wants made up."""
    reply, changed = planned.step(fire(planned.keys, ROW, next_ms=NEXT, pushes=0))

    assert reply == [b"skipped", 1000]
    assert changed == {"firing": {"tick": NEXT}}


def test_a_removed_or_changed_schedule_does_not_fire(planned: World) -> None:
    """What was decided by its old form is void."""
    command = fire(planned.keys, ROW, next_ms=NEXT, pushes=1)
    planned.run(schedule(planned.keys, "tick", Spec(Timing(every_ms=2000), b"new"), NOW))
    assert planned.step(command) == ([b"gone"], {})

    planned.run(unschedule(planned.keys, "tick"))
    assert planned.step(command) == ([b"gone"], {})


@pytest.mark.parametrize("state", ["waiting", "running", "scheduled", "parked"])
def test_while_the_last_run_is_not_over_nothing_is_pushed(world: World, state: str) -> None:
    """Wherever in the queue it is; the next time is set all the same."""
    job = NewJob(b"tick", lock=b"l", delay_ms=9000 if state == "scheduled" else None)
    spec = Spec(SPEC.timing, b"tick", job.how())
    world.run(schedule(world.keys, "tick", spec, NOW))
    world.start()
    if state == "parked":
        world.push(NewJob(b"holder", lock=b"l"))
        world.pop()
    world.run(fire(world.keys, Row("tick", spec.write(), NOW, ""), next_ms=NEXT, pushes=1))
    if state in {"running", "parked"}:
        world.pop()

    command = fire(world.keys, again(world, NEXT), next_ms=NEXT + 1000, pushes=1)
    reply, changed = world.step(command, at=NEXT)

    assert reply == [b"overlap", 1000]
    assert changed == {"firing": {"tick": NEXT + 1000}}


@pytest.mark.parametrize("end", ["ack", "fail"])
def test_when_the_last_run_is_over_the_next_is_pushed(planned: World, end: str) -> None:
    """Also if it failed and is kept in the dead list."""
    planned.start()
    planned.run(fire(planned.keys, ROW, next_ms=NEXT, pushes=1))
    (taken,) = planned.pop()
    if end == "ack":
        planned.ack(taken)
    else:
        planned.run(fail(planned.keys, taken.receipt, b"no", 10))

    command = fire(planned.keys, again(planned, NEXT), next_ms=NEXT + 1000, pushes=1)

    assert planned.run(command, at=NEXT) == Fired("fired", 1000, (jid(2, NEXT),))


def test_overlapping_runs_queue_up_where_asked(world: World) -> None:
    """The last one counts as the last job."""
    spec = Spec(Timing(every_ms=1000, overlap="queue"), b"tick")
    row = Row("tick", spec.write(), NOW, "")
    world.run(schedule(world.keys, "tick", spec, NOW))
    world.run(fire(world.keys, row, next_ms=NEXT, pushes=1))

    fired = world.run(fire(world.keys, again(world, NEXT), next_ms=NEXT + 1000, pushes=3), at=NEXT)

    assert fired.ids == tuple(jid(n, NEXT) for n in (2, 3, 4))
    assert world.stats().waiting == 4
    assert world.snapshot()["schedules"]["tick"].startswith(jid(4, NEXT))


def test_jobs_are_pushed_as_asked(world: World) -> None:
    """Unique, locked, to the front: as by a push. A twin in the way counts as the last job."""
    twin = NewJob(b"tick", unique=b"=tick", mode="running", lock=b"l")
    (there,) = world.push(twin)
    spec = Spec(SPEC.timing, twin.payload, twin.how())
    world.run(schedule(world.keys, "tick", spec, NOW))

    fired = world.run(fire(world.keys, Row("tick", spec.write(), NOW, ""), next_ms=NEXT, pushes=1))

    assert fired == Fired("fired", 1000, (there,))
    assert world.stats().waiting == 1
    assert world.stats().refused == 1


def test_a_run_by_hand_leaves_the_times_alone(planned: World) -> None:
    """It is pushed also while the last run is not over, and counts as the last."""
    planned.run(fire(planned.keys, ROW, next_ms=NEXT, pushes=1))
    row = again(planned, NEXT)

    reply, changed = planned.step(fire(planned.keys, row, next_ms=0, pushes=1, at_once=True))

    assert reply == [b"fired", 1000, jid(2).encode()]
    assert changed["schedules"]["tick"].startswith(jid(2))
    assert "firing" not in changed


def test_the_soonest_of_all_schedules_is_told(planned: World) -> None:
    """So that whoever fired knows when to look again; at once if another one is due."""
    planned.run(schedule(planned.keys, "tock", SPEC, NOW - 5))

    assert planned.run(fire(planned.keys, ROW, next_ms=NEXT, pushes=1)).next_in_ms == 0
    row = Row("tock", SPEC.write(), NOW - 5, "")
    assert planned.run(fire(planned.keys, row, next_ms=NOW + 300, pushes=0)).next_in_ms == 300


def test_a_queue_that_was_dropped_is_born_again(world: World) -> None:
    """A schedule written after the drop brings its queue back to life."""
    world.push(b"old")
    world.run(drop(world.keys), lane="l", seq=1)
    world.run(schedule(world.keys, "tick", SPEC, NOW), lane="l", seq=2)

    world.run(fire(world.keys, ROW, next_ms=NEXT, pushes=1))

    after = world.snapshot()
    assert [name for name in after if name.endswith("expires")] == []
    assert "dropped" not in after["clock"]


def test_any_payload_arrives_as_it_is(world: World) -> None:
    """Whatever bytes, in the payload and in the key of a lock."""
    job = NewJob(bytes(range(256)), lock=b"\xff\x00\n ")
    spec = Spec(SPEC.timing, job.payload, job.how())
    world.run(schedule(world.keys, "tick", spec, NOW))
    world.start()

    world.run(fire(world.keys, Row("tick", spec.write(), NOW, ""), next_ms=NEXT, pushes=1))

    (taken,) = world.pop()
    assert (taken.payload, taken.lock) == (job.payload, job.lock)

"""schedules.lua."""

from limpet.commands.schedules import Row, fire, schedule, schedules
from tests.scripts.helpers import NOW, World, jid
from tests.scripts.scenes import ROW, SPEC

RAW = SPEC.write()


def test_schedules_are_listed_by_the_time_they_fire(world: World) -> None:
    """From a position on, with the server's time."""
    for name, time in (("c", 3), ("a", 1), ("b", 2)):
        world.run(schedule(world.keys, name, SPEC, NOW + time))

    listed = world.run(schedules(world.keys, start=1, count=9))

    assert listed.now_ms == NOW
    assert listed.rows == (Row("b", RAW, NOW + 2, ""), Row("c", RAW, NOW + 3, ""))
    assert [row.name for row in world.run(schedules(world.keys, count=1)).rows] == ["a"]
    assert world.run(schedules(world.keys, count=0)).rows == ()


def test_those_whose_time_has_come_are_listed_alone(world: World) -> None:
    """To the millisecond."""
    world.run(schedule(world.keys, "tick", SPEC, NOW))
    world.run(schedule(world.keys, "tock", SPEC, NOW + 1))

    listed = world.run(schedules(world.keys, due=True, count=9))

    assert [row.name for row in listed.rows] == ["tick"]


def test_the_last_job_is_told(world: World) -> None:
    """Once there was one."""
    world.run(schedule(world.keys, "tick", SPEC, NOW))
    world.run(fire(world.keys, ROW, next_ms=NOW + 1000, pushes=1))

    (row,) = world.run(schedules(world.keys, count=9)).rows

    assert row == Row("tick", RAW, NOW + 1000, jid(1))


def test_damage_does_not_hide_the_others(world: World) -> None:
    """A time without a record, a torn record, a time that is none."""
    world.run(schedule(world.keys, "tick", SPEC, NOW))
    world.store.zadd(world.keys["firing"], {"ghost": 5, "torn": 6, "never": "inf"})
    world.store.hset(world.keys["schedules"], mapping={"torn": "torn", "never": b"- " + RAW})

    listed = world.run(schedules(world.keys, count=9))

    assert [(row.name, row.raw, row.next_ms) for row in listed.rows] == [
        ("ghost", b"", 5),
        ("torn", b"", 6),
        ("tick", RAW, NOW),
        ("never", RAW, -1),
    ]
    assert [row.view("q").cron for row in listed.rows] == [None] * 4

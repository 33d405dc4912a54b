"""schedule.lua."""

from limpet.commands.schedules import Spec, fire, schedule
from limpet.tasks.cron import Timing
from tests.scripts.helpers import NOW, World, jid
from tests.scripts.scenes import ROW, SPEC

TEXT = SPEC.write().decode()
OTHER = Spec(Timing(every_ms=2000), b"tick")


def test_a_new_schedule_is_written_with_its_time(world: World) -> None:
    """The record says that there was no job yet."""
    reply, changed = world.step(schedule(world.keys, "tick", SPEC, NOW + 5))

    assert reply == [b"scheduled", b"new"]
    assert changed == {"schedules": {"tick": f"- {TEXT}"}, "firing": {"tick": NOW + 5}}


def test_the_same_schedule_keeps_its_time(world: World) -> None:
    """Workers write their schedules whenever they start: no time is lost or put off by that."""
    world.run(schedule(world.keys, "tick", SPEC, NOW + 5))

    reply, changed = world.step(schedule(world.keys, "tick", SPEC, NOW + 999))

    assert reply == [b"scheduled", b"same"]
    assert changed == {}


def test_a_changed_schedule_gets_the_new_time_and_keeps_its_last_job(world: World) -> None:
    """Whether the last run is over still counts."""
    world.run(schedule(world.keys, "tick", SPEC, NOW))
    world.run(fire(world.keys, ROW, next_ms=NOW + 1000, pushes=1))

    reply, changed = world.step(schedule(world.keys, "tick", OTHER, NOW + 2000))

    assert reply == [b"scheduled", b"changed"]
    assert changed == {
        "schedules": {"tick": f"{jid(1)} {OTHER.write().decode()}"},
        "firing": {"tick": NOW + 2000},
    }


def test_a_schedule_whose_time_got_lost_gets_one(world: World) -> None:
    """Though it is the same."""
    world.run(schedule(world.keys, "tick", SPEC, NOW + 5))
    world.store.delete(world.keys["firing"])

    _, changed = world.step(schedule(world.keys, "tick", SPEC, NOW + 7))

    assert changed == {"firing": {"tick": NOW + 7}}


def test_any_bytes_come_back(world: World) -> None:
    """Payloads need not be text."""
    spec = Spec(Timing(cron="0 3 * * *", tz="Europe/Berlin"), bytes(range(256)), b'{"lock":"\xff"}')

    world.run(schedule(world.keys, "übung \u2713", spec, NOW))

    stored = world.store.hget(world.keys["schedules"], "übung \u2713")
    assert stored == b"- " + spec.write()

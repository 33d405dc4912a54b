"""unschedule.lua."""

from limpet.commands.schedules import schedule, unschedule
from tests.scripts.helpers import NOW, World
from tests.scripts.scenes import SPEC


def test_a_schedule_is_removed(world: World) -> None:
    """With its time; other schedules and jobs stay."""
    world.run(schedule(world.keys, "tick", SPEC, NOW))
    world.run(schedule(world.keys, "tock", SPEC, NOW))

    reply, changed = world.step(unschedule(world.keys, "tick"))

    assert reply == [b"unscheduled", 1]
    assert changed["schedules"].keys() == changed["firing"].keys() == {"tock"}
    assert changed.keys() == {"schedules", "firing"}


def test_what_is_not_there_is_not_removed(world: World) -> None:
    """And nothing is written."""
    assert world.step(unschedule(world.keys, "tick")) == ([b"unscheduled", 0], {})


def test_a_schedule_that_was_changed_meanwhile_stays(world: World) -> None:
    """Who removes what it saw does not remove what somebody else wrote since."""
    world.run(schedule(world.keys, "tick", SPEC, NOW))

    assert world.step(unschedule(world.keys, "tick", b"{}")) == ([b"unscheduled", 0], {})
    assert world.run(unschedule(world.keys, "tick", SPEC.write()))

"""pause.lua."""

from limpet.commands import manage
from tests.scripts.helpers import World


def test_pausing_leaves_a_mark_and_takes_the_wake_up_away(world: World) -> None:
    """Whoever waits is not called while the queue is paused."""
    world.push(b"a")

    reply, changed = world.step(manage.pause(world.keys))

    assert reply == [b"paused"]
    assert changed == {"paused": "1", "wake": None}

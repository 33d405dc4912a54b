"""glimpse.lua."""

from limpet.commands.push import glimpse
from tests.scripts.helpers import World


def test_the_head_of_a_plain_list_is_shown(world: World) -> None:
    """So many elements, as they are; nothing changes."""
    world.store.rpush("old", b"\x00\xff", b"", b"c")

    assert world.step(glimpse(world.keys, "old", 2)) == ([b"list", b"\x00\xff", b""], {})
    assert world.run(glimpse(world.keys, "old", 9)) == [b"\x00\xff", b"", b"c"]


def test_a_list_that_is_not_there_is_empty(world: World) -> None:
    """Nothing is made of it."""
    assert world.run(glimpse(world.keys, "old", 9)) == []

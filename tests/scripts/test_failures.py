"""failures.lua."""

from limpet.commands.look import failures
from limpet.commands.push import NewJob
from limpet.values import Failure
from tests.scripts.helpers import NOW, World, jid
from tests.scripts.scenes import bury


def test_the_newest_errors_come_first(world: World) -> None:
    """From any position; nothing changes."""
    bury(world, NewJob(b"a"), NewJob(b"b"), NewJob(b"c"))

    reply, changed = world.step(failures(world.keys, 1, 2))

    assert reply[0] == b"failures"
    assert changed == {}
    assert world.run(failures(world.keys, 1, 2)) == [
        Failure(jid(2), "no", NOW + 1, 1),
        Failure(jid(1), "no", NOW, 1),
    ]


def test_out_of_range_is_empty(world: World) -> None:
    """Also where nothing failed."""
    assert world.run(failures(world.keys, 0, 9)) == []
    bury(world, NewJob(b"a"))
    assert world.run(failures(world.keys, 1, 9)) == []


def test_a_torn_record_is_shown_as_an_empty_one(world: World) -> None:
    """It does not hide the others."""
    bury(world, NewJob(b"a"))
    world.store.lpush(world.keys["failures"], "{")

    assert [f.id for f in world.run(failures(world.keys, 0, 9))] == ["", jid(1)]

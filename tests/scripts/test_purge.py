"""purge.lua."""

from limpet.commands.manage import purge, revive
from limpet.commands.push import NewJob
from tests.scripts.helpers import NOW, World, jid
from tests.scripts.scenes import bury


def test_dead_jobs_are_forgotten_by_id(world: World) -> None:
    """With all that was noted; others stay, unknown and living ones are left."""
    bury(world, NewJob(b"a", unique=b"=a", mode="running"), NewJob(b"b"))
    world.push(b"c")

    reply, changed = world.step(purge(world.keys, [jid(1), jid(3), "x"], 0))

    assert reply == [b"purged", 1]
    assert changed == {
        "dead": {jid(2): NOW + 1},
        "jobs": {jid(2): "b", jid(3): "c"},
        "meta": {jid(2): {"deliveries": 1, "started": NOW, "reason": "no"}},
    }


def test_without_ids_the_oldest_go_first(world: World) -> None:
    """So many of them."""
    bury(world, NewJob(b"a"), NewJob(b"b"), NewJob(b"c"))

    assert world.run(purge(world.keys, [], 2)) == 2
    assert world.snapshot()["dead"].keys() == {jid(3)}


def test_an_empty_list_stays_empty(world: World) -> None:
    """Nothing is made."""
    assert world.step(purge(world.keys, [], 9)) == ([b"purged", 0], {})


def test_the_same_request_is_answered_not_done_again(world: World) -> None:
    """A late copy without ids forgets no further jobs."""
    bury(world, NewJob(b"a"), NewJob(b"b"))
    world.run(purge(world.keys, [], 1), lane="l", seq=1)

    assert world.step(purge(world.keys, [], 1), lane="l", seq=1) == ([b"purged", 1], {})
    assert world.run(revive(world.keys, [], 9)) == [jid(2)]

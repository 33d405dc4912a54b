"""revive.lua."""

from limpet.commands.finish import fail
from limpet.commands.manage import pause, revive
from limpet.commands.push import NewJob
from tests.scripts.helpers import NOW, World, jid
from tests.scripts.scenes import bury


def test_a_dead_job_gets_another_life_at_the_end_of_the_line(world: World) -> None:
    """Its errors are forgotten, its deliveries are not."""
    bury(world, NewJob(b"a"), NewJob(b"b"))
    world.push(b"c")

    reply, changed = world.step(revive(world.keys, [jid(1)], 0), at=NOW + 9)

    assert reply == [b"revived", [jid(1).encode()]]
    facts = {"deliveries": 1, "started": NOW, "place": 4}
    assert changed == {
        "clock": world.snapshot()["clock"],
        "dead": {jid(2): NOW + 1},
        "meta": {jid(1): facts, jid(2): {"deliveries": 1, "started": NOW, "reason": "no"}},
        "waiting": [jid(3), f"{jid(1)} 4"],
    }


def test_without_ids_the_newest_come_first(world: World) -> None:
    """So many of them."""
    bury(world, NewJob(b"a"), NewJob(b"b"), NewJob(b"c"))

    assert world.run(revive(world.keys, [], 2)) == [jid(3), jid(2)]
    after = world.snapshot()
    assert after["waiting"] == [f"{jid(3)} 4", f"{jid(2)} 5"]
    assert after["dead"].keys() == {jid(1)}
    assert after["wake"] == ["1"]


def test_a_suspect_starts_anew(world: World) -> None:
    """Its crashes and retries are forgotten."""
    bury(world, NewJob(b"a"))
    world.store.hset(
        world.keys["meta"], jid(1), '{"crashes":3,"retries":2,"error":"x","reason":"y"}'
    )

    world.run(revive(world.keys, [jid(1)], 0))

    assert world.facts(jid(1)) == {"place": 2}


def test_a_unique_job_takes_its_key_if_it_is_free(world: World) -> None:
    """If not, it stays dead and nothing changes."""
    bury(world, NewJob(b"a", unique=b"=a", mode="waiting"))
    world.push(NewJob(b"a", unique=b"=a", mode="waiting"))

    assert world.step(revive(world.keys, [jid(1)], 0)) == ([b"revived", []], {})
    world.ack(*world.pop())
    assert world.run(revive(world.keys, [jid(1)], 0)) == [jid(1)]
    assert world.snapshot()["unique"] == {"=a": jid(1)}


def test_of_dead_twins_one_is_revived(world: World) -> None:
    """The first that takes the key."""
    bury(world, NewJob(b"a", unique=b"=a", mode="running"))
    bury(world, NewJob(b"a", unique=b"=a", mode="running"))

    assert world.run(revive(world.keys, [], 9)) == [jid(2)]
    assert world.snapshot()["dead"].keys() == {jid(1)}


def test_jobs_that_are_not_dead_are_left(world: World) -> None:
    """Unknown ids too, and one named twice is revived once."""
    bury(world, NewJob(b"a"))
    world.push(b"b")

    assert world.step(revive(world.keys, [jid(2), "x"], 0)) == ([b"revived", []], {})
    assert world.run(revive(world.keys, [jid(1), jid(1)], 0)) == [jid(1)]


def test_a_paused_queue_calls_nobody(world: World) -> None:
    """The job waits."""
    bury(world, NewJob(b"a"))
    world.run(pause(world.keys))

    _, changed = world.step(revive(world.keys, [], 9))

    assert "wake" not in changed


def test_the_same_request_is_answered_not_done_again(world: World) -> None:
    """A job that died again meanwhile stays dead."""
    bury(world, NewJob(b"a"))
    first = world.send(revive(world.keys, [jid(1)], 0), lane="l", seq=1)
    (delivery,) = world.pop()
    world.run(fail(world.keys, delivery.receipt, b"no", 100))

    assert world.step(revive(world.keys, [jid(1)], 0), lane="l", seq=1) == (first, {})

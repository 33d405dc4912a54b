"""drop.lua."""

from limpet.commands.finish import ack
from limpet.commands.manage import drop
from limpet.commands.push import NewJob, push
from limpet.commands.workers import fail_worker
from limpet.keys import KEY_TYPES
from tests.scripts.helpers import NOW, World, receipts
from tests.scripts.scenes import full


def test_everything_goes_but_the_workers_and_the_memory_of_requests(world: World) -> None:
    """In one step, running jobs included."""
    full(world)
    world.store.set(world.keys["paused"], "1")

    reply, changed = world.step(drop(world.keys))

    kept = {"clock", "crew", "lanes", "sessions", "workers"}
    assert reply == [b"dropped", 1]
    assert world.snapshot().keys() == kept
    assert {name for name, content in changed.items() if content is None} == KEY_TYPES.keys() - kept
    assert changed.keys() - (KEY_TYPES.keys() - kept) == {"clock"}
    assert changed["clock"]["dropped"] == "1"


def test_without_workers_the_rest_expires(world: World) -> None:
    """After an hour nothing is left of the queue."""
    world.push(b"a")

    reply = world.send(drop(world.keys), lane="l")

    names = {"clock", "lanes", "sessions"}
    assert reply == [b"dropped", 1]
    assert world.snapshot().keys() == names | {f"{name} expires" for name in names}
    assert world.store.ttl(world.keys["clock"]) <= 3600


def test_dead_workers_go_too(world: World) -> None:
    """There is nothing left to return."""
    world.start()
    world.start("gone")
    world.run(fail_worker(world.keys, "gone"))

    world.run(drop(world.keys))

    after = world.snapshot()
    assert after["workers"] == {"w1": 10_000}
    assert after["crew"].keys() == {"w1"}


def test_what_is_not_there_is_not_dropped(world: World) -> None:
    """Neither a queue that never was, nor one that was dropped before."""
    assert world.step(drop(world.keys)) == ([b"dropped", 0], {})
    world.push(b"a")
    assert world.run(drop(world.keys)) is True
    assert world.run(drop(world.keys)) is False


def test_late_receipts_and_requests_bring_nothing_back(world: World) -> None:
    """An ack is stale; a copy of an earlier push is answered, not done."""
    world.start()
    late = push(world.keys, [NewJob(b"a")])
    first = world.send(late, lane="l", seq=1)
    held = receipts(*world.pop())
    world.run(drop(world.keys))

    assert world.step(ack(world.keys, held)) == ([b"acked", [1]], {})
    assert world.step(late, lane="l", seq=1, at=NOW + 60_000) == (first, {})


def test_the_same_request_does_not_drop_a_queue_born_again(world: World) -> None:
    """It is answered as the first time."""
    world.push(b"a")
    world.run(drop(world.keys), lane="l", seq=1)
    world.push(b"b")

    assert world.step(drop(world.keys), lane="l", seq=1) == ([b"dropped", 1], {})

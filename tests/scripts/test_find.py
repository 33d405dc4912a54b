"""find.lua."""

from limpet.commands.look import find
from limpet.commands.push import NewJob
from tests.scripts.helpers import World, jid


def test_every_copy_of_a_payload_is_found(world: World) -> None:
    """With whether it runs, wherever it is; nothing changes."""
    world.start()
    world.push(b"a", b"b", NewJob(b"a", delay_ms=5))
    world.pop()

    reply, changed = world.step(find(world.keys, "0", b"a"))

    assert changed == {}
    assert reply[:2] == [b"found", b"0"]
    cursor, pairs = world.run(find(world.keys, "0", b"a"))
    assert cursor == "0"
    assert sorted(pairs) == [(jid(1), True), (jid(3), False)]


def test_a_payload_nobody_has_is_not_found(world: World) -> None:
    """Also in a queue that is not there."""
    assert world.send(find(world.keys, "0", b"a")) == [b"found", b"0", []]
    world.push(b"a")
    assert world.run(find(world.keys, "0", b"")) == ("0", [])


def test_a_large_queue_is_searched_in_steps(world: World) -> None:
    """Each step looks at a bounded number of jobs."""
    world.push(*[b"%d" % (n % 2) for n in range(2000)])

    cursor, steps, found = "", 0, set[str]()
    while cursor != "0":
        cursor, pairs = world.run(find(world.keys, cursor or "0", b"1"))
        found.update(job for job, _ in pairs)
        steps += 1

    assert found == {jid(n) for n in range(2, 2001, 2)}
    assert steps > 1

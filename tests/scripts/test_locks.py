"""locks.lua."""

from limpet.commands.look import locks
from limpet.commands.push import NewJob
from limpet.values import LockView
from tests.scripts.helpers import World, jid


def test_holders_are_shown_with_how_many_wait(world: World) -> None:
    """Locks may be any bytes; those that begin alike are different ones; nothing changes."""
    world.start()
    world.push(NewJob(b"a", lock=b"L"), NewJob(b"b", lock=b"L"), NewJob(b"c", lock=b"L"))
    world.push(NewJob(b"d", lock=b"L\xff|\x00"), NewJob(b"e", lock=b"free", delay_ms=5))
    world.pop(9)

    reply, changed = world.step(locks(world.keys, 0, 9))

    assert reply == [b"locks", b"L", jid(1).encode(), 2, b"L\xff|\x00", jid(4).encode(), 0]
    assert changed == {}
    assert world.run(locks(world.keys, 1, 1)) == [LockView(b"L\xff|\x00", jid(4), 0)]


def test_a_lock_with_a_limit_has_many_holders(world: World) -> None:
    """One line each."""
    world.start()
    world.push(*[NewJob(b"a", lock=b"L", limit=2) for _ in range(3)])
    world.pop(9)

    assert world.run(locks(world.keys, 0, 9)) == [
        LockView(b"L", jid(1), 1),
        LockView(b"L", jid(2), 1),
    ]


def test_where_no_lock_is_held_nothing_is_shown(world: World) -> None:
    """An empty list."""
    assert world.send(locks(world.keys, 0, 9)) == [b"locks"]


def test_an_unreadable_entry_does_not_hide_the_others(world: World) -> None:
    """Verify names it, repair removes it."""
    world.start()
    world.push(NewJob(b"a", lock=b"L"))
    world.pop()
    world.store.zadd(world.keys["locks"], {"nonsense": 0})

    assert LockView(b"L", jid(1), 0) in world.run(locks(world.keys, 0, 9))

"""holds.lua."""

from limpet.commands.workers import holds
from limpet.values import Receipt
from tests.scripts.helpers import NOW, World, jid, receipts


def test_what_a_worker_holds_is_listed_by_receipt(world: World) -> None:
    """Only what still runs, and only its own; nothing changes."""
    world.start()
    world.start("w2")
    world.push(b"a", b"b", b"c")
    done, held = world.pop(2)
    world.pop(1, "w2")
    world.ack(done)

    reply, changed = world.step(holds(world.keys, "w1", 0, ""))

    assert reply == [b"holds", b"", jid(2).encode(), str(held.fence).encode()]
    assert changed == {}


def test_young_hand_outs_are_left_out(world: World) -> None:
    """Their replies may still be on the way."""
    world.start()
    world.push(b"a", b"b")
    old = receipts(*world.pop())
    world.pop(at=NOW + 50)

    assert world.run(holds(world.keys, "w1", 100, ""), at=NOW + 100) == ("", old)


def test_many_hand_outs_are_listed_in_steps(world: World) -> None:
    """Each call says where to go on."""
    world.start()
    world.push(*[b"a"] * 25)
    held = [world.pop()[0].receipt for _ in range(25)]

    after, found = "", list[Receipt]()
    steps = 0
    while after or not steps:
        after, some = world.run(holds(world.keys, "w1", 0, after))
        found += some
        steps += 1

    assert found == held
    assert steps == 3


def test_a_stranger_holds_nothing(world: World) -> None:
    """Also where no queue is."""
    assert world.step(holds(world.keys, "stranger", 0, "")) == ([b"holds", b""], {})

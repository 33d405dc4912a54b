"""renew.lua."""

import pytest

from limpet.commands import manage
from limpet.commands.workers import fail_worker, renew
from limpet.errors import WorkerLost
from limpet.values import Receipt
from tests.scripts.helpers import NOW, World, jid, receipts


def test_the_lease_is_renewed_and_receipts_are_checked(world: World) -> None:
    """Positions of those that hold nothing, and of those that were cancelled."""
    world.start()
    world.push(b"a", b"b")
    held = receipts(*world.pop(2))
    world.run(manage.cancel(world.keys, [jid(2)], None))

    reply, changed = world.step(renew(world.keys, "w1", [Receipt("x", 1), *held]), at=NOW + 5)

    assert reply == [b"renewed", [1], [3]]
    assert changed.keys() == {"clock", "workers"}
    assert changed["workers"] == {"w1": 10_005}


def test_a_lost_worker_is_told_so(world: World) -> None:
    """Its receipts are not looked at."""
    world.start()
    world.run(fail_worker(world.keys, "w1"))

    assert world.step(renew(world.keys, "w1", [])) == ([b"lost"], {})
    with pytest.raises(WorkerLost):
        world.run(renew(world.keys, "w1", []))


def test_without_receipts_only_the_lease_is_renewed(world: World) -> None:
    """Both lists are empty."""
    world.start()

    assert world.send(renew(world.keys, "w1", [])) == [b"renewed", [], []]

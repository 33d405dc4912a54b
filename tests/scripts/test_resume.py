"""resume.lua."""

import pytest

from limpet.commands import manage
from limpet.commands.take import resume
from limpet.commands.workers import fail_worker
from limpet.errors import WorkerLost
from limpet.values import Receipt
from tests.scripts.helpers import NOW, World, fence, jid, lease, receipts


def test_a_timed_out_delivery_is_taken_over(world: World) -> None:
    """New fence, delivery counted; the old receipt holds nothing any more."""
    world.start()
    world.start("w2")
    world.push(b"a")
    (held,) = receipts(*world.pop())

    reply, changed = world.step(resume(world.keys, "w2", held, 100), at=NOW + 100)

    new = fence(0, NOW + 100)
    assert reply[0] == b"popped"
    assert reply[1][2:4] == [[jid(1).encode()], [b"a"]]
    assert changed == {
        "aging": {new: float(new)},
        "clock": world.snapshot()["clock"],
        "held": {f"2:w2|{new}": 0},
        "leases": {new: lease("w2", jid(1), ms=NOW + 100)},
        "meta": {jid(1): {"deliveries": 1, "started": NOW}},
        "running": {jid(1): new},
        "stats": {"recovered": "1"},
    }


def test_of_many_exactly_one_wins(world: World) -> None:
    """The second shows a receipt that is stale by then."""
    world.start()
    world.start("w2")
    world.push(b"a")
    (held,) = receipts(*world.pop())

    won = world.run(resume(world.keys, "w2", held, 0), at=NOW + 1)

    assert won is not None
    assert won.deliveries == 2
    assert world.step(resume(world.keys, "w1", held, 0), at=NOW + 1) == ([b"none"], {})


def test_too_early_over_or_unknown_is_refused(world: World) -> None:
    """Nothing changes."""
    world.start()
    world.push(b"a")
    (held,) = receipts(*world.pop())

    assert world.step(resume(world.keys, "w1", held, 100), at=NOW + 99) == ([b"none"], {})
    assert world.step(resume(world.keys, "w1", Receipt("x", 1), 0)) == ([b"none"], {})
    assert world.run(resume(world.keys, "w1", Receipt("x", 1), 0)) is None


def test_a_cancelled_job_is_not_resumed(world: World) -> None:
    """It was asked to end."""
    world.start()
    world.push(b"a")
    (held,) = receipts(*world.pop())
    world.run(manage.cancel(world.keys, [jid(1)], None))

    assert world.step(resume(world.keys, "w1", held, 0)) == ([b"none"], {})


def test_a_lost_worker_gets_nothing(world: World) -> None:
    """Nor does a stranger."""
    world.start()
    world.push(b"a")
    (held,) = receipts(*world.pop())
    world.run(fail_worker(world.keys, "w1"))

    for name in ("w1", "stranger"):
        assert world.step(resume(world.keys, name, held, 0)) == ([b"lost"], {})
    with pytest.raises(WorkerLost):
        world.run(resume(world.keys, "w1", held, 0))


def test_the_same_request_gets_the_same_hand_out(world: World) -> None:
    """Although the receipt it shows is stale by now."""
    world.start()
    world.push(b"a")
    (held,) = receipts(*world.pop())
    first = world.send(resume(world.keys, "w1", held, 0), lane="l", seq=1)

    assert world.step(resume(world.keys, "w1", held, 0), lane="l", seq=1) == (first, {})

"""recover.lua."""

import pytest

from limpet.commands import manage
from limpet.commands.push import NewJob
from limpet.commands.take import recover
from limpet.commands.workers import fail_worker
from limpet.errors import WorkerLost
from tests.scripts.helpers import NOW, World, fence, jid, lease


def test_old_deliveries_go_to_the_caller_under_a_new_fence(world: World) -> None:
    """Oldest first; the delivery is counted, the rest of the old hand-out stays."""
    world.start()
    world.start("w2")
    world.push(b"a", b"b", b"c")
    world.pop(2)
    world.pop(1, at=NOW + 50)

    reply, changed = world.step(recover(world.keys, "w2", 1, 100), at=NOW + 100)

    new = fence(0, NOW + 100)
    assert reply[0] == b"popped"
    assert reply[1][:2] == [new.encode(), NOW + 100]
    assert reply[1][2:4] == [[jid(1).encode()], [b"a"]]
    assert changed == {
        "aging": {
            fence(): float(fence()),
            fence(0, NOW + 50): float(fence(0, NOW + 50)),
            new: float(new),
        },
        "clock": world.snapshot()["clock"],
        "held": {f"2:w1|{fence()}": 0, f"2:w1|{fence(0, NOW + 50)}": 0, f"2:w2|{new}": 0},
        "leases": {
            fence(): lease("w1", jid(1), jid(2)),
            fence(0, NOW + 50): lease("w1", jid(3), ms=NOW + 50),
            new: lease("w2", jid(1), ms=NOW + 100),
        },
        "left": {fence(): "1"},
        "meta": {jid(1): {"deliveries": 1, "started": NOW}},
        "running": {jid(1): new, jid(2): fence(), jid(3): fence(0, NOW + 50)},
        "stats": {"recovered": "1"},
    }


def test_each_is_handed_over_once_a_call(world: World) -> None:
    """The caller's own deliveries too; young ones are left."""
    world.start()
    world.push(b"a", b"b", b"c")
    world.pop(2)
    world.pop(1, at=NOW + 50)

    taken = world.run(recover(world.keys, "w1", 99, 100), at=NOW + 100)

    assert [d.id for d in taken] == [jid(1), jid(2)]
    assert [d.deliveries for d in taken] == [2, 2]
    assert world.run(recover(world.keys, "w1", 99, 100), at=NOW + 100) == []


def test_nothing_old_enough_changes_nothing(world: World) -> None:
    """The answer is none."""
    world.start()
    world.push(b"a")
    world.pop()

    assert world.step(recover(world.keys, "w1", 9, 100), at=NOW + 99) == ([b"none"], {})


def test_a_lost_worker_gets_nothing(world: World) -> None:
    """Nor does a stranger."""
    world.start()
    world.push(b"a")
    world.pop()
    world.run(fail_worker(world.keys, "w1"))

    for name in ("w1", "stranger"):
        assert world.step(recover(world.keys, name, 9, 0)) == ([b"lost"], {})
    with pytest.raises(WorkerLost):
        world.run(recover(world.keys, "w1", 9, 0))


def test_lock_and_unique_key_stay_with_the_job(world: World) -> None:
    """It never stopped running."""
    world.start()
    world.push(NewJob(b"a", lock=b"L", unique=b"=a", mode="running"), NewJob(b"b", lock=b"L"))
    world.pop(2)

    _, changed = world.step(recover(world.keys, "w1", 9, 0), at=NOW + 1)

    assert changed.keys() & {"locks", "unique", "parked", "front"} == set()


def test_a_suspect_is_on_trial_with_its_new_worker(world: World) -> None:
    """No longer with the one before."""
    world.push(b"a")
    world.start("gone")
    world.pop(1, "gone")
    world.crash("gone")
    world.start()
    world.start("w2")
    world.pop()

    _, changed = world.step(recover(world.keys, "w2", 9, 0), at=NOW + 1)

    assert changed["trials"] == {f"2:w2|{jid(1)}": 0}


def test_cancelled_jobs_and_entries_of_no_job_are_left(world: World) -> None:
    """The next one is taken over instead."""
    world.start()
    world.push(b"a", b"b", b"c")
    world.pop(3)
    world.run(manage.cancel(world.keys, [jid(1)], None))
    world.store.hdel(world.keys["jobs"], jid(2))

    assert [d.id for d in world.run(recover(world.keys, "w1", 9, 0), at=NOW + 1)] == [jid(3)]


def test_the_same_request_gets_the_same_hand_out(world: World) -> None:
    """No further delivery is counted."""
    world.start()
    world.push(b"a")
    world.pop()
    first = world.send(recover(world.keys, "w1", 9, 0), lane="l", seq=1)

    assert world.step(recover(world.keys, "w1", 9, 0), lane="l", seq=1) == (first, {})

"""claim.lua."""

import pytest

from limpet.commands import manage
from limpet.commands.base import Command
from limpet.commands.push import NewJob
from limpet.commands.take import Taker, claim
from limpet.commands.workers import fail_worker
from limpet.errors import WorkerLost
from limpet.values import Claim
from tests.scripts.helpers import NOW, World, fence, jid, lease


def claiming(world: World, *, tended: bool = True) -> Command[Claim | None]:
    """Look once, with a time-out of 100 ms."""
    return claim(world.keys, Taker("w1", "none", 3), 100, tended=tended)


def test_a_job_that_waits_is_taken(world: World) -> None:
    """Exactly one, as by pop."""
    world.start()
    world.push(b"a", b"b")

    reply, changed = world.step(claiming(world))

    assert reply == [b"ready", [fence().encode(), NOW, [jid(1).encode()], [b"a"], []]]
    assert changed == {
        "aging": {fence(): float(fence())},
        "clock": world.snapshot()["clock"],
        "held": {f"2:w1|{fence()}": 0},
        "leases": {fence(): lease("w1", jid(1))},
        "running": {jid(1): fence()},
        "waiting": [jid(2)],
    }


def test_a_timed_out_delivery_is_shown_not_taken(world: World) -> None:
    """The oldest one, with its present receipt."""
    world.start()
    world.push(b"a", b"b")
    world.pop(2)

    reply, changed = world.step(claiming(world), at=NOW + 100)

    assert reply == [b"timedout", [fence().encode(), NOW, [jid(1).encode()], [b"a"], []]]
    assert changed.keys() == {"clock"}
    seen = world.run(claiming(world), at=NOW + 100)
    assert seen is not None
    assert seen.state == "TIMEDOUT"
    assert seen.delivery is not None
    assert seen.delivery.receipt == (jid(1), int(fence()))


def test_only_running_jobs_are_seen_as_processing(world: World) -> None:
    """Nobody timed out."""
    world.start()
    world.push(b"a")
    world.pop()

    assert world.send(claiming(world), at=NOW + 99) == [b"processing"]


def test_an_empty_and_a_paused_queue_have_nothing(world: World) -> None:
    """Two words, one meaning for the caller."""
    world.start()
    assert world.send(claiming(world)) == [b"none"]
    assert world.run(claiming(world)) == Claim("NONE")

    world.push(b"a")
    world.run(manage.pause(world.keys))
    reply, changed = world.step(claiming(world))

    assert reply == [b"paused"]
    assert changed == {}
    assert world.run(claiming(world)) == Claim("NONE")


def test_what_is_due_comes_first(world: World) -> None:
    """The caller keeps house and asks again."""
    world.start()
    world.push(NewJob(b"a", delay_ms=5))

    reply, changed = world.step(claiming(world, tended=False), at=NOW + 5)

    assert reply == [b"tend"]
    assert changed.keys() == {"clock"}
    assert world.run(claiming(world, tended=False), at=NOW + 5) is None


def test_a_lost_worker_is_told_so(world: World) -> None:
    """Nothing is taken."""
    world.start()
    world.push(b"a")
    world.run(fail_worker(world.keys, "w1"))

    assert world.step(claiming(world)) == ([b"lost"], {})
    with pytest.raises(WorkerLost):
        world.run(claiming(world))


def test_cancelled_jobs_are_not_shown_as_timed_out(world: World) -> None:
    """They will end, not be resumed; nor is an entry of no job."""
    world.start()
    world.push(b"a", b"b")
    world.pop(2)
    world.run(manage.cancel(world.keys, [jid(1)], None))
    world.store.hdel(world.keys["jobs"], jid(2))

    assert world.send(claiming(world), at=NOW + 500) == [b"processing"]


def test_a_lock_a_mark_and_a_suspect_are_treated_as_by_pop(world: World) -> None:
    """A job whose lock is held is parked, a unique key freed, a suspect put on trial."""
    world.push(b"suspect")
    world.start("gone")
    world.pop(1, "gone")
    world.crash("gone")
    world.start()
    world.push(NewJob(b"a", lock=b"L", unique=b"=a", mode="waiting"), NewJob(b"b", lock=b"L"), b"c")

    claims = [world.run(claiming(world)) for _ in range(3)]

    assert [c and c.delivery and c.delivery.payload for c in claims] == [b"suspect", b"a", b"c"]
    after = world.snapshot()
    assert after["trials"] == {f"2:w1|{jid(1)}": 0}
    assert after["locks"] == {f"1:L|{jid(2)}": 0}
    assert len(after["parked"]) == 1
    assert "unique" not in after


@pytest.mark.parametrize("wait_ms", [0, 100])
def test_the_same_request_gets_the_same_answer(world: World, wait_ms: int) -> None:
    """Whether a job was taken or only shown."""
    world.start()
    world.push(b"a")
    if wait_ms:
        world.pop()
    first = world.send(claiming(world), lane="l", seq=1, at=NOW + wait_ms)

    again, changed = world.step(claiming(world), lane="l", seq=1, at=NOW + wait_ms)

    assert first[0] == (b"timedout" if wait_ms else b"ready")
    assert again == first
    assert changed == {}

"""ack_and_pop.lua."""

from limpet.commands import manage, workers
from limpet.commands.base import Command
from limpet.commands.push import NewJob
from limpet.commands.take import Taken, Taker, ack_and_pop
from limpet.values import Receipt
from tests.scripts.helpers import NOW, World, fence, jid, lease, receipts

TAKER = Taker("w1", "none", 3)


def both(world: World, done: list[Receipt], count: int = 1) -> Command[Taken]:
    """End some, take some."""
    return ack_and_pop(world.keys, TAKER, done, count)


def test_one_ends_and_the_next_begins(world: World) -> None:
    """Both in one step; the answer carries what pop answers and the refused positions."""
    world.start()
    world.push(b"a", b"b")
    done = receipts(*world.pop())

    reply, changed = world.step(both(world, done))

    handout = [fence(1).encode(), NOW, [jid(2).encode()], [b"b"], []]
    assert reply == [b"popped", handout, -1, 0, 0, []]
    assert changed == {
        "aging": {fence(1): float(fence(1))},
        "clock": world.snapshot()["clock"],
        "held": {f"2:w1|{fence(1)}": 0},
        "jobs": {jid(2): "b"},
        "leases": {fence(1): lease("w1", jid(2))},
        "running": {jid(2): fence(1)},
        "stats": {"completed": "1"},
        "waiting": None,
        "wake": None,
    }


def test_nothing_more_to_do(world: World) -> None:
    """The acks are done all the same."""
    world.start()
    world.push(b"a")
    done = receipts(*world.pop())

    reply = world.send(both(world, [Receipt("x", 1), *done]))

    assert reply == [b"none", -1, 0, 0, [1]]
    assert world.stats().completed == 1
    assert world.run(both(world, done)).not_acked == {1}


def test_a_lock_given_back_lets_the_next_one_run_at_once(world: World) -> None:
    """The parked job is handed out in the same step."""
    world.start()
    world.push(NewJob(b"a", lock=b"L"), NewJob(b"b", lock=b"L"))
    done = receipts(*world.pop(2))

    reply, changed = world.step(both(world, done))

    assert reply[1][2:4] == [[jid(2).encode()], [b"b"]]
    assert changed["locks"] == {f"1:L|{jid(2)}": 0}
    assert changed["parked"] is None


def test_a_worker_that_ends_its_last_job_may_take_a_last_chance(world: World) -> None:
    """After the acks it is idle."""
    world.push(b"poison")
    for _ in range(2):
        world.start("gone")
        world.pop(1, "gone")
        world.crash("gone")
    world.start()
    world.push(b"a")
    world.store.zrem(world.keys["suspects"], jid(1))
    done = receipts(*world.pop())
    world.store.zadd(world.keys["suspects"], {jid(1): 1})

    reply = world.send(both(world, done, 5))

    assert reply[1][3] == [b"poison"]


def test_a_paused_queue_takes_the_acks(world: World) -> None:
    """And hands nothing out."""
    world.start()
    world.push(b"a", b"b")
    done = receipts(*world.pop())
    world.run(manage.pause(world.keys))

    reply, changed = world.step(both(world, done))

    assert reply == [b"paused", []]
    assert changed["stats"] == {"completed": "1"}
    assert "waiting" not in changed


def test_what_is_due_comes_first_but_the_acks_are_done(world: World) -> None:
    """The worker goes on with tend and pop; sent again, nothing is acked twice."""
    world.start()
    world.push(b"a", NewJob(b"b", delay_ms=5))
    done = receipts(*world.pop())

    reply = world.send(both(world, done), lane="l", seq=1, at=NOW + 5)

    assert reply == [b"tend", []]
    assert world.stats().completed == 1
    assert world.step(both(world, done), lane="l", seq=1, at=NOW + 6) == (reply, {})


def test_a_lost_worker_acks_nothing(world: World) -> None:
    """Its jobs are being returned already."""
    world.start()
    world.push(b"a")
    done = receipts(*world.pop())
    world.run(workers.fail_worker(world.keys, "w1"))

    assert world.step(both(world, done)) == ([b"lost"], {})


def test_a_job_cancelled_meanwhile_is_not_acked(world: World) -> None:
    """Its position is among the refused ones."""
    world.start()
    world.push(b"a")
    done = receipts(*world.pop())
    world.run(manage.cancel(world.keys, [jid(1)], None))

    assert world.send(both(world, done)) == [b"none", -1, 0, 0, [1]]
    assert world.stats().cancelled == 1


def test_the_same_request_gets_the_same_answer(world: World) -> None:
    """Hand-out and refused positions."""
    world.start()
    world.push(b"a", b"b", b"c")
    done = [Receipt("x", 1), *receipts(*world.pop())]
    first = world.send(both(world, done, 2), lane="l", seq=1)

    assert first[5] == [1]
    assert world.step(both(world, done, 2), lane="l", seq=1, at=NOW + 9) == (first, {})

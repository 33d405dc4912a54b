"""ack.lua."""

from limpet.commands import manage
from limpet.commands.finish import ack
from limpet.commands.push import NewJob
from limpet.values import Receipt
from tests.scripts.helpers import NOW, World, fence, jid, receipts


def test_done_jobs_leave_nothing_but_a_count(world: World) -> None:
    """The last of a hand-out ends the lease too."""
    world.start()
    world.push(b"a", b"b")
    done = receipts(*world.pop(2))

    reply, changed = world.step(ack(world.keys, done))

    assert reply == [b"acked", []]
    gone = ("aging", "held", "jobs", "leases", "running")
    assert changed == dict.fromkeys(gone) | {"stats": {"completed": "2"}}


def test_part_of_a_hand_out_leaves_the_rest_running(world: World) -> None:
    """The lease notes how many are left."""
    world.start()
    world.push(b"a", b"b", b"c")
    first, *_ = receipts(*world.pop(3))

    _, changed = world.step(ack(world.keys, [first]))

    assert changed == {
        "jobs": {jid(2): "b", jid(3): "c"},
        "left": {fence(): "2"},
        "running": {jid(2): fence(), jid(3): fence()},
        "stats": {"completed": "1"},
    }


def test_stale_receipts_change_nothing(world: World) -> None:
    """Another number, another job, one that is over: the answer tells their positions."""
    world.start()
    world.push(b"a", b"b")
    (held,) = receipts(*world.pop())
    wrong = [Receipt(held.id, held.fence + 1), Receipt(jid(2), held.fence), Receipt("x", 0)]

    reply, changed = world.step(ack(world.keys, wrong))

    assert reply == [b"acked", [1, 2, 3]]
    assert changed == {}


def test_a_receipt_shown_twice_counts_once(world: World) -> None:
    """Both are accepted, the job is counted once."""
    world.start()
    world.push(b"a")
    (held,) = receipts(*world.pop())

    assert world.run(ack(world.keys, [held, held])) == [jid(1)]
    assert world.stats().completed == 1


def test_no_receipts_change_nothing(world: World) -> None:
    """An empty call is an empty answer."""
    world.push(b"a")

    assert world.step(ack(world.keys, [])) == ([b"acked", []], {})


def test_a_unique_job_frees_its_key(world: World) -> None:
    """In the same step; its facts go too."""
    world.start()
    world.push(NewJob(b"a", unique=b"=a", mode="running"))
    done = receipts(*world.pop())

    _, changed = world.step(ack(world.keys, done))

    gone = ("aging", "held", "jobs", "leases", "meta", "running", "unique")
    assert changed == dict.fromkeys(gone) | {"stats": {"completed": "1"}}


def test_a_key_taken_by_a_twin_meanwhile_stays_with_it(world: World) -> None:
    """A job unique while waiting has no claim on it after it was popped."""
    world.start()
    world.push(NewJob(b"a", unique=b"=a", mode="waiting"))
    done = receipts(*world.pop())
    world.push(NewJob(b"a", unique=b"=a", mode="waiting"))

    _, changed = world.step(ack(world.keys, done))

    assert "unique" not in changed
    assert changed["jobs"] == {jid(2): "a"}


def test_the_next_who_waits_for_the_lock_is_called(world: World) -> None:
    """It goes back to its place and somebody is woken; it does not hold the lock yet."""
    world.start()
    world.push(*[NewJob(b"a", lock=b"L") for _ in range(3)])
    done = receipts(*world.pop(3))

    _, changed = world.step(ack(world.keys, done))

    assert changed["locks"] is None
    assert changed["front"] == {jid(2): 2}
    assert list(changed["parked"]) == [f"1:L|4503599627370499{jid(3)}"]
    assert changed["wake"] == ["1"]


def test_an_entry_of_no_job_does_not_hide_those_behind_it(world: World) -> None:
    """The first that is there is called."""
    world.start()
    world.push(*[NewJob(b"a", lock=b"L") for _ in range(3)])
    done = receipts(*world.pop(3))
    world.store.hdel(world.keys["jobs"], jid(2))

    _, changed = world.step(ack(world.keys, done))

    assert changed["front"] == {jid(3): 3}
    assert changed["parked"] is None


def test_a_suspect_that_ends_well_ends_its_trial(world: World) -> None:
    """Its worker may get another suspect."""
    world.push(b"a")
    world.start("gone")
    world.pop(1, "gone")
    world.crash("gone")
    world.start()
    done = receipts(*world.pop())

    _, changed = world.step(ack(world.keys, done))

    assert changed["trials"] is None
    assert changed["meta"] is None


def test_a_job_cancelled_meanwhile_ends_as_cancelled(world: World) -> None:
    """Its receipt is not accepted, and it is not counted as completed."""
    world.start()
    world.push(b"a", b"b")
    one, two = receipts(*world.pop(2))
    world.run(manage.cancel(world.keys, [jid(1)], None))

    reply, changed = world.step(ack(world.keys, [one, two]))

    assert reply == [b"acked", [1]]
    assert changed["cancelled"] is None
    assert changed["stats"] == {"cancelled": "1", "completed": "1"}
    assert changed["jobs"] is None


def test_the_same_request_is_answered_not_done_again(world: World) -> None:
    """The receipts are stale by now, but this is the same ack."""
    world.start()
    world.push(b"a")
    done = receipts(*world.pop())
    world.run(ack(world.keys, done), lane="l", seq=1)

    assert world.step(ack(world.keys, done), lane="l", seq=1, at=NOW + 9) == ([b"acked", []], {})
    assert world.send(ack(world.keys, done), lane="l", seq=2) == [b"acked", [1]]

"""Groups at the edge: followers that are special themselves, long chains, large batches."""

import pytest

from limpet.commands import finish, manage, workers
from limpet.commands.notes import result
from limpet.commands.push import NewJob
from limpet.flows import audit
from limpet.values import Outcome, Tally
from tests.scripts.helpers import HOUR, World, jid

LEFTOVERS = {"groups", "members", "parked", "meta", "jobs", "waiting", "front", "unique", "locks"}


def assert_sound(world: World) -> None:
    """Nothing is wrong with the queue."""
    assert world.drive(audit.verify(world.keys)).problems == ()


def assert_nothing_left(world: World) -> None:
    """No job, no group, and nothing wrong."""
    assert world.snapshot().keys().isdisjoint(LEFTOVERS)
    assert_sound(world)


def test_a_unique_follower_holds_its_key_while_it_waits(world: World) -> None:
    """Another push of it is refused until it is called off; then the key is free."""
    world.start()
    twin = {"unique": b"=t", "mode": "waiting"}
    then = NewJob(b"t", after="g", needs=True, **twin)  # type: ignore[arg-type]
    _, follower = world.push(NewJob(b"a", group="g"), then)

    assert world.push(NewJob(b"t", **twin)) == [follower]  # type: ignore[arg-type]
    world.run(finish.fail(world.keys, world.pop()[0].receipt, b"no", 0))

    assert world.push(NewJob(b"t", **twin)) != [follower]  # type: ignore[arg-type]
    assert_sound(world)


def test_a_locked_follower_waits_for_its_group_and_then_for_its_lock(world: World) -> None:
    """A free lock does not call it early, and a member that holds it is no obstacle."""
    world.start()
    lock = {"lock": b"L"}
    world.push(
        NewJob(b"a", group="g", **lock),  # type: ignore[arg-type]
        NewJob(b"t", after="g", **lock),  # type: ignore[arg-type]
        NewJob(b"b", **lock),  # type: ignore[arg-type]
    )
    a = world.pop(5)

    world.ack(*a)
    (t,) = world.pop(5)

    assert (t.payload, t.tally) == (b"t", Tally(done=1))
    assert_sound(world)
    world.ack(t)
    (b,) = world.pop(5)
    world.ack(b)
    assert_nothing_left(world)


def test_a_follower_that_is_called_off_has_an_outcome(world: World) -> None:
    """Whoever waits for its result is told why there is none."""
    world.start()
    _, then = world.push(NewJob(b"a", group="g"), NewJob(b"t", after="g", needs=True, keep_ms=HOUR))

    world.run(finish.fail(world.keys, world.pop()[0].receipt, b"no", 0))

    why = b"a step before it did not succeed"
    assert world.run(result(world.keys, then)) == Outcome(then, "cancelled", why, world.now)


@pytest.mark.parametrize("needs", [False, True])
def test_a_member_merged_into_its_twin_is_not_waited_for(world: World, *, needs: bool) -> None:
    """It counts as cancelled: the twin is another job, of no group."""
    world.start()
    twin = {"unique": b"=a", "mode": "waiting"}
    world.push(NewJob(b"a", group="g", **twin), NewJob(b"t", after="g", needs=needs))  # type: ignore[arg-type]
    (held,) = world.pop()
    world.push(NewJob(b"a", **twin))  # type: ignore[arg-type]

    world.run(finish.retry(world.keys, held.receipt, 5, b"no"))

    assert world.stats().merged == 1
    found = world.pop(5)
    expected = [(b"a", None)] if needs else [(b"t", Tally(cancelled=1)), (b"a", None)]
    assert [(d.payload, d.tally) for d in found] == expected
    world.ack(*found)
    assert_nothing_left(world)


def test_a_chain_whose_follower_is_cancelled_ends_there(world: World) -> None:
    """The one behind it is called off, the one before it goes on."""
    world.start()
    _, second, _ = world.push(
        NewJob(b"1", group="c1"),
        NewJob(b"2", after="c1", group="c2", needs=True),
        NewJob(b"3", after="c2", needs=True),
    )

    assert world.run(manage.cancel(world.keys, [second], None)) == 1

    assert (world.stats().pending, world.stats().cancelled) == (1, 2)
    world.ack(*world.pop(5))
    assert_nothing_left(world)


def test_the_last_member_may_be_given_up_by_tend(world: World) -> None:
    """Its follower is called in the same step, with a wake-up."""
    world.start()
    world.start("w2")
    world.push(NewJob(b"a", group="g"), NewJob(b"t", after="g"))
    world.pop(1, "w2")
    world.run(workers.fail_worker(world.keys, "w2"))
    world.store.delete(world.keys["wake"])

    world.tend(crash_limit=1)

    assert world.store.llen(world.keys["wake"]) == 1
    (then,) = world.pop()
    assert then.tally == Tally(failed=1)


def test_a_batch_of_a_thousand(world: World) -> None:
    """All members are counted, and nothing is left of them."""
    world.start()
    world.push(*[NewJob(b"%d" % n, group="g") for n in range(999)], NewJob(b"t", after="g"))

    seen = 0
    while len(found := world.pop(100)) > 1:
        seen += len(found)
        world.ack(*found)
    (then,) = found or world.pop()

    assert (seen, then.payload, then.tally) == (999, b"t", Tally(done=999))
    world.ack(then)
    assert_nothing_left(world)


@pytest.mark.parametrize("steps", [300, 1000])
def test_a_long_chain_that_fails_at_once(world: World, steps: int) -> None:
    """All steps behind the first are called off in one go."""
    world.start()
    chain = [
        NewJob(b"%d" % n, group=f"c{n}", after=f"c{n - 1}", needs=True) for n in range(1, steps)
    ]
    world.push(NewJob(b"0", group="c0"), *chain)
    (held,) = world.pop(5)

    assert world.run(finish.fail(world.keys, held.receipt, b"no", 0))

    assert (world.stats().pending, world.stats().cancelled) == (0, steps - 1)
    assert_nothing_left(world)


def test_a_drop_in_the_middle_leaves_nothing(world: World) -> None:
    """A late end of a member changes nothing, and the name of the group is free again."""
    world.start()
    jobs = [NewJob(b"a", group="g"), NewJob(b"b", group="g"), NewJob(b"t", after="g")]
    world.push(*jobs)
    first, second = world.pop(2)
    world.ack(first)
    world.run(manage.drop(world.keys))

    assert not world.run(finish.complete(world.keys, second.receipt, b"42"))
    assert_nothing_left(world)

    world.push(*jobs)
    world.ack(*world.pop(2))
    assert [d.tally for d in world.pop()] == [Tally(done=2)]


def test_a_revived_job_is_pending_until_it_ends_again(world: World) -> None:
    """What is kept of its failure is not shown while it waits and runs."""
    world.start()
    world.push(NewJob(b"a", keep_ms=HOUR))
    world.run(finish.fail(world.keys, world.pop()[0].receipt, b"boom", 10))
    failed = world.run(result(world.keys, jid(1)))

    world.run(manage.revive(world.keys, [jid(1)], 1))

    assert failed == Outcome(jid(1), "failed", b"boom", world.now)
    assert world.run(result(world.keys, jid(1))) is None
    world.pop()
    assert world.run(result(world.keys, jid(1))) is None


def test_any_number_of_jobs_may_follow_a_group(world: World) -> None:
    """All of them are called."""
    world.start()
    world.push(NewJob(b"a", group="g"), *[NewJob(b"then", after="g") for _ in range(25)])

    world.ack(*world.pop())

    assert [d.payload for d in world.pop(100)] == [b"then"] * 25


def test_an_id_used_again_has_no_outcome_of_before(world: World) -> None:
    """The second job kept none, so none is known."""
    world.start()
    world.push(NewJob(b"a", id="x", keep_ms=HOUR))
    world.run(finish.complete(world.keys, world.pop()[0].receipt, b"old"))
    world.push(NewJob(b"b", id="x"))
    world.run(finish.fail(world.keys, world.pop()[0].receipt, b"no", 0))

    assert world.run(result(world.keys, "x")) == Outcome("x", "unknown")
    assert world.snapshot().keys().isdisjoint({"results", "expiring"})

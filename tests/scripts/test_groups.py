"""Groups: members and the jobs that follow them, in every script that ends a job."""

import pytest

from limpet.commands import finish, manage, workers
from limpet.commands.push import NewJob
from limpet.values import Delivery, Tally
from tests.scripts.helpers import HOUR, World

MEMBERS = [NewJob(name.encode(), group="g") for name in ("a", "b", "c")]
THEN = NewJob(b"then", after="g")


def payloads(deliveries: list[Delivery]) -> list[str]:
    """What was handed out."""
    return [d.payload.decode() for d in deliveries]


def test_a_follower_waits_until_all_members_ended(world: World) -> None:
    """Parked until then, at its own place after; it knows how they ended."""
    world.start()
    world.push(*MEMBERS, THEN, b"later")
    first, second, third = world.pop(3)

    world.ack(first)
    world.run(finish.fail(world.keys, second.receipt, b"no", 0))
    assert world.stats().parked == 1
    world.ack(third)

    assert world.stats().parked == 0
    then, later = world.pop(5)
    assert (then.payload, then.tally) == (b"then", Tally(done=2, failed=1))
    assert (later.payload, later.tally) == (b"later", None)
    world.ack(then, later)
    assert world.snapshot().keys().isdisjoint({"groups", "members", "parked", "meta"})


def test_members_that_crash_or_are_cancelled_are_not_waited_for(world: World) -> None:
    """Cancelled before it ran, cancelled while it ran, given up after deaths: all count."""
    world.start()
    world.start("w2")
    (_, b, c, _) = world.push(*MEMBERS, THEN)
    world.pop(1, "w2")
    (running,) = world.pop()
    world.run(manage.cancel(world.keys, [b, c], None))
    world.ack(running)
    world.run(workers.fail_worker(world.keys, "w2"))
    world.tend(crash_limit=1)

    (then,) = world.pop()

    assert then.tally == Tally(failed=1, cancelled=2)


def test_a_retried_member_is_still_a_member(world: World) -> None:
    """Neither a retry nor a release ends it."""
    world.start()
    world.push(NewJob(b"a", group="g"), THEN)
    (held,) = world.pop()
    world.run(finish.retry(world.keys, held.receipt, HOUR, b"no"))
    assert world.pop() == []
    world.now += HOUR
    world.tend()
    (held,) = world.pop()
    world.run(finish.release(world.keys, [held.receipt], None))
    (held,) = world.pop()

    world.ack(held)

    assert payloads(world.pop()) == ["then"]


@pytest.mark.parametrize("how", ["fail", "cancel"])
def test_a_chain_ends_with_the_step_that_does_not_succeed(world: World, how: str) -> None:
    """What needed it is called off, and what needed that; nothing is left behind."""
    world.start()
    first, *_ = world.push(
        NewJob(b"1", group="c1"),
        NewJob(b"2", after="c1", group="c2", needs=True, keep_ms=HOUR),
        NewJob(b"3", after="c2", needs=True),
    )
    (held,) = world.pop(5)
    if how == "fail":
        world.run(finish.fail(world.keys, held.receipt, b"no", 0))
    else:
        world.run(manage.cancel(world.keys, [first], None))
        world.ack(held)

    found = world.stats()
    assert (found.pending, found.cancelled) == (0, 2 if how == "fail" else 3)
    left = {"groups", "members", "parked", "meta", "jobs", "waiting", "front"}
    assert world.snapshot().keys().isdisjoint(left)


def test_a_chain_runs_step_by_step(world: World) -> None:
    """Each when the one before is done."""
    world.start()
    world.push(
        NewJob(b"1", group="c1"),
        NewJob(b"2", after="c1", group="c2", needs=True),
        NewJob(b"3", after="c2", needs=True),
    )
    seen = []
    while found := world.pop(5):
        seen.append(payloads(found))
        world.ack(*found)

    assert seen == [["1"], ["2"], ["3"]]


def test_a_group_without_members_is_not_waited_for(world: World) -> None:
    """All of them were there already, as other jobs: the follower runs at once."""
    world.start()
    twin = {"unique": b"=a", "mode": "waiting"}
    world.push(NewJob(b"a", **twin))  # type: ignore[arg-type]

    world.push(NewJob(b"a", group="g", **twin), THEN)  # type: ignore[arg-type]

    assert payloads(world.pop(5)) == ["then", "a"]


def test_a_cancelled_follower_leaves_its_group_alone(world: World) -> None:
    """The members go on; nobody follows."""
    world.start()
    _, then = world.push(NewJob(b"a", group="g"), THEN)

    assert world.run(manage.cancel(world.keys, [then], None)) == 1
    world.ack(*world.pop())

    assert world.stats().pending == 0
    assert world.snapshot().keys().isdisjoint({"groups", "members", "parked"})


def test_a_revived_member_does_not_count_twice(world: World) -> None:
    """Its group was complete without it."""
    world.start()
    member, _ = world.push(NewJob(b"a", group="g"), THEN)
    world.run(finish.fail(world.keys, world.pop()[0].receipt, b"no", 10))
    world.run(manage.revive(world.keys, [member], 1))

    found = world.pop(5)
    world.ack(*found)

    assert payloads(found) == ["then", "a"]
    assert world.stats().pending == 0


def test_all_workers_of_a_batch_may_die(world: World) -> None:
    """The members come back, the follower waits on."""
    world.start("w2")
    world.push(*MEMBERS, THEN)
    world.pop(3, "w2")
    world.crash("w2")
    world.start()

    seen = []
    while found := world.pop(5):
        seen += payloads(found)
        world.ack(*found)

    assert seen == ["a", "b", "c", "then"]

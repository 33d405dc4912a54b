"""explain.lua."""

import pytest

from limpet.commands import finish, manage, workers
from limpet.commands.explain import explain
from limpet.commands.push import NewJob
from limpet.options import WorkerOptions
from limpet.states import State
from limpet.tasks.standing import Hand, Holder, Standing
from limpet.values import Outcome, Tally
from tests.scripts.helpers import HOUR, NOW, World, jid
from tests.scripts.scenes import full

LEASE = 10_000


def look(world: World, job_id: str, at: int | None = None) -> Standing:
    """Gather how a job stands; it must be there."""
    found = world.run(explain(world.keys, job_id), at=at)
    assert isinstance(found, Standing)
    return found


@pytest.mark.parametrize(
    ("name", "state", "position"),
    [
        ("dead", State.DEAD, 0),
        ("suspect", State.WAITING, 1),
        ("holder", State.RUNNING, 0),
        ("parked", State.PARKED, 0),
        ("front", State.WAITING, 2),
        ("released", State.WAITING, 3),
        ("later", State.SCHEDULED, 0),
        ("waiting", State.WAITING, 4),
        ("own", State.WAITING, 5),
        ("unique", State.WAITING, 6),
        ("locked", State.WAITING, 7),
        ("follower", State.PARKED, 0),
        ("strange", State.PARKED, 0),
    ],
)
def test_every_job_is_found_at_its_position(
    world: World, name: str, state: State, position: int
) -> None:
    """Suspects, then the front, then the line without cancelled jobs; nothing changes."""
    scene = full(world)

    reply, changed = world.step(explain(world.keys, scene[name]))

    found = explain(world.keys, scene[name]).read(reply)
    assert isinstance(found, Standing)
    assert changed == {}
    assert (found.job.state, found.position, found.line) == (state, position, 8)


def test_the_order_is_that_in_which_jobs_are_served(world: World) -> None:
    """A job at position n comes with the nth pop."""
    world.start()
    ids = world.push(b"a", NewJob(b"b", id="mine"), b"gone", NewJob(b"c", front=True), b"d")
    world.run(manage.cancel(world.keys, [ids[2]], None))
    standing = {i: look(world, i).position for i in ids if i != ids[2]}

    served = [delivery.id for delivery in world.pop(9)]

    assert sorted(standing, key=standing.__getitem__) == served


def test_a_job_far_behind_is_not_searched_for(world: World) -> None:
    """Beyond 10,000 entries it is only known to be there."""
    ids = [job for _ in range(11) for job in world.push(*[b"x"] * 1000)]

    assert look(world, ids[9_999]).position == 10_000
    assert (look(world, ids[10_000]).position, look(world, ids[-1]).line) == (-1, 11_000)


def test_cancelled_jobs_before_it_are_left_out_as_far_as_it_looks(world: World) -> None:
    """Of a line full of them the nearest thousand entries are looked at, and no more."""
    ids = [job for _ in range(3) for job in world.push(*[b"x"] * 1000)]
    for first in (1, 1001):
        world.run(manage.cancel(world.keys, ids[first : first + 1000], None))

    near, first, last = (look(world, ids[n]) for n in (0, 2001, 2999))
    assert [seen.position for seen in (near, first, last)] == [1, 1003, 2001]
    assert [seen.guess for seen in (near, first, last)] == [False, True, True]
    assert last.line == 1000


def test_a_job_in_no_line_is_told_from_one_far_behind(world: World) -> None:
    """Somebody deleted keys by hand."""
    world.push(b"a")
    world.store.delete(world.keys["waiting"])

    found = look(world, jid(1))

    assert (found.job.state, found.position) == (State.WAITING, 0)


def test_a_parked_job_tells_who_holds_its_lock(world: World) -> None:
    """Five of them with worker and time; how many there are, and how many wait before it."""
    world.start()
    world.push(*[NewJob(b"x", lock=b"L\xff", limit=6) for _ in range(9)])
    held = world.pop(9)

    found = look(world, jid(9), at=NOW + 70)

    assert (found.job.state, found.held, found.limit, found.before) == (State.PARKED, 6, 6, 2)
    assert found.holders == tuple(Holder(delivery.id, "w1", NOW) for delivery in held[:5])
    assert found.now_ms == NOW + 70


def test_a_follower_tells_what_it_waits_for(world: World) -> None:
    """Some members, how many are left, how others ended."""
    world.start()
    members = [NewJob(b"m", group="g:|") for _ in range(8)]
    *_, last = world.push(*members, NewJob(b"f", after="g:|", needs=True))
    done, failed = world.pop(2)
    world.ack(done)
    world.run(finish.fail(world.keys, failed.receipt, b"no", 10))

    found = look(world, last)

    assert (found.follows, found.needs, found.left) == (True, True, 6)
    assert found.awaited == tuple(jid(n) for n in range(3, 8))
    assert found.tally == Tally(done=1, failed=1)


def test_a_job_set_aside_tells_its_task_and_who_works(world: World) -> None:
    """With the tasks that each worker knows."""
    world.start()
    knowing = WorkerOptions(tasks=("mail", "é"))
    world.run(workers.start_work(world.keys, "w2", knowing, "host", 1))
    world.push(b"a")
    (held,) = world.pop()
    world.run(finish.strand(world.keys, held.receipt, "é"))

    found = look(world, jid(1))

    assert (found.task, found.workers) == ("é", 2)
    assert set(found.crew) == {Hand("w1", ()), Hand("w2", ("mail", "é"))}


def test_workers_that_fell_silent_are_not_counted(world: World) -> None:
    """Also before anybody noticed: when all are gone, nobody is there to."""
    world.start()
    world.start("forever", lease=None)
    world.push(b"a")
    world.pop()

    early, late = (look(world, jid(1), at=NOW + ms) for ms in (LEASE, LEASE + 1))

    assert (early.workers, early.silent, early.alive) == (2, 0, True)
    assert (late.workers, late.silent, late.alive) == (1, 1, False)
    assert late.crew == (Hand("forever", ()),)


def test_a_running_job_tells_whether_it_was_cancelled(world: World) -> None:
    """Beside how many run."""
    world.start()
    world.push(b"a", b"b")
    world.pop(2)
    world.run(manage.cancel(world.keys, [jid(1)], None))

    assert [look(world, jid(n)).told for n in (1, 2)] == [True, False]
    assert look(world, jid(1)).running == 2


def test_a_pause_is_told(world: World) -> None:
    """For every job of the queue."""
    world.push(b"a")
    world.run(manage.pause(world.keys))

    assert look(world, jid(1)).paused


def test_an_ended_job_is_told_while_its_outcome_is_kept(world: World) -> None:
    """Later it is unknown, as one that never was."""
    world.start()
    world.push(NewJob(b"a", keep_ms=HOUR), b"b")
    world.run(finish.complete(world.keys, world.pop()[0].receipt, b"7"))

    assert world.run(explain(world.keys, jid(1))) == Outcome(jid(1), "done", at=NOW)
    assert world.run(explain(world.keys, jid(1)), at=NOW + HOUR) is None
    assert world.step(explain(world.keys, jid(3))) == ([b"unknown"], {})


@pytest.mark.parametrize("torn", ["{", "[]", '{"lock": 7, "limit": "x", "after": {}, "task": []}'])
def test_torn_facts_count_as_not_said(world: World, torn: str) -> None:
    """Whatever stands in the record, the look has an answer."""
    world.push(NewJob(b"a", lock=b"L"))
    world.store.hset(world.keys["meta"], jid(1), torn)

    found = look(world, jid(1))

    assert (found.job.state, found.position, found.limit) == (State.WAITING, 1, 1)
    assert (found.holders, found.task, found.follows) == ((), None, False)

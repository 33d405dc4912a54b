"""tend.lua."""

from limpet.commands import manage
from limpet.commands.finish import retry
from limpet.commands.push import NewJob
from limpet.commands.workers import fail_worker, tend
from tests.scripts.helpers import NOW, World, jid, receipts


def test_nothing_to_do_changes_nothing_but_the_clock(world: World) -> None:
    """A living worker and a job for later stay as they are."""
    world.start()
    world.push(NewJob(b"a", delay_ms=500))

    reply, changed = world.step(tend(world.keys, 3, 10), at=NOW + 5)

    assert reply == [b"tended", 0, 0, 0]
    assert changed.keys() == {"clock"}


def test_due_jobs_go_to_the_end_of_the_line(world: World) -> None:
    """In the order they were due, with a new place each."""
    world.push(
        NewJob(b"late", delay_ms=20), NewJob(b"early", delay_ms=10), NewJob(b"no", delay_ms=99)
    )
    world.push(b"a")

    reply, changed = world.step(tend(world.keys, 3, 10), at=NOW + 20)

    assert reply == [b"tended", 2, 0, 0]
    assert changed == {
        "clock": world.snapshot()["clock"],
        "meta": {jid(2): {"place": 5}, jid(1): {"place": 6}},
        "scheduled": {jid(3): NOW + 99},
        "waiting": [jid(4), f"{jid(2)} 5", f"{jid(1)} 6"],
    }


def test_due_jobs_come_in_a_bounded_number_a_call(world: World) -> None:
    """The answer says that there are more."""
    world.push(*[NewJob(b"a", delay_ms=5) for _ in range(3)])

    assert world.send(tend(world.keys, 3, 10, 2), at=NOW + 5) == [b"tended", 2, 0, 1]
    assert world.send(tend(world.keys, 3, 10, 2), at=NOW + 5) == [b"tended", 1, 0, 0]


def test_a_scheduled_entry_of_no_job_is_dropped(world: World) -> None:
    """It does not come back as a job."""
    world.push(NewJob(b"a", delay_ms=5), b"b")
    world.store.hdel(world.keys["jobs"], jid(1))

    _, changed = world.step(tend(world.keys, 3, 10), at=NOW + 5)

    assert changed.keys() == {"clock", "scheduled"}


def test_jobs_of_a_dead_worker_return_as_suspects(world: World) -> None:
    """Crash and delivery are counted; the worker is forgotten, others keep theirs."""
    world.start("gone")
    world.start()
    world.push(b"a", b"b", b"c")
    world.pop(2, "gone")
    world.pop()
    world.run(fail_worker(world.keys, "gone"))

    reply, changed = world.step(tend(world.keys, 3, 10), at=NOW + 5)

    assert reply == [b"tended", 0, 2, 0]
    assert changed["suspects"] == {jid(1): 1, jid(2): 2}
    facts = {"crashes": 1, "deliveries": 1, "started": NOW}
    assert changed["meta"] == {jid(1): facts, jid(2): facts}
    assert changed["stats"] == {"recovered": "2"}
    assert changed["wake"] == ["1"]
    assert changed["workers"] == {"w1": 10_000}
    assert changed["crew"].keys() == {"w1"}
    assert changed["running"].keys() == {jid(3)}
    rest = {"aging", "clock", "held", "leases"}
    assert changed.keys() == rest | {
        "suspects",
        "meta",
        "stats",
        "wake",
        "workers",
        "crew",
        "running",
    }


def test_a_lease_ends_on_the_clock_of_the_queue(world: World) -> None:
    """An outage of an hour takes nothing away; silence does, call by call."""
    world.start()
    world.push(b"a")
    world.pop()

    assert world.send(tend(world.keys, 3, 10), at=NOW + 3_600_000) == [b"tended", 0, 0, 0]
    assert world.send(tend(world.keys, 3, 10), at=NOW + 3_604_500) == [b"tended", 0, 0, 0]
    assert world.send(tend(world.keys, 3, 10), at=NOW + 3_609_000) == [b"tended", 0, 1, 0]


def test_a_worker_that_is_being_cleared_away_is_dead_for_good(world: World) -> None:
    """Many jobs return a bounded number a call; in between it may not come back."""
    world.start()
    world.push(b"a", b"b", b"c")
    world.pop(3)
    world.store.hset(world.keys["clock"], "tick", 99_999)

    reply = world.send(tend(world.keys, 3, 10, 2))

    assert reply == [b"tended", 0, 2, 1]
    assert world.snapshot()["workers"] == {"w1": float("-inf")}
    assert world.send(tend(world.keys, 3, 10, 2)) == [b"tended", 0, 1, 0]
    assert "workers" not in world.snapshot()


def test_one_dead_worker_is_cleared_away_a_call(world: World) -> None:
    """The answer says that there is another."""
    for name in ("w1", "w2"):
        world.start(name)
        world.run(fail_worker(world.keys, name))

    assert world.send(tend(world.keys, 3, 10)) == [b"tended", 0, 0, 1]
    assert world.send(tend(world.keys, 3, 10)) == [b"tended", 0, 0, 0]


def crashed(world: World, times: int, limit: int, dead_limit: int = 10) -> None:
    """Let the worker of one job die so often."""
    world.push(b"a")
    for _ in range(times):
        world.start("gone")
        world.pop(1, "gone")
        world.run(fail_worker(world.keys, "gone"))
        world.run(tend(world.keys, limit, dead_limit))


def test_the_last_crash_ends_a_job(world: World) -> None:
    """It is kept among the dead with the reason."""
    crashed(world, 3, 3)

    after = world.snapshot()
    assert after["dead"] == {jid(1): NOW}
    assert after["failures"][0]["message"] == "its worker died 3 times"
    assert after["meta"][jid(1)]["crashes"] == 3
    assert after["stats"] == {"completed": "1", "failed": "1", "recovered": "2"}
    assert "suspects" not in after


def test_without_a_limit_a_job_always_comes_back(world: World) -> None:
    """Zero means never to give up."""
    crashed(world, 5, 0)

    assert world.facts(jid(1))["crashes"] == 5
    assert world.snapshot()["suspects"] == {jid(1): 1}


def test_where_no_dead_are_kept_the_job_is_gone(world: World) -> None:
    """Its error stays among the last hundred."""
    crashed(world, 1, 1, 0)

    after = world.snapshot()
    assert after.keys() == {"clock", "failures", "stats"}


def test_locks_marks_and_cancelled_jobs_of_a_dead_worker(world: World) -> None:
    """The next for the lock is called, the key is taken again, a cancelled job ends."""
    world.start("gone")
    world.push(NewJob(b"a", lock=b"L", unique=b"=a", mode="waiting"), NewJob(b"b", lock=b"L"), b"c")
    world.pop(3, "gone")
    world.run(manage.cancel(world.keys, [jid(3)], None))
    world.run(fail_worker(world.keys, "gone"))

    reply, changed = world.step(tend(world.keys, 3, 10))

    assert reply == [b"tended", 0, 2, 0]
    assert changed["suspects"] == {jid(1): 1}
    assert changed["front"] == {jid(2): 2}
    assert changed["unique"] == {"=a": jid(1)}
    assert changed["jobs"].keys() == {jid(1), jid(2)}
    assert (changed["locks"], changed["parked"], changed["cancelled"]) == (None, None, None)
    assert changed["stats"] == {"cancelled": "1", "recovered": "1"}


def test_a_due_suspect_goes_back_among_suspects(world: World) -> None:
    """It was retried after a crash; it gets a new place as all due jobs do."""
    crashed(world, 1, 3)
    world.start()
    (held,) = receipts(*world.pop())
    world.run(retry(world.keys, held, 5, b"no"))

    reply, changed = world.step(tend(world.keys, 3, 10), at=NOW + 5)

    assert reply == [b"tended", 1, 0, 0]
    assert changed["suspects"] == {jid(1): 2}
    assert "waiting" not in changed


def test_a_lost_token_is_renewed(world: World) -> None:
    """Jobs wait and whoever took the token never came."""
    world.push(b"a")
    world.store.delete(world.keys["wake"])

    _, changed = world.step(tend(world.keys, 3, 10))

    assert changed["wake"] == ["1"]


def test_the_last_worker_of_a_dropped_queue_lets_it_expire(world: World) -> None:
    """Also when it did not leave but died."""
    world.start()
    world.push(b"a")
    world.run(manage.drop(world.keys))
    world.run(fail_worker(world.keys, "w1"))

    world.run(tend(world.keys, 3, 10))

    assert world.snapshot().keys() == {"clock", "clock expires"}

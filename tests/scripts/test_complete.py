"""complete.lua and result.lua."""

from limpet.commands import finish, manage, workers
from limpet.commands.notes import result
from limpet.commands.push import NewJob
from limpet.values import Outcome
from tests.scripts.helpers import GONE, HOUR, NOW, World, jid


def test_a_result_is_kept_in_the_step_that_ends_the_job(world: World) -> None:
    """The job is gone, its outcome is there, and there is a time at which it is forgotten."""
    world.start()
    world.push(NewJob(b"a", keep_ms=HOUR))
    (held,) = world.pop()

    reply, changed = world.step(finish.complete(world.keys, held.receipt, b"\x00 42\n"))

    assert reply == [b"completed"]
    gone = ("aging", "held", "jobs", "leases", "meta", "running")
    assert changed == dict.fromkeys(gone, GONE) | {
        "expiring": {jid(1): NOW + HOUR},
        "results": {jid(1): f"done {NOW} \x00 42\n"},
        "stats": {"completed": "1"},
    }
    assert world.run(result(world.keys, jid(1))) == Outcome(jid(1), "done", b"\x00 42\n", NOW)


def test_without_keep_the_result_is_dropped(world: World) -> None:
    """Nobody asked for it."""
    world.start()
    world.push(b"a")
    (held,) = world.pop()

    world.run(finish.complete(world.keys, held.receipt, b"42"))

    assert world.run(result(world.keys, jid(1))) == Outcome(jid(1), "unknown")
    assert world.stats().completed == 1


def test_a_stale_receipt_keeps_no_result(world: World) -> None:
    """Nothing changes."""
    world.start()
    world.push(NewJob(b"a", keep_ms=HOUR))
    (held,) = world.pop()
    world.run(finish.release(world.keys, [held.receipt], None))

    reply, changed = world.step(finish.complete(world.keys, held.receipt, b"42"))

    assert reply == [b"stale"]
    assert changed == {}
    assert world.run(result(world.keys, jid(1))) is None


def test_every_end_is_an_outcome(world: World) -> None:
    """Ack, failure, cancel before and while it runs, too many deaths: whoever waits is told."""
    world.start()
    world.start("w2")
    jobs = [
        NewJob(name.encode(), keep_ms=HOUR) for name in ("ack", "fail", "told", "crash", "late")
    ]
    acked, failed, told, crash, late = world.push(*jobs)
    first, second, third, fourth = world.pop(4, "w2")
    world.run(finish.ack(world.keys, [first.receipt]))
    world.run(finish.fail(world.keys, second.receipt, b"boom", 10))
    world.run(manage.cancel(world.keys, [told, late], None))
    world.run(finish.complete(world.keys, third.receipt, b"42"))
    world.run(workers.fail_worker(world.keys, "w2"))
    world.tend(crash_limit=1)

    def outcome(job_id: str) -> tuple[str, bytes]:
        found = world.run(result(world.keys, job_id))
        assert found is not None
        return found.word, found.body

    assert outcome(acked) == ("done", b"")
    assert outcome(failed) == ("failed", b"boom")
    assert outcome(told) == ("cancelled", b"")
    assert outcome(late) == ("cancelled", b"")
    assert outcome(crash) == ("failed", b"its worker died 1 times")
    assert fourth.id == crash


def test_an_outcome_is_forgotten_when_its_time_is_up(world: World) -> None:
    """It is not shown from then on, and the next tending removes it."""
    world.start()
    world.push(NewJob(b"a", keep_ms=HOUR))
    world.run(finish.complete(world.keys, world.pop()[0].receipt, b"42"))
    world.now += HOUR

    assert world.run(result(world.keys, jid(1))) == Outcome(jid(1), "unknown")
    world.tend()

    assert world.snapshot().keys().isdisjoint({"results", "expiring"})


def test_a_revived_job_has_another_outcome(world: World) -> None:
    """While it is dead its failure is the outcome, then it is pending, then it is done."""
    world.start()
    world.push(NewJob(b"a", keep_ms=HOUR))
    world.run(finish.fail(world.keys, world.pop()[0].receipt, b"boom", 10))
    world.run(manage.revive(world.keys, [jid(1)], 1))
    world.run(finish.complete(world.keys, world.pop()[0].receipt, b"42"))

    assert world.run(result(world.keys, jid(1))) == Outcome(jid(1), "done", b"42", NOW)

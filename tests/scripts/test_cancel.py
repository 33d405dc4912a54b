"""cancel.lua."""

import pytest

from limpet.commands.finish import fail
from limpet.commands.manage import cancel
from limpet.commands.push import NewJob
from tests.scripts.helpers import World, jid, receipts


def test_a_waiting_job_goes_and_leaves_its_id_behind(world: World) -> None:
    """Finding it in the line would cost a scan; the ghost is counted."""
    world.push(b"a", b"b", b"c")

    reply, changed = world.step(cancel(world.keys, [jid(2)], None))

    assert reply == [b"cancelled", 1, 0]
    assert changed == {
        "jobs": {jid(1): "a", jid(3): "c"},
        "stats": {"cancelled": "1", "ghosts": "1"},
    }


@pytest.mark.parametrize("end", [1, 3])
def test_ghosts_at_the_ends_are_cut_off(world: World, end: int) -> None:
    """Also those that came to stand there."""
    world.push(b"a", b"b", b"c")
    world.run(cancel(world.keys, [jid(2)], None))

    world.run(cancel(world.keys, [jid(end)], None))

    after = world.snapshot()
    assert after["waiting"] == [jid(4 - end)]
    assert after["stats"] == {"cancelled": "2", "ghosts": "0"}


def test_a_line_of_ghosts_alone_is_removed(world: World) -> None:
    """No memory is kept for jobs that are gone."""
    world.push(b"a", b"b", b"c")

    reply, changed = world.step(cancel(world.keys, [jid(1), jid(2), jid(3)], None))

    assert reply == [b"cancelled", 3, 0]
    assert (changed["jobs"], changed["waiting"]) == (None, None)
    assert changed["stats"] == {"cancelled": "3"}


def test_a_wrong_count_of_ghosts_does_not_cost_the_line(world: World) -> None:
    """A job at its head tells that not all are ghosts, whatever the count says."""
    world.push(b"a", b"b", b"c")
    world.store.hset(world.keys["stats"], "ghosts", 9)

    _, changed = world.step(cancel(world.keys, [jid(2)], None))

    assert "waiting" not in changed
    assert changed["jobs"] == {jid(1): "a", jid(3): "c"}


def test_a_running_job_is_told(world: World) -> None:
    """It is counted when it ends; telling it twice counts once."""
    world.start()
    world.push(b"a")
    world.pop()

    assert world.step(cancel(world.keys, [jid(1)], None)) == (
        [b"cancelled", 0, 1],
        {"cancelled": {jid(1)}},
    )
    assert world.step(cancel(world.keys, [jid(1)], None)) == ([b"cancelled", 0, 0], {})


def test_a_scheduled_unique_job_frees_its_key(world: World) -> None:
    """It is gone with its mark and its facts, and leaves no ghost."""
    world.push(NewJob(b"a", delay_ms=5, unique=b"=a", mode="waiting"))

    reply, changed = world.step(cancel(world.keys, [jid(1)], None))

    assert reply == [b"cancelled", 1, 0]
    assert changed == dict.fromkeys(("jobs", "meta", "scheduled", "unique")) | {
        "stats": {"cancelled": "1"}
    }


def test_a_job_in_the_front_and_a_suspect_go(world: World) -> None:
    """They leave no ghosts either."""
    world.push(b"suspect")
    world.start("gone")
    world.pop(1, "gone")
    world.crash("gone")
    world.push(NewJob(b"a", front=True))

    reply, changed = world.step(cancel(world.keys, [jid(1), jid(2)], None))

    assert reply == [b"cancelled", 2, 0]
    assert changed == dict.fromkeys(("front", "jobs", "meta", "suspects")) | {
        "stats": {"cancelled": "2", "recovered": "1"}
    }


def test_a_parked_job_goes(world: World) -> None:
    """Nobody is called: the lock is still held."""
    world.start()
    world.push(*[NewJob(b"a", lock=b"L") for _ in range(3)])
    world.pop(3)

    reply, changed = world.step(cancel(world.keys, [jid(2)], None))

    assert reply == [b"cancelled", 1, 0]
    assert list(changed["parked"]) == [f"1:L|4503599627370499{jid(3)}"]
    assert "front" not in changed


def test_if_the_one_that_was_called_goes_the_next_is_called(world: World) -> None:
    """Else a free lock would be waited for in vain."""
    world.start()
    world.push(*[NewJob(b"a", lock=b"L") for _ in range(3)])
    world.ack(*world.pop(3))

    reply, changed = world.step(cancel(world.keys, [jid(2)], None))

    assert reply == [b"cancelled", 1, 0]
    assert changed["front"] == {jid(3): 3}
    assert changed["parked"] is None


def test_dead_and_unknown_jobs_are_not_cancelled(world: World) -> None:
    """They are not in the queue."""
    world.start()
    world.push(b"a")
    (held,) = receipts(*world.pop())
    world.run(fail(world.keys, held, b"no", 10))

    assert world.step(cancel(world.keys, [jid(1), "x", ""], None)) == ([b"cancelled", 0, 0], {})


def test_only_jobs_that_still_have_the_payload_are_cancelled(world: World) -> None:
    """A job replaced meanwhile stays; an empty payload is one too."""
    world.push(b"a", b"b", b"")

    assert world.run(cancel(world.keys, [jid(1), jid(2), jid(3)], b"b")) == 1
    assert world.run(cancel(world.keys, [jid(1), jid(3)], b"")) == 1
    assert world.snapshot()["jobs"] == {jid(1): "a"}


def test_the_same_request_is_answered_not_done_again(world: World) -> None:
    """A late copy does not cancel a job pushed again under the id."""
    world.push(NewJob(b"a", id="mine"))
    world.run(cancel(world.keys, ["mine"], None), lane="l", seq=1)
    world.push(NewJob(b"a", id="mine"))

    again = world.step(cancel(world.keys, ["mine"], None), lane="l", seq=1)

    assert again == ([b"cancelled", 1, 0], {})

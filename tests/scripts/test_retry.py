"""retry.lua."""

from limpet.commands import manage
from limpet.commands.finish import retry
from limpet.commands.push import NewJob
from limpet.values import Receipt
from tests.scripts.helpers import NOW, World, jid, receipts

RUN = ("aging", "held", "leases", "running")


def test_a_retried_job_is_scheduled_with_its_error(world: World) -> None:
    """Retries are counted apart from deliveries; whoever waits sees the new due time."""
    world.start()
    world.push(b"a")
    (held,) = receipts(*world.pop())

    reply, changed = world.step(retry(world.keys, held, 500, b"no \xff"), at=NOW + 3)

    assert reply == [b"retried"]
    error = {"deliveries": 1, "started": NOW, "retries": 1, "error": "no \udcff"}
    assert changed == dict.fromkeys(RUN) | {
        "meta": {jid(1): error},
        "scheduled": {jid(1): NOW + 503},
        "wake": ["1"],
    }


def test_a_second_retry_counts_on(world: World) -> None:
    """The newest error replaces the one before, the first start stays."""
    world.start()
    world.push(b"a")
    for n in range(2):
        (held,) = receipts(*world.pop(at=NOW + n * 10))
        world.run(retry(world.keys, held, 5, b"no %d" % n), at=NOW + n * 10)
        world.tend(at=NOW + n * 10 + 5)

    expected = {"deliveries": 2, "started": NOW, "retries": 2, "error": "no 1", "place": 3}
    assert world.facts(jid(1)) == expected


def test_a_stale_receipt_changes_nothing(world: World) -> None:
    """The job goes on."""
    world.start()
    world.push(b"a")
    world.pop()

    assert world.step(retry(world.keys, Receipt(jid(1), 5), 5, b"no")) == ([b"stale"], {})
    assert world.run(retry(world.keys, Receipt(jid(1), 5), 5, b"no")) is False


def test_a_unique_job_takes_its_key_again(world: World) -> None:
    """It is in the queue and not running."""
    world.start()
    world.push(NewJob(b"a", unique=b"=a", mode="waiting"))
    (held,) = receipts(*world.pop())

    _, changed = world.step(retry(world.keys, held, 5, b"no"))

    assert changed["unique"] == {"=a": jid(1)}


def test_a_twin_that_waits_does_the_work(world: World) -> None:
    """The job itself is merged away and counted; the answer is the same."""
    world.start()
    world.push(NewJob(b"a", unique=b"=a", mode="waiting"))
    (held,) = receipts(*world.pop())
    world.push(NewJob(b"twin", unique=b"=a", mode="waiting"))

    reply, changed = world.step(retry(world.keys, held, 5, b"no"))

    assert reply == [b"retried"]
    assert changed["jobs"] == {jid(2): "twin"}
    assert changed["stats"] == {"merged": "1"}
    assert "scheduled" not in changed


def test_unique_until_ended_keeps_its_key(world: World) -> None:
    """A retry is no end."""
    world.start()
    world.push(NewJob(b"a", unique=b"=a", mode="running"))
    (held,) = receipts(*world.pop())

    _, changed = world.step(retry(world.keys, held, 5, b"no"))

    assert "unique" not in changed


def test_its_lock_goes_to_the_next(world: World) -> None:
    """Nobody waits for a job that waits itself."""
    world.start()
    world.push(NewJob(b"a", lock=b"L"), NewJob(b"b", lock=b"L"))
    (held,) = receipts(*world.pop(2))

    _, changed = world.step(retry(world.keys, held, 5, b"no"))

    assert changed["front"] == {jid(2): 2}
    assert (changed["locks"], changed["parked"]) == (None, None)


def test_a_suspect_ends_its_trial_and_stays_one(world: World) -> None:
    """Once due it is served as a suspect again."""
    world.push(b"a")
    world.start("gone")
    world.pop(1, "gone")
    world.crash("gone")
    world.start()
    (held,) = receipts(*world.pop())

    _, changed = world.step(retry(world.keys, held, 5, b"no"))

    assert changed["trials"] is None
    world.tend(at=NOW + 5)
    assert world.snapshot()["suspects"] == {jid(1): 2}


def test_a_job_cancelled_meanwhile_ends(world: World) -> None:
    """It is not tried again."""
    world.start()
    world.push(b"a")
    (held,) = receipts(*world.pop())
    world.run(manage.cancel(world.keys, [jid(1)], None))

    reply, changed = world.step(retry(world.keys, held, 5, b"no"))

    assert reply == [b"cancelled"]
    assert changed["jobs"] is None
    assert changed["stats"] == {"cancelled": "1"}
    assert "scheduled" not in changed


def test_the_same_request_is_answered_not_done_again(world: World) -> None:
    """One retry, one attempt spent."""
    world.start()
    world.push(b"a")
    (held,) = receipts(*world.pop())
    world.run(retry(world.keys, held, 5, b"no"), lane="l", seq=1)

    assert world.step(retry(world.keys, held, 5, b"no"), lane="l", seq=1) == ([b"retried"], {})

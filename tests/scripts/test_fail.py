"""fail.lua."""

from limpet.commands import manage
from limpet.commands.finish import fail
from limpet.commands.push import NewJob
from limpet.values import Receipt
from tests.scripts.helpers import NOW, World, jid, receipts

RUN = ("aging", "held", "leases", "running")


def test_a_failed_job_is_counted_noted_and_kept(world: World) -> None:
    """With its reason and its deliveries, at the time of its end."""
    world.start()
    world.push(b"a")
    (held,) = receipts(*world.pop())

    reply, changed = world.step(fail(world.keys, held, b"no \xff", 10), at=NOW + 7)

    assert reply == [b"failed"]
    assert changed == dict.fromkeys(RUN) | {
        "dead": {jid(1): NOW + 7},
        "failures": [{"id": jid(1), "message": "no \udcff", "at": str(NOW + 7), "deliveries": 1}],
        "meta": {jid(1): {"deliveries": 1, "started": NOW, "reason": "no \udcff"}},
        "stats": {"completed": "1", "failed": "1"},
    }


def test_where_no_dead_are_kept_only_the_error_stays(world: World) -> None:
    """A limit of zero switches the dead list off."""
    world.start()
    world.push(b"a")
    (held,) = receipts(*world.pop())

    _, changed = world.step(fail(world.keys, held, b"no", 0))

    assert changed.keys() == {*RUN, "jobs", "failures", "stats"}
    assert changed["jobs"] is None


def test_the_oldest_dead_make_room(world: World) -> None:
    """At most so many are kept; those pushed out are forgotten entirely."""
    world.start()
    world.push(b"a", b"b", b"c")
    for n, held in enumerate(receipts(*world.pop(3))):
        world.run(fail(world.keys, held, b"no", 2), at=NOW + n)

    after = world.snapshot()
    assert after["dead"] == {jid(2): NOW + 1, jid(3): NOW + 2}
    assert after["jobs"].keys() == after["meta"].keys() == {jid(2), jid(3)}


def test_the_last_hundred_errors_are_kept(world: World) -> None:
    """Newest first."""
    world.start()
    world.push(*[b"a"] * 102)
    for held in receipts(*world.pop(102)):
        world.run(fail(world.keys, held, b"no", 0))

    failures = world.snapshot()["failures"]
    assert [f["id"] for f in failures] == [jid(n) for n in range(102, 2, -1)]


def test_a_stale_receipt_changes_nothing(world: World) -> None:
    """The job goes on."""
    world.start()
    world.push(b"a")
    (held,) = receipts(*world.pop())

    assert world.step(fail(world.keys, Receipt(held.id, 5), b"no", 10)) == ([b"stale"], {})
    assert world.run(fail(world.keys, Receipt(held.id, 5), b"no", 10)) is False


def test_a_unique_job_frees_its_key_but_remembers_it(world: World) -> None:
    """A twin may be pushed while it is dead."""
    world.start()
    world.push(NewJob(b"a", unique=b"=a", mode="running"))
    (held,) = receipts(*world.pop())

    _, changed = world.step(fail(world.keys, held, b"no", 10))

    assert changed["unique"] is None
    assert changed["meta"][jid(1)]["unique"] == "=a"


def test_the_next_who_waits_for_the_lock_is_called(world: World) -> None:
    """As with any other end."""
    world.start()
    world.push(NewJob(b"a", lock=b"L"), NewJob(b"b", lock=b"L"))
    (held,) = receipts(*world.pop(2))

    _, changed = world.step(fail(world.keys, held, b"no", 10))

    assert (changed["locks"], changed["parked"]) == (None, None)
    assert changed["front"] == {jid(2): 2}
    assert changed["wake"] == ["1"]


def test_a_suspect_ends_its_trial(world: World) -> None:
    """Its crashes stay noted."""
    world.push(b"a")
    world.start("gone")
    world.pop(1, "gone")
    world.crash("gone")
    world.start()
    (held,) = receipts(*world.pop())

    _, changed = world.step(fail(world.keys, held, b"no", 10))

    assert changed["trials"] is None
    assert changed["meta"][jid(1)] == {
        "crashes": 1,
        "deliveries": 2,
        "started": NOW,
        "reason": "no",
    }


def test_a_job_cancelled_meanwhile_ends_as_cancelled(world: World) -> None:
    """No error is noted, nothing is kept."""
    world.start()
    world.push(b"a")
    (held,) = receipts(*world.pop())
    world.run(manage.cancel(world.keys, [jid(1)], None))

    reply, changed = world.step(fail(world.keys, held, b"no", 10))

    assert reply == [b"cancelled"]
    assert changed == dict.fromkeys((*RUN, "jobs", "cancelled")) | {"stats": {"cancelled": "1"}}


def test_the_same_request_is_answered_not_done_again(world: World) -> None:
    """Whatever the answer was."""
    world.start()
    world.push(b"a")
    (held,) = receipts(*world.pop())
    world.run(fail(world.keys, held, b"no", 10), lane="l", seq=1)

    assert world.step(fail(world.keys, held, b"no", 10), lane="l", seq=1) == ([b"failed"], {})
    assert world.send(fail(world.keys, held, b"no", 10), lane="l", seq=2) == [b"stale"]

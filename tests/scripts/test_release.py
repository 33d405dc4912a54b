"""release.lua."""

from limpet.commands import manage
from limpet.commands.finish import release
from limpet.commands.push import NewJob
from limpet.values import Receipt
from tests.scripts.helpers import NOW, World, fence, jid, receipts

RUN = ("aging", "held", "leases", "running")


def test_a_released_job_goes_back_to_its_place(world: World) -> None:
    """Before all that came after it; the delivery is counted."""
    world.start()
    world.push(b"a", b"b")
    held = receipts(*world.pop())

    reply, changed = world.step(release(world.keys, held, None), at=NOW + 3)

    assert reply == [b"released", []]
    assert changed == dict.fromkeys(RUN) | {
        "front": {jid(1): 1},
        "meta": {jid(1): {"deliveries": 1, "started": NOW}},
    }


def test_released_for_later_it_is_scheduled(world: World) -> None:
    """The delay counts from the server's time."""
    world.start()
    world.push(b"a")
    held = receipts(*world.pop())

    _, changed = world.step(release(world.keys, held, 500), at=NOW + 3)

    assert changed == dict.fromkeys(RUN) | {
        "meta": {jid(1): {"deliveries": 1, "started": NOW}},
        "scheduled": {jid(1): NOW + 503},
        "wake": ["1"],
    }


def test_many_go_back_in_their_old_order(world: World) -> None:
    """Whatever order they are released in; stale ones are told by position."""
    world.start()
    world.push(b"a", NewJob(b"b", front=True), NewJob(b"c", id="mine"))
    one, two, three = receipts(*world.pop(3))

    released = world.run(release(world.keys, [three, Receipt("x", 1), one, two], None))

    assert released == [three.id, one.id, two.id]
    assert world.snapshot()["front"] == {jid(2): -2, jid(1): 1, "mine": 3}
    assert [d.payload for d in world.pop(3)] == [b"b", b"a", b"c"]


def test_a_stale_receipt_changes_nothing(world: World) -> None:
    """Not even the token."""
    world.start()
    world.push(b"a")
    world.pop()

    assert world.step(release(world.keys, [Receipt(jid(1), 5)], None)) == ([b"released", [1]], {})


def test_a_unique_job_takes_its_key_again(world: World) -> None:
    """It waits once more."""
    world.start()
    world.push(NewJob(b"a", unique=b"=a", mode="waiting"))
    held = receipts(*world.pop())

    _, changed = world.step(release(world.keys, held, None))

    assert changed["unique"] == {"=a": jid(1)}


def test_the_younger_twin_that_waits_is_merged_away(world: World) -> None:
    """The one that comes back is older and keeps its place; the twin leaves a ghost."""
    world.start()
    world.push(NewJob(b"a", unique=b"=a", mode="waiting"))
    held = receipts(*world.pop())
    world.push(NewJob(b"twin", unique=b"=a", mode="waiting"))

    _, changed = world.step(release(world.keys, held, None))

    assert changed["unique"] == {"=a": jid(1)}
    assert changed["jobs"] == {jid(1): "a"}
    assert changed["stats"] == {"ghosts": "1", "merged": "1"}
    assert "waiting" not in changed


def test_for_later_a_twin_that_waits_does_the_work(world: World) -> None:
    """The job itself is merged away: the twin is served earlier."""
    world.start()
    world.push(NewJob(b"a", unique=b"=a", mode="waiting"))
    held = receipts(*world.pop())
    world.push(NewJob(b"twin", unique=b"=a", mode="waiting"))

    _, changed = world.step(release(world.keys, held, 500))

    assert changed["jobs"] == {jid(2): "twin"}
    assert changed["stats"] == {"merged": "1"}
    assert "scheduled" not in changed
    assert "unique" not in changed


def test_a_running_twin_loses_the_key_but_goes_on(world: World) -> None:
    """Nobody takes a running job away."""
    world.start()
    world.push(NewJob(b"a", unique=b"=a", mode="waiting"))
    (first,) = receipts(*world.pop())
    world.push(NewJob(b"twin", unique=b"=a", mode="running"))
    world.pop()

    _, changed = world.step(release(world.keys, [first], None))

    assert changed["unique"] == {"=a": jid(1)}
    assert changed["running"] == {jid(2): fence(1)}
    assert "stats" not in changed


def test_a_wrong_mark_costs_no_innocent_job_its_life(world: World) -> None:
    """Only a job that claims the key is a twin."""
    world.start()
    world.push(NewJob(b"a", unique=b"=a", mode="waiting"), b"innocent")
    held = receipts(*world.pop())
    world.store.hset(world.keys["unique"], "=a", jid(2))

    _, changed = world.step(release(world.keys, held, None))

    assert changed["unique"] == {"=a": jid(1)}
    assert "jobs" not in changed


def test_its_lock_goes_to_whoever_is_first(world: World) -> None:
    """The released one is earlier in line than the parked one it makes room for."""
    world.start()
    world.push(NewJob(b"a", lock=b"L"), NewJob(b"b", lock=b"L"))
    held = receipts(*world.pop(2))

    _, changed = world.step(release(world.keys, held, None))

    assert changed["front"] == {jid(1): 1, jid(2): 2}
    assert (changed["locks"], changed["parked"]) == (None, None)
    assert [d.id for d in world.pop(2)] == [jid(1)]


def test_a_suspect_goes_back_among_suspects(world: World) -> None:
    """Its trial ends, its crashes stay."""
    world.push(b"a")
    world.start("gone")
    world.pop(1, "gone")
    world.crash("gone")
    world.start()
    held = receipts(*world.pop())

    _, changed = world.step(release(world.keys, held, None))

    assert changed["suspects"] == {jid(1): 1}
    assert changed["trials"] is None
    assert changed["meta"][jid(1)] == {"crashes": 1, "deliveries": 2, "started": NOW}


def test_a_job_cancelled_meanwhile_ends(world: World) -> None:
    """It does not come back; its position is told."""
    world.start()
    world.push(b"a")
    held = receipts(*world.pop())
    world.run(manage.cancel(world.keys, [jid(1)], None))

    reply, changed = world.step(release(world.keys, held, None))

    assert reply == [b"released", [1]]
    assert changed["jobs"] is None
    assert changed["stats"] == {"cancelled": "1"}


def test_the_same_request_is_answered_not_done_again(world: World) -> None:
    """The job may even run again under another receipt meanwhile."""
    world.start()
    world.push(b"a")
    held = receipts(*world.pop())
    world.run(release(world.keys, held, None), lane="l", seq=1)
    world.pop()

    assert world.step(release(world.keys, held, None), lane="l", seq=1) == ([b"released", []], {})

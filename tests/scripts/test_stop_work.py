"""stop_work.lua."""

from limpet.commands import manage
from limpet.commands.push import NewJob
from limpet.commands.workers import stop_work
from tests.scripts.helpers import NOW, World, fence, jid, lease


def test_what_it_holds_goes_back_to_its_place(world: World) -> None:
    """No crash is counted; the worker is gone, others keep theirs."""
    world.start()
    world.start("w2")
    world.push(b"a", b"b", b"c")
    world.pop(2)
    world.pop(1, "w2")

    reply, changed = world.step(stop_work(world.keys, "w1"), at=NOW + 5)

    assert reply == [b"stopped", 2]
    assert changed == {
        "aging": {fence(1): float(fence(1))},
        "crew": {"w2": world.snapshot()["crew"]["w2"]},
        "front": {jid(1): 1, jid(2): 2},
        "held": {f"2:w2|{fence(1)}": 0},
        "leases": {fence(1): lease("w2", jid(3))},
        "meta": {jid(n): {"deliveries": 1, "started": NOW} for n in (1, 2)},
        "running": {jid(3): fence(1)},
        "wake": ["1"],
        "workers": {"w2": 10_000},
    }


def test_many_go_back_a_bounded_number_a_call(world: World) -> None:
    """The worker stays until the last one is back; in between the rest keeps its lease."""
    world.start()
    world.push(b"a", b"b", b"c")
    world.pop(2)
    world.pop(1)

    replies = [world.send(stop_work(world.keys, "w1", 1))]
    between = world.snapshot()
    replies += [world.send(stop_work(world.keys, "w1", 1)) for _ in range(2)]

    assert replies[0] == [b"more", 1]
    assert between["left"] == {fence(): "1"}
    assert between["workers"] == {"w1": 10_000}
    assert replies[1] == [b"more", 1]
    assert replies[2] == [b"stopped", 1]
    assert world.snapshot()["front"] == {jid(1): 1, jid(2): 2, jid(3): 3}


def test_a_worker_that_is_not_there_has_stopped(world: World) -> None:
    """Nothing changes."""
    world.push(b"a")

    assert world.step(stop_work(world.keys, "w1")) == ([b"stopped", 0], {})


def test_locks_and_marks_are_set_right(world: World) -> None:
    """Those that wait for a lock are called, unique keys are taken again, trials end."""
    world.push(b"suspect")
    world.start("gone")
    world.pop(1, "gone")
    world.crash("gone")
    world.start()
    world.push(NewJob(b"a", lock=b"L", unique=b"=a", mode="waiting"), NewJob(b"b", lock=b"L"))
    world.pop(3)

    reply, changed = world.step(stop_work(world.keys, "w1"))

    assert reply == [b"stopped", 2]
    assert changed["front"] == {jid(2): 2, jid(3): 3}
    assert changed["suspects"] == {jid(1): 1}
    assert changed["unique"] == {"=a": jid(2)}
    assert (changed["locks"], changed["parked"], changed["trials"]) == (None, None, None)


def test_a_cancelled_job_ends(world: World) -> None:
    """It does not come back."""
    world.start()
    world.push(b"a")
    world.pop()
    world.run(manage.cancel(world.keys, [jid(1)], None))

    reply, changed = world.step(stop_work(world.keys, "w1"))

    assert reply == [b"stopped", 1]
    assert (changed["jobs"], changed["cancelled"]) == (None, None)
    assert changed["stats"] == {"cancelled": "1"}


def test_the_last_worker_of_a_dropped_queue_lets_it_expire(world: World) -> None:
    """Nothing stays for longer than an hour."""
    world.start()
    world.push(b"a")
    world.run(manage.drop(world.keys), lane="l")
    assert "clock expires" not in world.snapshot()

    world.run(stop_work(world.keys, "w1"))

    after = world.snapshot()
    names = ("clock", "lanes", "sessions")
    assert after.keys() == {*names, *(f"{name} expires" for name in names)}


def test_the_same_request_is_answered_not_done_again(world: World) -> None:
    """A late copy takes nothing from a worker that started again."""
    world.start()
    world.push(b"a")
    world.pop()
    world.run(stop_work(world.keys, "w1"), lane="l", seq=1)
    world.start()
    world.pop()

    assert world.step(stop_work(world.keys, "w1"), lane="l", seq=1) == ([b"stopped", 1], {})

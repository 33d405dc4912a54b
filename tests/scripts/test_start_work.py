"""start_work.lua."""

from limpet.commands import manage
from limpet.commands.workers import start_work
from limpet.options import WorkerOptions
from tests.scripts.helpers import NOW, World

INFO = {"name": "worker", "host": "h", "pid": 7, "lease_ms": 10_000}


def test_a_worker_is_registered_with_a_lease_from_now(world: World) -> None:
    """The queue is born if it was not there, and its clock starts."""
    reply, changed = world.step(start_work(world.keys, "w1", WorkerOptions(), "h", 7))

    assert reply == [b"started", 1]
    assert changed == {
        "clock": {"seen": str(NOW), "stride": "4500", "tick": "0"},
        "crew": {"w1": INFO},
        "workers": {"w1": 10_000},
    }


def test_the_shortest_lease_sets_the_stride_of_the_clock(world: World) -> None:
    """A longer one does not lengthen it; once all are gone it is set anew."""
    short, long = WorkerOptions(heartbeat=1, lease=3), WorkerOptions(heartbeat=1, lease=61)
    strides = []
    for name, options in (("w1", long), ("w2", short), ("w3", long)):
        world.run(start_work(world.keys, name, options, "h", 7))
        strides.append(world.snapshot()["clock"]["stride"])
    world.store.delete(world.keys["workers"])
    reply = world.send(start_work(world.keys, "w4", long, "h", 7))

    assert strides == ["30000", "1000", "1000"]
    assert reply == [b"started", 0]
    assert world.snapshot()["clock"]["stride"] == "30000"


def test_a_lease_can_be_for_ever(world: World) -> None:
    """It has no end on the clock."""
    _, changed = world.step(start_work(world.keys, "w1", WorkerOptions(lease=None), "h", 7))

    assert changed["workers"] == {"w1": float("inf")}
    assert changed["crew"]["w1"]["lease_ms"] == -1


def test_a_lease_counts_on_the_clock_of_the_queue(world: World) -> None:
    """That clock moves by at most its stride a call, whatever the server's clock does."""
    world.start()

    _, changed = world.step(start_work(world.keys, "w2", WorkerOptions(), "h", 7), at=NOW + 60_000)

    assert changed["workers"] == {"w1": 10_000, "w2": 14_500}


def test_a_dropped_queue_is_born_again(world: World) -> None:
    """Nothing of it expires any more."""
    world.push(b"a")
    world.run(manage.drop(world.keys), lane="l")

    reply = world.send(start_work(world.keys, "w1", WorkerOptions(), "h", 7))

    assert reply == [b"started", 1]
    after = world.snapshot()
    assert after.keys() == {"clock", "crew", "lanes", "sessions", "workers"}
    assert "dropped" not in after["clock"]


def test_the_same_request_is_answered_not_done_again(world: World) -> None:
    """A late copy does not renew the lease of a worker that left meanwhile."""
    start = start_work(world.keys, "w1", WorkerOptions(), "h", 7)
    first = world.send(start, lane="l", seq=1)
    world.store.delete(world.keys["workers"])

    assert world.step(start, lane="l", seq=1, at=NOW + 5) == (first, {})

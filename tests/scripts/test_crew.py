"""crew.lua."""

from limpet.commands.workers import beat, crew, fail_worker
from limpet.values import WorkerView
from tests.scripts.helpers import NOW, World


def test_workers_are_shown_with_their_lease_and_what_they_hold(world: World) -> None:
    """A lease for ever has no end, a dead worker none left; nothing changes."""
    for name, lease in (("w1", 10.0), ("w2", 10.0), ("forever", None)):
        world.start(name, name=name, lease=lease)
    world.push(b"a", b"b", b"c")
    world.pop(2)
    world.pop(1)
    world.run(fail_worker(world.keys, "w2"))
    world.run(beat([world.keys], "forever"), at=NOW + 4000)

    reply, changed = world.step(crew(world.keys))

    assert reply[0] == b"crew"
    assert changed == {}
    assert world.run(crew(world.keys)) == [
        WorkerView("w2", "q", "w2", "host", 1, 10_000, -1, 0),
        WorkerView("w1", "q", "w1", "host", 1, 10_000, 6000, 2),
        WorkerView("forever", "q", "forever", "host", 1, -1, None, 0),
    ]


def test_a_worker_without_a_record_is_shown(world: World) -> None:
    """With what is known of it."""
    world.start()
    world.store.delete(world.keys["crew"])

    assert world.run(crew(world.keys)) == [WorkerView("w1", "q", "", "", 0, 0, 10_000, 0)]


def test_where_nobody_works_nobody_is_shown(world: World) -> None:
    """An empty list."""
    assert world.send(crew(world.keys)) == [b"crew"]

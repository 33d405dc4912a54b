"""fail_worker.lua."""

from limpet.commands.workers import fail_worker, start_work
from limpet.options import WorkerOptions
from tests.scripts.helpers import World


def test_a_worker_is_declared_dead(world: World) -> None:
    """Its lease ended before all time; what it holds is returned by others."""
    world.start()
    world.push(b"a")
    world.pop()

    reply, changed = world.step(fail_worker(world.keys, "w1"))

    assert reply == [b"failed"]
    assert changed == {"workers": {"w1": float("-inf")}}


def test_a_stranger_is_unknown(world: World) -> None:
    """Nobody is added."""
    world.start()

    assert world.step(fail_worker(world.keys, "stranger")) == ([b"unknown"], {})
    assert world.run(fail_worker(world.keys, "stranger")) is False


def test_the_same_request_is_answered_not_done_again(world: World) -> None:
    """A late copy does not kill a worker that started again."""
    world.start()
    world.run(fail_worker(world.keys, "w1"), lane="l", seq=1)
    world.run(start_work(world.keys, "w1", WorkerOptions(), "h", 1))

    assert world.step(fail_worker(world.keys, "w1"), lane="l", seq=1) == ([b"failed"], {})

"""strand.lua and stranded.lua."""

from limpet.commands import finish, manage, workers
from limpet.commands.notes import stranded
from limpet.commands.push import NewJob
from limpet.options import WorkerOptions
from limpet.values import Delivery
from tests.scripts.helpers import World, jid


def hire(world: World, worker: str, *tasks: str) -> None:
    """Start a worker that knows these tasks."""
    options = WorkerOptions(tasks=tasks)
    world.run(workers.start_work(world.keys, worker, options, "host", 1))


def set_aside(world: World, *deliveries: Delivery, task: str = "mail") -> None:
    """Have jobs set aside for want of a worker that knows their task."""
    for delivery in deliveries:
        assert world.run(finish.strand(world.keys, delivery.receipt, task))


def test_a_job_set_aside_waits_parked_under_the_name_of_its_task(world: World) -> None:
    """No delivery is spent, nothing runs any more, and it can be seen."""
    hire(world, "w1")
    world.push(b"a")
    (held,) = world.pop()

    reply, _ = world.step(finish.strand(world.keys, held.receipt, "mail"))

    assert reply == [b"stranded"]
    found = world.stats()
    assert (found.parked, found.stranded, found.running, found.waiting) == (1, 1, 0, 0)
    assert world.run(stranded(world.keys)) == {"mail": 1}
    assert world.pop() == []


def test_it_goes_to_a_worker_that_knows_the_task(world: World) -> None:
    """Before what came later, as its first delivery."""
    hire(world, "w1")
    world.push(b"a", b"b", b"c")
    set_aside(world, *world.pop(2))
    hire(world, "w2", "other", "mail")

    found = world.pop(3, "w2")

    assert [(d.payload, d.deliveries) for d in found] == [(b"a", 1), (b"b", 1), (b"c", 1)]
    assert world.stats().stranded == 0


def test_others_go_on_without_it(world: World) -> None:
    """Whoever does not know the task gets what is behind it."""
    hire(world, "w1", "other")
    world.push(b"a", b"b")
    set_aside(world, *world.pop())

    assert [d.payload for d in world.pop(5)] == [b"b"]


def test_many_tasks_are_told_apart(world: World) -> None:
    """Names of any kind: each is counted, each goes to those who know it, as many as asked for."""
    hire(world, "w1")
    names = ("a", "ab", "b|1:", "é", "task:1:x|")
    for name in names:
        world.push(f"{name} 1".encode(), f"{name} 2".encode())
        set_aside(world, *world.pop(2), task=name)
    hire(world, "w2", "ab", "é")

    assert world.run(stranded(world.keys)) == dict.fromkeys(names, 2)
    assert [d.payload.decode() for d in world.pop(3, "w2")] == ["ab 1", "ab 2", "é 1"]
    assert world.run(stranded(world.keys)) == {"a": 2, "b|1:": 2, "task:1:x|": 2, "é": 1}


def test_a_lock_and_a_mark_are_given_back_and_taken_again(world: World) -> None:
    """While it is aside others may have the lock; its unique key stays its own."""
    hire(world, "w1")
    job = NewJob(b"a", lock=b"L", unique=b"=a", mode="waiting")
    world.push(job, NewJob(b"b", lock=b"L"))
    set_aside(world, *world.pop())

    assert [d.payload for d in world.pop(2)] == [b"b"]
    assert world.push(job) == [jid(1)]
    hire(world, "w2", "mail")
    assert world.pop(2, "w2") == []
    assert world.stats().parked == 1
    assert world.stats().stranded == 0


def test_it_can_be_cancelled(world: World) -> None:
    """Nothing is left of it."""
    hire(world, "w1")
    world.push(b"a")
    set_aside(world, *world.pop())

    assert world.run(manage.cancel(world.keys, [jid(1)], None)) == 1
    assert world.run(stranded(world.keys)) == {}
    assert world.snapshot().keys().isdisjoint({"jobs", "meta", "parked", "waiting"})


def test_a_job_cancelled_while_it_ran_ends(world: World) -> None:
    """It is not set aside."""
    hire(world, "w1")
    world.push(b"a")
    (held,) = world.pop()
    world.run(manage.cancel(world.keys, [jid(1)], None))

    reply, _ = world.step(finish.strand(world.keys, held.receipt, "mail"))

    assert reply == [b"cancelled"]
    assert world.stats().cancelled == 1
    assert world.snapshot().keys().isdisjoint({"jobs", "parked"})


def test_a_suspect_stays_one(world: World) -> None:
    """It comes back through the line of suspects, with its crashes."""
    hire(world, "w0")
    world.push(b"a")
    world.pop(1, "w0")
    world.crash("w0")
    hire(world, "w1")
    set_aside(world, *world.pop())
    hire(world, "w2", "mail")

    found = world.pop(1, "w2") or world.pop(1, "w2")

    assert [(d.payload, d.crashes) for d in found] == [(b"a", 1)]


def test_a_heartbeat_calls_for_those_who_know(world: World) -> None:
    """Only the worker that knows the task is told to tend, and tending leaves a wake-up."""
    hire(world, "w1")
    hire(world, "w2", "mail")
    world.push(b"a")
    set_aside(world, *world.pop())
    world.store.delete(world.keys["wake"])

    (ignorant,) = world.run(workers.beat([world.keys], "w1"))
    (knowing,) = world.run(workers.beat([world.keys], "w2"))
    world.tend()

    assert (ignorant.tend, knowing.tend) == (False, True)
    assert world.store.llen(world.keys["wake"]) == 1


def test_a_suspect_that_is_picked_up_calls_for_the_next_pop(world: World) -> None:
    """It goes to its own line first: whoever took the wake-up must not wait for a heartbeat."""
    hire(world, "w0")
    world.push(b"a")
    world.pop(1, "w0")
    world.crash("w0")
    hire(world, "w1")
    set_aside(world, *world.pop())
    hire(world, "w2", "mail")
    world.store.delete(world.keys["wake"])

    assert world.pop(1, "w2") == []

    assert world.store.llen(world.keys["wake"]) == 1

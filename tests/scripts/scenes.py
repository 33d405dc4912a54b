"""A queue with something in each of its keys, and the way to empty any queue."""

from collections import Counter
from copy import deepcopy
from dataclasses import dataclass, field

from limpet.commands import finish, manage, notes, schedules, take, workers
from limpet.commands.push import NewJob
from limpet.commands.schedules import Row, Spec
from limpet.commands.take import Taker
from limpet.options import WorkerOptions
from limpet.tasks.cron import Timing
from limpet.values import Delivery
from tests.scripts.helpers import HOUR, NOW, World, receipts

LOCK = b"L\xff\x00"
SPEC = Spec(Timing(every_ms=1000), b"tick")
#: The schedule of the full queue; its time has come.
ROW = Row("tick", SPEC.write(), NOW, "")


@dataclass
class Scene:
    """The jobs of the full queue, by what became of them."""

    ids: dict[str, str] = field(default_factory=dict)
    running: dict[str, Delivery] = field(default_factory=dict)

    def __getitem__(self, name: str) -> str:
        return self.ids[name]


_saved: list[tuple[dict[bytes, bytes], Scene]] = []


def full(world: World) -> Scene:
    """Fill every key of the queue but the one that pauses it."""
    if not _saved:
        scene = _fill(world)
        _saved.append(({key: world.store.dump(key) for key in world.store.scan_iter()}, scene))
        return deepcopy(scene)
    dumped, scene = _saved[0]
    with world.store.pipeline(transaction=False) as pipe:
        for key, value in dumped.items():
            pipe.restore(key, 0, value)
        pipe.execute()
    return deepcopy(scene)


def _fill(world: World) -> Scene:
    scene = Scene()

    def push(name: str, **how: object) -> None:
        (scene.ids[name],) = world.push(NewJob(name.encode(), **how))  # type: ignore[arg-type]

    def pop(*names: str, worker: str = "w1") -> list[Delivery]:
        found = world.pop(len(names), worker, "suspect")
        assert [d.payload.decode() for d in found] == list(names)
        scene.running.update(zip(names, found, strict=True))
        return found

    for worker in ("w1", "w2", "gone"):
        world.start(worker)
    world.start("forever", lease=None)

    push("dead", unique=b"=dead", mode="running")
    (dead,) = pop("dead")
    del scene.running["dead"]
    world.run(finish.fail(world.keys, dead.receipt, b"boom", 10), lane="failing")

    push("tried")
    push("suspect", lock=b"S")
    pop("tried", "suspect", worker="gone")
    world.crash("gone")
    del scene.running["suspect"]
    (scene.running["tried"],) = world.pop(1, "w2")

    push("holder", lock=LOCK, unique=b"=holder", mode="waiting")
    push("parked", lock=LOCK, unique=b"=parked", mode="waiting")
    push("also parked", lock=LOCK, id="my-parked")
    (scene.running["holder"],) = world.pop(3, "w1", "suspect")

    push("single", unique=b"=single", mode="running")
    pop("single")
    for name in ("first", "second", "third"):
        push(name)
    world.ack(pop("first", "second", "third")[0])
    del scene.running["first"]
    del scene.ids["first"]
    world.run(manage.cancel(world.keys, [scene["third"]], None))
    world.run(notes.once(world.keys, scene.running["third"].receipt, "paid"))

    _set_aside(world, scene)

    push("released", unique=b"=released", mode="waiting")
    (released,) = pop("released")
    del scene.running["released"]
    world.run(finish.release(world.keys, receipts(released), None))
    push("front", front=True)
    push("later", delay_ms=HOUR, unique=b"=later", mode="waiting")

    push("waiting")
    push("ghost")
    push("own", id="my-own")
    push("unique", unique=b"=unique", mode="waiting")
    push("locked", lock=b"free")
    world.run(schedules.schedule(world.keys, "tick", SPEC, NOW))
    push("member", group="g", keep_ms=HOUR)
    push("follower", after="g")
    world.run(manage.cancel(world.keys, [scene["ghost"]], None))
    del scene.ids["ghost"]
    return scene


def _set_aside(world: World, scene: Scene) -> None:
    """One job is done and its result kept; another of its group nobody here knows how to do."""
    _, scene.ids["strange"] = world.push(
        NewJob(b"kept", keep_ms=HOUR, group="g"), NewJob(b"strange", group="g")
    )
    kept, strange = world.pop(2, "w1", "suspect")
    world.run(finish.complete(world.keys, kept.receipt, b"42"))
    world.run(finish.strand(world.keys, strange.receipt, "odd"))


def bury(world: World, *jobs: NewJob) -> None:
    """Push jobs and let them fail, a millisecond apart."""
    world.start()
    world.push(*jobs)
    for n, delivery in enumerate(world.pop(len(jobs))):
        world.run(finish.fail(world.keys, delivery.receipt, b"no", 100), at=NOW + n)


def drain(world: World) -> Counter[str]:
    """Take all back, then pop and ack until nothing is left; gives how often each id came."""
    store, keys = world.store, world.keys
    for worker in store.zrange(keys["workers"], 0, -1):
        while not world.run(workers.stop_work(keys, worker.decode()))[0]:
            pass
    world.run(manage.revive(keys, [], 10_000))
    world.now += 2 * HOUR
    world.run(
        workers.start_work(keys, "drain", WorkerOptions(lease=None, tasks=("odd",)), "host", 1)
    )
    world.tend(crash_limit=0)
    came: Counter[str] = Counter()
    taker = Taker("drain", "none", 0)
    while True:
        taken = world.run(take.pop(keys, taker, 7, tended=True))
        if not taken.deliveries and not taken.more:
            break
        came.update(d.id for d in taken.deliveries)
        world.ack(*taken.deliveries)
    return came

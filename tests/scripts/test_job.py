"""job.lua."""

import pytest

from limpet.commands.look import job
from limpet.states import State
from limpet.values import JobView, Receipt
from tests.scripts.helpers import HOUR, NOW, World, jid
from tests.scripts.scenes import LOCK, full


@pytest.mark.parametrize(
    ("name", "state"),
    [
        ("dead", State.DEAD),
        ("suspect", State.WAITING),
        ("tried", State.RUNNING),
        ("holder", State.RUNNING),
        ("parked", State.PARKED),
        ("also parked", State.PARKED),
        ("released", State.WAITING),
        ("front", State.WAITING),
        ("later", State.SCHEDULED),
        ("waiting", State.WAITING),
        ("own", State.WAITING),
    ],
)
def test_a_job_is_shown_wherever_it_is(world: World, name: str, state: State) -> None:
    """With its state; nothing changes."""
    scene = full(world)

    reply, changed = world.step(job(world.keys, scene[name]))

    assert reply[0] == b"job"
    assert changed == {}
    view = job(world.keys, scene[name]).read(reply)
    assert view is not None
    assert (view.id, view.payload, view.state) == (scene[name], name.encode(), state)


def test_what_is_told_about_a_running_job(world: World) -> None:
    """Its worker, its receipt, how long it runs; its lock and key."""
    scene = full(world)

    view = world.run(job(world.keys, scene["holder"]), at=NOW + 70)

    assert view == JobView(
        queue="q",
        id=scene["holder"],
        payload=b"holder",
        state=State.RUNNING,
        enqueued_at=NOW,
        deliveries=1,
        at=NOW,
        elapsed=70,
        worker="w1",
        receipt=Receipt(scene["holder"], scene.running["holder"].fence),
        unique=b"=holder",
        lock=LOCK,
    )


def test_what_is_told_about_dead_and_scheduled_jobs(world: World) -> None:
    """The time of the end and its reason; the time they are due."""
    scene = full(world)

    dead = world.run(job(world.keys, scene["dead"]))
    later = world.run(job(world.keys, scene["later"]))

    assert dead is not None
    assert (dead.at, dead.reason, dead.deliveries) == (NOW, "boom", 1)
    assert later is not None
    assert (later.at, later.deliveries) == (NOW + HOUR, 0)


def test_an_unknown_job_is_unknown(world: World) -> None:
    """Also where nothing is at all."""
    assert world.step(job(world.keys, jid(1))) == ([b"unknown"], {})
    world.push(b"a")
    assert world.run(job(world.keys, jid(2))) is None

"""stats.lua."""

from limpet.commands import manage
from limpet.commands.look import stats
from limpet.commands.push import NewJob
from limpet.values import Stats
from tests.scripts.helpers import HOUR, NOW, World, jid
from tests.scripts.scenes import full


def test_everything_in_the_queue_is_counted(world: World) -> None:
    """Ghosts are not; nothing changes."""
    full(world)

    reply, changed = world.step(stats(world.keys), at=NOW + 500)

    assert reply[0] == b"stats"
    assert changed == {}
    assert world.run(stats(world.keys), at=NOW + 500) == Stats(
        waiting=8,
        parked=4,
        stranded=1,
        scheduled=1,
        running=5,
        dead=1,
        completed=3,
        failed=1,
        cancelled=1,
        recovered=2,
        workers=3,
        oldest_ms=500,
    )
    assert world.stats().pending == 17


def test_a_queue_that_is_not_there_counts_nothing(world: World) -> None:
    """And asking does not make it."""
    assert world.run(stats(world.keys)) == Stats()
    assert world.snapshot() == {}


def test_the_age_is_that_of_the_job_served_next(world: World) -> None:
    """Ghosts at the head are passed over; a chosen id has its time noted."""
    world.push(b"a", b"a", at=NOW - 900)
    world.push(NewJob(b"b", id="mine"), at=NOW - 300)
    world.store.hdel(world.keys["jobs"], jid(1, NOW - 900), jid(2, NOW - 900))

    assert world.run(stats(world.keys)).oldest_ms == 300
    world.push(NewJob(b"c", front=True), at=NOW - 100)
    assert world.run(stats(world.keys)).oldest_ms == 100
    assert world.run(stats(world.keys), at=NOW - HOUR).oldest_ms == 0


def test_a_paused_queue_says_so(world: World) -> None:
    """Refused pushes are counted too."""
    world.push(NewJob(b"a", id="x"), NewJob(b"a", id="x"))
    world.run(manage.pause(world.keys))

    found = world.run(stats(world.keys))

    assert found.paused
    assert found.refused == 1

"""unpause.lua."""

import pytest

from limpet.commands.manage import pause, unpause
from limpet.commands.push import NewJob
from tests.scripts.helpers import World


@pytest.mark.parametrize("job", [NewJob(b"a"), NewJob(b"a", front=True), NewJob(b"a", delay_ms=5)])
def test_jobs_are_handed_out_again_and_somebody_is_called(world: World, job: NewJob) -> None:
    """If there is something to wake for, now or later."""
    world.run(pause(world.keys))
    world.push(job)

    reply, changed = world.step(unpause(world.keys))

    assert reply == [b"unpaused"]
    assert changed == {"paused": None, "wake": ["1"]}


def test_an_empty_queue_calls_nobody(world: World) -> None:
    """Only the mark goes; without one nothing changes."""
    world.run(pause(world.keys))

    assert world.step(unpause(world.keys)) == ([b"unpaused"], {"paused": None})
    assert world.step(unpause(world.keys)) == ([b"unpaused"], {})


def test_one_token_is_enough(world: World) -> None:
    """A queue that was not paused keeps the one it has."""
    world.push(b"a")

    assert world.step(unpause(world.keys)) == ([b"unpaused"], {})

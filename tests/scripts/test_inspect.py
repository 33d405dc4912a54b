"""inspect.lua."""

import pytest

from limpet.commands.look import inspect
from limpet.commands.manage import cancel
from limpet.commands.push import NewJob
from limpet.states import State
from tests.scripts.helpers import NOW, World, jid
from tests.scripts.scenes import bury, full


def shown(world: World, state: State, start: int, count: int) -> list[str]:
    """List the payloads at these positions."""
    return [view.payload.decode() for view in world.run(inspect(world.keys, state, start, count))]


@pytest.mark.parametrize(
    ("state", "names"),
    [
        (
            State.WAITING,
            ["suspect", "front", "released", "waiting", "own", "unique", "locked", "member"],
        ),
        (State.PARKED, ["parked", "also parked", "follower", "strange"]),
        (State.SCHEDULED, ["later"]),
        (State.RUNNING, ["tried", "holder", "single", "second", "third"]),
        (State.DEAD, ["dead"]),
    ],
)
def test_each_state_is_shown_in_the_order_it_is_served(
    world: World, state: State, names: list[str]
) -> None:
    """Any part of it, from either end; ghosts do not count, nothing changes."""
    full(world)

    reply, changed = world.step(inspect(world.keys, state, 0, 100))

    assert changed == {}
    assert reply[:2] == [b"jobs", NOW]
    size = len(names)
    for start in range(-size, size):
        for count in (1, 2, 100):
            first = start % size
            assert shown(world, state, start, count) == names[first : first + count]


@pytest.mark.parametrize("state", list(State))
def test_out_of_range_is_empty(world: World, state: State) -> None:
    """Beyond either end, and in a queue that is not there."""
    assert shown(world, state, 0, 9) == []
    full(world)

    assert shown(world, state, 100, 9) == []
    assert shown(world, state, -100, 9) == []


def test_a_long_line_with_ghosts_is_shown_by_position(world: World) -> None:
    """Positions are those of jobs, whatever stands between them."""
    world.push(*[b"%d" % n for n in range(500)])
    world.run(cancel(world.keys, [jid(n) for n in range(2, 500, 2)], None))

    names = [str(n) for n in range(0, 500, 2)] + ["499"]
    assert shown(world, State.WAITING, 0, 1000) == names
    assert shown(world, State.WAITING, 200, 5) == names[200:205]
    assert shown(world, State.WAITING, -3, 5) == names[-3:]


def test_the_newest_dead_are_shown_first(world: World) -> None:
    """With the time and the reason of their end."""
    bury(world, NewJob(b"a"), NewJob(b"b"))

    views = world.run(inspect(world.keys, State.DEAD, 0, 9))

    assert [(v.payload, v.at, v.reason) for v in views] == [
        (b"b", NOW + 1, "no"),
        (b"a", NOW, "no"),
    ]


def test_an_unreadable_parked_entry_is_passed_over(world: World) -> None:
    """Those beside it are shown."""
    full(world)
    world.store.zadd(world.keys["parked"], {"nonsense": 0})

    assert shown(world, State.PARKED, 0, 9) == ["parked", "also parked", "follower", "strange"]

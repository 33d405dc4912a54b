"""Try everything that can happen in a small world, on the model alone.

`explore` walks through all states, breadth first, and gives the shortest way to the first one
that breaks a rule; at the end it demands that from every state there is a way to the end of all
jobs.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from limpet.states import State
from tests.model.small_world import CRASH_LIMIT, Point, World, begin, moves


def broken_rules(world: World, here: Point) -> Iterator[str]:
    """Say which rules do not hold in a state."""
    model = here.model
    buried = {failure.id for failure in model.failures}
    if here.wrong:
        yield here.wrong
    for job_id, payload in here.pushed.items():
        if job_id not in model.jobs and not here.acked.get(job_id) and job_id not in buried:
            yield f"{payload!r} is lost"
        if job_id in buried and payload not in world.poison and world.poison:
            yield f"{payload!r} is given up for its neighbour"
    if max(here.acked.values(), default=0) > 1:
        yield "two acks of one job are accepted"
    alive = [job for job in model.jobs.values() if job.state is not State.DEAD]
    if any(job.crashes >= CRASH_LIMIT for job in alive):
        yield "a job whose workers died too often is not given up"
    order = list(here.pushed)
    line = [(job.crashes == 0, order.index(job.id)) for job in model.line() if job.id in order]
    if line != sorted(line):
        yield "a job is not at its place in line"
    if any(len(model.holders(job.lock)) > 1 for job in alive if job.lock):
        yield "a lock is held twice"


def finished(world: World, here: Point) -> bool:
    """Has everything been pushed and come to an end?"""
    done = all(job.state is State.DEAD for job in here.model.jobs.values())
    return done and here.actors[0].pushed == len(world.jobs)


@dataclass(frozen=True, slots=True)
class Found:
    """What an exploration saw; `wrong` is empty if all rules hold."""

    states: int
    steps: int
    wrong: str = ""
    way: tuple[str, ...] = ()


def explore(world: World, limit: int = 1_000_000) -> Found:
    """Visit all states of a world; stop at the first that breaks a rule."""
    first = begin(world)
    # key -> its number; number -> (number it was reached from, what happened)
    seen, ways, goals = {first.key(): 0}, [(-1, "start")], set()
    before: list[list[int]] = [[]]
    todo, steps = deque([(0, first)]), 0
    while todo:
        here_n, here = todo.popleft()
        if finished(world, here):
            goals.add(here_n)
        for what, there in moves(world, here):
            steps += 1
            key = there.key()
            number = seen.setdefault(key, len(ways))
            if number == len(ways):
                ways.append((here_n, what))
                before.append([])
                todo.append((number, there))
                wrong = next(broken_rules(world, there), "")
                if wrong or number > limit:
                    return Found(number, steps, wrong or "too many states", _way(ways, number))
            before[number].append(here_n)
    stuck = _unreachable(before, goals)
    if stuck:
        return Found(len(ways), steps, "stuck for ever", _way(ways, min(stuck)))
    return Found(len(ways), steps)


def _unreachable(before: list[list[int]], goals: set[int]) -> set[int]:
    """The states from which no goal can be reached."""
    reached, todo = set(goals), list(goals)
    while todo:
        fresh = set(before[todo.pop()]) - reached
        reached |= fresh
        todo += fresh
    return set(range(len(before))) - reached


def _way(ways: list[tuple[int, str]], number: int) -> tuple[str, ...]:
    steps = []
    while number > 0:
        number, what = ways[number]
        steps.append(what)
    return tuple(reversed(steps))

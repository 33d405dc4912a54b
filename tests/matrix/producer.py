"""A producer: `python -m tests.matrix.producer '{"jobs": 40}'`. Enqueues, and notes what it did."""

import json
import random
import sys
import threading
from dataclasses import dataclass
from typing import Any

from limpet.errors import QueueFull
from tests.matrix import tasks
from tests.matrix.witness import Sighting, note

GARBAGE = b'\xff\xfe{"task": '
_never = threading.Event()


@dataclass(frozen=True, slots=True)
class Order:
    """What to enqueue."""

    jobs: int
    seed: int = 1
    #: Pause after each job.
    pace_ms: int = 10
    shortest_ms: int = 10
    longest_ms: int = 50
    #: Kinds of poison, spread among the others.
    poison: tuple[str, ...] = ()


def main(text: str) -> None:
    """Enqueue all, in order, one after the other."""
    given = json.loads(text)
    order = Order(**{**given, "poison": tuple(given.get("poison", ()))})
    chance = random.Random(order.seed)
    kinds: list[str | None] = [None] * order.jobs
    for kind in order.poison:
        kinds.insert(chance.randrange(len(kinds) // 2 + 1), kind)
    with tasks.app:
        for n, kind in enumerate(kinds):
            _push(n, kind, order, chance)
            _never.wait(order.pace_ms / 1000)


def _push(n: int, kind: str | None, order: Order, chance: random.Random) -> None:
    task = _ordinary(n, order, chance) if kind is None else _poisonous(n, kind, chance)
    while True:
        try:
            name, job = task()
        except QueueFull:  # nothing was changed
            note(Sighting("refused", n=n))
            _never.wait(0.05)
        else:
            note(Sighting("pushed", job=job, n=n, text=name))
            return


def _ordinary(n: int, order: Order, chance: random.Random) -> Any:
    task = chance.choice(tasks.ORDINARY)
    ms = chance.randint(order.shortest_ms, order.longest_ms)
    named = {"id": f"own-{n}"} if chance.random() < 0.3 else {}
    return lambda: (task.name, task.using(**named).enqueue(n, ms).id)


def _poisonous(n: int, kind: str, chance: random.Random) -> Any:
    if kind == "garbage":
        return lambda: ("poison", tasks.app.limpet.queue("default").push(GARBAGE).id)
    apart = {
        "bomb": tasks.poison_bomb,
        "spin": tasks.poison_spin,
        "spin apart": tasks.poison_spin_apart,
    }
    if kind in apart:
        return lambda: (apart[kind].name, apart[kind].enqueue(n).id)
    task = chance.choice((tasks.poison, tasks.poison_async))
    return lambda: (task.name, task.enqueue(n, kind).id)


if __name__ == "__main__":
    main(sys.argv[1])

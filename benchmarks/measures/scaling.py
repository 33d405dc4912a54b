"""limpet alone: does the cost stay flat however much there is?

Each size is measured beside a small queue on the same server, in turns, so that the ratio of the
two knows nothing of what the machine did in between.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from benchmarks.cores import CLIENT_CORE, on_core
from benchmarks.flat import Bench
from benchmarks.measures.beside import turned
from benchmarks.measures.core import cost, pop_and_ack, push_batch
from benchmarks.table import Found, Table
from limpet.connection.target import resolve
from limpet.link.sync import Link

SMALL = 1_000


def run(table: Table) -> None:
    """Measure the core against backlog, running jobs and queues."""
    backlogs(table)
    held(table)
    queues(table)


@contextmanager
def small(table: Table) -> Iterator[Bench]:
    """Make the small queue that others are compared with, on an empty server."""
    table.server.flush()
    link = Link(resolve(table.server.url))
    try:
        made = Bench(link, table.server.client, "small")
        made.fill(SMALL, 0)
        yield made
    finally:
        link.close()
        table.server.flush()


def beside(reference: Bench, name: str) -> Bench:
    """Make another queue on the same server."""
    return Bench(reference.link, reference.plain, name)


def backlogs(table: Table) -> None:
    """Let one queue grow; at each size push, and take and end, as many batches."""
    with small(table) as reference:
        bench, filled = beside(reference, "backlog"), 0
        for size in table.plan.backlogs:
            bench.fill(size - filled, 0)
            filled = size
            _both(table, "backlog", size, [[reference], [bench]])


def held(table: Table) -> None:
    """Let more and more jobs be with another worker, ten in each hand-out."""
    with small(table) as reference:
        bench, running = beside(reference, "held"), 0
        bench.fill(SMALL, 0)
        for size in table.plan.running:
            more = max(size - running, 0) // 10 * 10
            bench.fill(0, more)
            running += more
            _both(table, "running", size, [[reference], [bench]])


def queues(table: Table) -> None:
    """Spread the same number of batches over more and more queues."""
    with small(table) as reference:
        benches: list[Bench] = []
        for size in table.plan.queues:
            while len(benches) < size:
                benches.append(beside(reference, f"queue-{len(benches)}"))
            _both(table, "queues", size, [[reference], benches])


def _both(table: Table, measure: str, size: int, groups: Sequence[list[Bench]]) -> None:
    """Cost of a push and of a pop with its ack; the queues are as before afterwards."""
    named = list(zip((f"{measure}, small beside", measure), groups, strict=True))

    def pairs() -> Found:
        with on_core(CLIENT_CORE):
            return [
                (f"{name}: {step}", f"{size:,}", [spent])
                for turn in range(table.plan.pairs)
                for name, benches in turned(named, turn)
                for step, spent in _costs(table, benches).items()
            ]

    table.sample(f"{measure} {size:,}", pairs)


def _costs(table: Table, benches: list[Bench]) -> dict[str, float]:
    """Push and pop in all queues in turn, after each of them was used once."""
    for bench in benches:
        push_batch(bench)
        pop_and_ack(bench)
    batches, turn = max(table.plan.batches, len(benches)), _turns(benches)
    pushed = cost(table, lambda: push_batch(next(turn)), batches)
    again = _turns(benches)
    popped = cost(table, lambda: pop_and_ack(next(again)), batches)
    return {"push": pushed, "pop + ack": popped}


def _turns(benches: list[Bench]) -> Iterator[Bench]:
    """Go through the queues, again and again."""
    while True:
        yield from benches

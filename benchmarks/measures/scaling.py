"""limpet alone: does the cost stay flat, does a second process help, who wakes?"""

from collections.abc import Iterator
from contextlib import contextmanager

from benchmarks.cores import CLIENT_CORE, on_core
from benchmarks.flat import Bench
from benchmarks.measures.core import cost, pop_and_ack, push_batch
from benchmarks.table import Found, Table
from limpet.connection.target import resolve
from limpet.link.sync import Link


def run(table: Table) -> None:
    """Measure the core against backlog, running jobs and queues."""
    backlogs(table)
    held(table)
    queues(table)


@contextmanager
def link(table: Table) -> Iterator[Link]:
    """Open a wire to an empty server."""
    table.server.flush()
    made = Link(resolve(table.server.url))
    try:
        yield made
    finally:
        made.close()
        table.server.flush()


def backlogs(table: Table) -> None:
    """Let one queue grow; at each size push, and take and end, as many batches."""
    with link(table) as wire:
        bench, filled = Bench(wire, table.server.client, "backlog"), 0
        for size in table.plan.backlogs:
            bench.fill(size - filled, 0)
            filled = size
            _both(table, "backlog", size, [bench])


def held(table: Table) -> None:
    """Let more and more jobs be with another worker, ten in each hand-out."""
    with link(table) as wire:
        bench, running = Bench(wire, table.server.client, "held"), 0
        for size in table.plan.running:
            more = max(size - running, 0) // 10 * 10
            bench.fill(0, more)
            running += more
            _both(table, "running", size, [bench])


def queues(table: Table) -> None:
    """Spread the same number of batches over more and more queues."""
    with link(table) as wire:
        benches: list[Bench] = []
        for size in table.plan.queues:
            while len(benches) < size:
                benches.append(Bench(wire, table.server.client, f"queue-{len(benches)}"))
            _both(table, "queues", size, benches)


def _both(table: Table, measure: str, size: int, benches: list[Bench]) -> None:
    """Cost of a push and of a pop with its ack; the queues are as before afterwards."""

    def take() -> Found:
        with on_core(CLIENT_CORE):
            for bench in benches:
                push_batch(bench)
                pop_and_ack(bench)
            turn = _turns(benches)
            pushed = cost(table, lambda: push_batch(next(turn)))
            turn = _turns(benches)
            popped = cost(table, lambda: pop_and_ack(next(turn)))
        return [
            (f"{measure}: push", f"{size:,}", [pushed]),
            (f"{measure}: pop + ack", f"{size:,}", [popped]),
        ]

    for _ in range(table.plan.rounds):
        table.sample(f"{measure} {size:,}", take)


def _turns(benches: list[Bench]) -> Iterator[Bench]:
    """Go through the queues, again and again."""
    while True:
        yield from benches

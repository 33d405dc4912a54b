"""Batches of 100 in server CPU: limpet's core beside bare lists with the same payload."""

from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks.cores import CLIENT_CORE, on_core
from benchmarks.flat import BATCH, PAYLOAD, Bench, receipts
from benchmarks.measures.beside import turned
from benchmarks.table import Found, Table
from limpet.commands import finish, push, take
from limpet.connection.target import resolve
from limpet.link.sync import Link

#: What is compared: the bare step and ours, one right after the other.
PAIRS = (("RPUSH of 100", "push of 100"), ("LPOP of 100", "pop + ack of 100"))


def run(table: Table) -> None:
    """Take the samples of all rounds."""
    for number in range(table.plan.rounds):
        table.sample(f"round {number + 1}: core", partial(measure, table, number))


def measure(table: Table, number: int) -> Found:
    """Take turns: bare push and our push, bare pop and our pop with its ack."""
    table.server.flush()
    link = Link(resolve(table.server.url))
    bench, bare = Bench(link, table.server.client, "core"), table.server.client
    steps: dict[str, Callable[[], Any]] = {
        "RPUSH of 100": lambda: bare.rpush("bare", *[PAYLOAD] * BATCH),
        "push of 100": lambda: push_batch(bench),
        "LPOP of 100": lambda: bare.lpop("bare", BATCH),
        "pop + ack of 100": lambda: pop_and_ack(bench),
    }
    with on_core(CLIENT_CORE):
        for step in steps.values():
            step()
        found: Found = [
            ("core us", name, [cost(table, steps[name])])
            for turn in range(table.plan.pairs)
            for pair in PAIRS
            for name in turned(pair, number + turn)
        ]
    link.close()
    return found


def cost(table: Table, step: Callable[[], Any], batches: int = 0) -> float:
    """Give the server's CPU microseconds per job of a step of 100 jobs."""
    batches = batches or table.plan.batches
    before = table.server.read()
    for _ in range(batches):
        step()
    after = table.server.read()
    looking = table.server.read().since(after).cpu_us
    return (after.since(before).cpu_us - looking) / (batches * BATCH)


def push_batch(bench: Bench) -> None:
    """Push 100 jobs."""
    bench.link.send(push.push_any(bench.keys, [PAYLOAD] * BATCH))


def pop_and_ack(bench: Bench) -> None:
    """Take 100 jobs and end them."""
    taken = bench.link.send(take.pop(bench.keys, bench.taker, BATCH))
    bench.link.send(finish.ack(bench.keys, receipts(taken)))

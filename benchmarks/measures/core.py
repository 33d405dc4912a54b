"""Batches of 100 in server CPU: limpet's core beside bare lists with the same payload."""

from collections.abc import Callable
from typing import Any

from benchmarks.cores import CLIENT_CORE, on_core
from benchmarks.flat import BATCH, PAYLOAD, Bench, receipts
from benchmarks.table import Found, Table
from limpet.commands import finish, push, take
from limpet.commands.push import NewJob
from limpet.connection.target import resolve
from limpet.link.sync import Link


def run(table: Table) -> None:
    """Take the samples of all rounds."""
    for number in range(table.plan.rounds):
        table.sample(f"round {number + 1}: core", lambda: measure(table))


def measure(table: Table) -> Found:
    """Take turns: bare push, our push, bare pop, our pop and ack."""
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
        found: Found = [("core us", name, [cost(table, step)]) for name, step in steps.items()]
    link.close()
    return found


def cost(table: Table, step: Callable[[], Any]) -> float:
    """Give the server's CPU microseconds per job of a step of 100 jobs."""
    before = table.server.read()
    for _ in range(table.plan.batches):
        step()
    return table.server.read().since(before).cpu_us / (table.plan.batches * BATCH)


def push_batch(bench: Bench) -> None:
    """Push 100 jobs."""
    bench.link.send(push.push(bench.keys, [NewJob(PAYLOAD)] * BATCH))


def pop_and_ack(bench: Bench) -> None:
    """Take 100 jobs and end them."""
    taken = bench.link.send(take.pop(bench.keys, bench.taker, BATCH))
    bench.link.send(finish.ack(bench.keys, receipts(taken)))

"""What the bare server and its client library can do, in the same run.

No bar is judged by these: the figures for that are taken beside limpet's own (see `beside`).
"""

import time
from typing import TYPE_CHECKING, Any

import redis

from benchmarks.cores import CLIENT_CORE, on_core
from benchmarks.table import Found, Table

if TYPE_CHECKING:
    from collections.abc import Callable

PAYLOAD = b"x" * 100


def run(table: Table) -> None:
    """Take the samples of all rounds."""
    for number in range(table.plan.rounds):
        table.sample(f"round {number + 1}: bare server", lambda: measure(table))


def measure(table: Table) -> Found:
    """Time each command in a loop of one client on the clients' core."""
    table.server.flush()
    plan, client = table.plan, redis.Redis(port=table.server.port, protocol=2)
    client.set("bare:key", PAYLOAD)
    script = client.script_load("return 1")
    steps: list[tuple[str, int, int, Callable[[], Any]]] = [
        ("GET", 1, plan.enqueue * 2, lambda: client.get("bare:key")),
        ("RPUSH", 1, plan.enqueue * 2, lambda: client.rpush("bare:a", PAYLOAD)),
        ("RPUSH of 100", 100, plan.batches, lambda: client.rpush("bare:b", *[PAYLOAD] * 100)),
        ("RPUSH of 1,000", 1000, plan.batches, lambda: client.rpush("bare:c", *[PAYLOAD] * 1000)),
        ("LPOP of 100", 100, plan.batches, lambda: client.lpop("bare:b", 100)),
        ("empty script", 1, plan.enqueue * 2, lambda: client.evalsha(script, 0)),
    ]
    found: Found = []
    with on_core(CLIENT_CORE):
        for name, size, turns, step in steps:
            step()
            started = time.perf_counter()
            for _ in range(turns):
                step()
            found.append(("raw", name, [turns * size / (time.perf_counter() - started)]))
    client.close()
    return found

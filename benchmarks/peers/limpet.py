"""limpet: `App` and `Worker` as users write them."""

import asyncio
import os
import time

from benchmarks.peers.common import SLOTS, URL, amark, calls_of, hundred, mark
from limpet import App
from limpet.app.items import TaskItem
from limpet.worker.worker import Worker

#: Jobs at a time; the drain is measured with more than other things.
CONCURRENCY = int(os.environ.get("BENCH_SLOTS", SLOTS))
app = App(URL)


@app.task(name="unique", unique="waiting")
async def unique(number: int) -> None:
    """Do nothing, but be the only one with this number that waits."""
    await amark(number)


@app.task(name="locked", lock="number:{number}")
async def locked(number: int) -> None:
    """Do nothing, under a lock that nobody else wants."""
    await amark(number)


@app.task(name="payload")
async def payload(number: int, text: str) -> None:
    """Do nothing with a text."""
    del text
    await amark(number)


@app.task(name="slow")
async def slow(number: int, seconds: float) -> None:
    """Keep a slot for a while."""
    await asyncio.sleep(seconds)
    await amark(number)


@app.task(name="busy")
async def busy(number: int, us: int) -> None:
    """Compute for a while."""
    end = time.perf_counter() + us / 1_000_000
    while time.perf_counter() < end:
        pass
    await amark(number)


TASKS = {
    "sync": app.task(name="sync")(mark),
    "async": app.task(name="async")(amark),
    "unique": unique,
    "locked": locked,
}


def item(kind: str, number: int) -> TaskItem[None]:
    """Make one call; `payload:1000` carries a text of that size, `slow:1` takes a second."""
    name, _, size = kind.partition(":")
    if name == "payload":
        return payload.item(number, "x" * int(size))
    if name == "busy":
        return busy.item(number, int(size))
    if name == "slow":
        return slow.item(number, float(size))
    return TASKS[kind].item(number)


def enqueue(kind: str, numbers: range) -> None:
    """One round trip per job."""
    one = TASKS[kind].enqueue
    for number in numbers:
        one(number)


def bulk(kind: str, numbers: range) -> None:
    """One script call per 1,000 jobs."""
    size = 10 if kind == "payload:100000" else 1000
    for part in calls_of(numbers, size):
        app.enqueue_many([item(kind, number) for number in part])


async def concurrent(kind: str, numbers: range) -> None:
    """100 tasks on one loop; their calls share round trips."""
    await hundred(TASKS[kind].aenqueue, numbers)


def work(_kind: str) -> None:
    """One process; `def` jobs in threads, `async def` jobs on the loop."""
    Worker(app, concurrency=CONCURRENCY, grace="1s").run()

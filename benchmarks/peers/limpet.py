"""limpet: `App` and `Worker` as users write them."""

import asyncio

from benchmarks.peers.common import SLOTS, URL, amark, calls_of, hundred, mark
from limpet import App
from limpet.worker.worker import Worker

app = App(URL)
TASKS = {"sync": app.task(name="sync")(mark), "async": app.task(name="async")(amark)}


def enqueue(kind: str, numbers: range) -> None:
    """One round trip per job."""
    one = TASKS[kind].enqueue
    for number in numbers:
        one(number)


def bulk(kind: str, numbers: range) -> None:
    """One script call per 1,000 jobs."""
    item = TASKS[kind].item
    for part in calls_of(numbers):
        app.enqueue_many([item(number) for number in part])


async def concurrent(kind: str, numbers: range) -> None:
    """100 tasks on one loop; their calls share round trips."""
    await hundred(TASKS[kind].aenqueue, numbers)


def work(_kind: str) -> None:
    """One process; `def` jobs in threads, `async def` jobs on the loop."""
    asyncio.run(Worker(app, concurrency=SLOTS, grace="1s").arun())

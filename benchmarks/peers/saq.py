"""SAQ."""

import asyncio
from typing import Any

from saq import Queue, Worker

from benchmarks.peers.common import SLOTS, URL, amark, hundred, leave, mark, signalled

queue = Queue.from_url(URL)


async def job_async(_context: dict[str, Any], *, number: int) -> None:
    """Do nothing, on the loop."""
    await amark(number)


def job_sync(_context: dict[str, Any], *, number: int) -> None:
    """Do nothing, in a thread."""
    mark(number)


async def enqueue(kind: str, numbers: range) -> None:
    """One job per call; nothing is kept of it."""
    for number in numbers:
        await queue.enqueue(f"job_{kind}", number=number, ttl=-1)


async def concurrent(kind: str, numbers: range) -> None:
    """100 tasks on one loop."""

    async def one(number: int) -> None:
        await queue.enqueue(f"job_{kind}", number=number, ttl=-1)

    await hundred(one, numbers)


async def work(_kind: str) -> None:
    """100 jobs at a time; its sweeper gives back what a dead worker held."""
    worker = Worker(queue, functions=[job_async, job_sync], concurrency=SLOTS)
    running = asyncio.create_task(worker.start())
    await signalled()
    del running
    leave()

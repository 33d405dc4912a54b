"""streaQ."""

import asyncio

from streaq import Worker

from benchmarks.peers.common import SLOTS, URL, amark, calls_of, hundred, leave, mark, signalled

worker = Worker(redis_url=URL, concurrency=SLOTS, prefetch=SLOTS, handle_signals=False)
TASKS = {
    "sync": worker.task(name="sync", ttl=0)(mark),
    "async": worker.task(name="async", ttl=0)(amark),
}
_open: list[asyncio.Task[None]] = []


async def _start() -> None:
    """Open the worker's connections once, in a task that lives as long as the process."""
    if _open:
        return
    ready = asyncio.Event()

    async def hold() -> None:
        async with worker:
            ready.set()
            await asyncio.Event().wait()

    _open.append(asyncio.create_task(hold()))
    await ready.wait()


async def enqueue(kind: str, numbers: range) -> None:
    """One job per call."""
    await _start()
    for number in numbers:
        await TASKS[kind].enqueue(number)


async def bulk(kind: str, numbers: range) -> None:
    """`enqueue_many`: one pipeline per call."""
    await _start()
    for part in calls_of(numbers):
        await worker.enqueue_many([TASKS[kind].enqueue(number) for number in part])


async def concurrent(kind: str, numbers: range) -> None:
    """100 tasks on one loop."""
    await _start()

    async def one(number: int) -> None:
        await TASKS[kind].enqueue(number)

    await hundred(one, numbers)


async def work(_kind: str) -> None:
    """Streams; 100 jobs at a time; what idles too long is given to others."""
    running = asyncio.create_task(worker.run_async())
    await signalled()
    del running
    leave()

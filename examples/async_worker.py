"""An asyncio worker: several jobs side by side, errors tried again, and a clean stop."""

import asyncio
import signal

from limpet import AsyncLimpet, AsyncQueue, Delivery

SLOTS = 3


async def resize(picture: str) -> None:
    """Do what the job asks for; one of the pictures is none."""
    await asyncio.sleep(0.05)
    if picture == "bad.png":
        raise ValueError("not a picture")


async def work(queue: AsyncQueue, job: Delivery) -> None:
    """Run one job and end it: done, tried again later, or given up."""
    try:
        await resize(job.payload.decode())
    except ValueError as error:
        if job.retries < 1:
            await queue.retry(job, delay="100ms", message=error)
        else:
            await queue.fail(job, error)
    else:
        await queue.ack(job)


async def serve(queue: AsyncQueue, stop: asyncio.Event) -> None:
    """Take jobs while slots are free; on stop, let the running ones end."""
    running: set[asyncio.Task[None]] = set()
    while not stop.is_set():
        if len(running) == SLOTS:
            await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
        jobs = await queue.pop(count=SLOTS - len(running), wait=0.5)
        for job in jobs:
            task = asyncio.create_task(work(queue, job))
            running.add(task)
            task.add_done_callback(running.discard)
        if not jobs and not running:
            stop.set()  # an example must end; a real worker would wait on
    await asyncio.gather(*running)


async def main() -> None:
    """Push seven pictures, serve until SIGTERM or until nothing is left, show the outcome."""
    async with AsyncLimpet() as limpet:
        queue, stop = limpet.queue("example-pictures"), asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
        await queue.push_many([*[f"{n}.png" for n in range(6)], "bad.png"])
        await serve(queue, stop)

        stats, failure = await queue.stats(), await queue.last_failure()
        print(f"ended {stats.completed}, of these failed {stats.failed}")
        if failure is not None:
            print(f"last error, after {failure.deliveries} deliveries: {failure.message}")
        await queue.drop()


asyncio.run(main())

"""One worker of the demo, in a process of its own: `python -m limpet.demo.worker`."""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

from limpet import AsyncLimpet, AsyncQueue, Delivery, WorkerLost
from limpet.demo import plan
from limpet.demo.notes import Notebook


class Worker:
    """Takes jobs as long as it has free slots, works on them side by side, notes every step."""

    def __init__(self, queue: AsyncQueue, notes: Notebook) -> None:
        """Start with empty hands."""
        self.queue, self.notes = queue, notes
        self._jobs: dict[asyncio.Task[None], Delivery] = {}

    async def run(self, stop: asyncio.Event) -> None:
        """Work until told to stop, or until the demo itself is gone."""
        demo = os.getppid()
        while not stop.is_set() and os.getppid() == demo:
            try:
                await self._take()
            except WorkerLost:
                # Silent for longer than the lease: others have these jobs now.
                self.notes.note("lost", ids=[delivery.id for delivery in self._jobs.values()])
        await asyncio.gather(*self._jobs)

    async def _take(self) -> None:
        free = plan.SLOTS - len(self._jobs)
        if not free:
            await asyncio.wait(self._jobs, return_when=asyncio.FIRST_COMPLETED)
            return
        for delivery in await self.queue.pop(count=free, wait=0.1):
            self.notes.note("started", delivery.id, deliveries=delivery.deliveries)
            task = asyncio.create_task(self._work(delivery))
            self._jobs[task] = delivery
            task.add_done_callback(self._jobs.pop)

    async def _work(self, delivery: Delivery) -> None:
        await asyncio.sleep(json.loads(delivery.payload)["takes_s"])
        self.notes.note("acking", delivery.id)
        acked = await self.queue.ack(delivery)
        self.notes.note("acked" if acked else "stale", delivery.id)


async def main(queue_name: str, folder: str, name: str) -> None:
    """Work on one queue until SIGTERM."""
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    async with AsyncLimpet(name=name, heartbeat=plan.HEARTBEAT_S, lease=plan.LEASE_S) as limpet:
        await Worker(limpet.queue(queue_name), Notebook(Path(folder), name)).run(stop)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))

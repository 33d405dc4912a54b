"""Taking jobs and acking those that are done, together wherever that saves a round trip."""

import asyncio
import logging

from limpet.aio import AsyncLimpet, AsyncQueue
from limpet.errors import BackendError, WorkerLost
from limpet.values import Delivery, Receipt
from limpet.worker.fetch import ByWeight, InOrder, Lines, plan_of

log = logging.getLogger("limpet.worker")
#: How long an ack may wait for company.
FLUSH_S = 0.005


class Queues(dict[str, AsyncQueue]):
    """Queues by name, each made once."""

    def __init__(self, client: AsyncLimpet) -> None:
        """Start with none."""
        super().__init__()
        self.client = client

    def __missing__(self, name: str) -> AsyncQueue:
        """Make one."""
        queue = self[name] = self.client.queue(name)
        return queue


class Acks:
    """Jobs that are done and not acked yet.

    They go with the next taking, or after a few milliseconds by themselves.
    """

    def __init__(self, queues: "Queues") -> None:
        """Start with none."""
        self._queues = queues
        self._loop = asyncio.get_running_loop()
        self._done: dict[str, list[Delivery]] = {}
        self._armed = False
        #: Acked once already, perhaps: a second ack that changes nothing says nothing.
        self._unsure: set[Receipt] = set()
        #: Keeps the flushes under way from being forgotten.
        self._flushes: set[asyncio.Task[None]] = set()

    @property
    def waiting(self) -> bool:
        """Whether there are any, also those under way."""
        return bool(self._done or self._flushes)

    def add(self, delivery: Delivery) -> None:
        """Note a job that is done."""
        mine = self._done.get(delivery.queue)
        if mine is None:
            mine = self._done[delivery.queue] = []
        mine.append(delivery)
        if not self._armed:
            self._armed = True
            self._loop.call_later(FLUSH_S, self._flush_soon)

    def take(self, queue: str) -> list[Delivery]:
        """Take the acks of one queue, to send them."""
        return self._done.pop(queue, [])

    def put_back(self, deliveries: list[Delivery]) -> None:
        """Have acks again that may have arrived or not."""
        self._unsure.update(delivery.receipt for delivery in deliveries)
        for delivery in deliveries:
            self.add(delivery)

    def clear(self) -> None:
        """Forget all: they are no longer ours to ack."""
        self._done.clear()
        self._unsure.clear()

    def _flush_soon(self) -> None:
        self._armed = False
        if self._done:
            task = self._loop.create_task(self.flush())
            self._flushes.add(task)
            task.add_done_callback(self._flushes.discard)

    async def flush(self) -> None:
        """Ack all there is; what cannot be sent stays for the next time."""
        for queue in list(self._done):
            done = self.take(queue)
            try:
                acked = await self._queues[queue].ack(*done)
            except BackendError as error:
                log.warning("limpet: %d acks wait for the server: %s", len(done), error)
                self.put_back(done)
                return
            except BaseException:
                self.put_back(done)
                raise
            self.note_acked(done, acked)

    def note_acked(self, done: list[Delivery], acked: list[str]) -> None:
        """Take notice of an answer: say which acks changed nothing."""
        if len(acked) < len(done):
            known = set(acked)
            stale = [d.id for d in done if d.id not in known and d.receipt not in self._unsure]
            if stale:
                log.warning(
                    "limpet: done, but not ours any more (cancelled, or given to others): %s",
                    ", ".join(stale[:10]),
                )
        if self._unsure:
            self._unsure.difference_update(delivery.receipt for delivery in done)

    async def settle(self) -> None:
        """Wait for flushes under way, and flush the rest."""
        if self._flushes:
            await asyncio.wait(self._flushes)
        await self.flush()


class Taker:
    """Takes jobs for free slots, from the queues and in the order of a plan."""

    def __init__(self, queues: Queues, lines: Lines, acks: Acks) -> None:
        """Prepare; nothing is sent."""
        self._queues, self._acks = queues, acks
        self._names = lines.names
        self._plan: InOrder | ByWeight = plan_of(lines)
        self._only = queues[lines.names[0]] if len(lines.names) == 1 else None

    async def take(self, free: int, wait_s: float) -> list[Delivery]:
        """Take up to so many jobs; wait for the first one if there is none."""
        if self._only is not None:
            return await self._take_from(self._only, free, wait_s)
        found = await self._go_round(free)
        if found or wait_s <= 0:
            return found
        found = await self._queues.client.pop(*self._names, count=free, wait=wait_s)
        for name in self._names:
            self._plan.note(name, sum(1 for delivery in found if delivery.queue == name))
        return found

    async def _go_round(self, free: int) -> list[Delivery]:
        """Ask the queues as the plan says."""
        found: list[Delivery] = []
        asking = self._plan.asking(free)
        try:
            name, count = next(asking)
            while True:
                got = await self._take_from(self._queues[name], count, 0)
                found += got
                name, count = asking.send(len(got))
        except StopIteration:
            return found
        except (BackendError, WorkerLost):
            if not found:
                raise
            return found  # the next taking meets the error again

    async def _take_from(self, queue: AsyncQueue, count: int, wait_s: float) -> list[Delivery]:
        done = self._acks.take(queue.name)
        if not done:
            return await queue.pop(count, wait_s)
        try:
            acked, got = await queue.ack_and_pop(done, count, wait_s)
        except WorkerLost:
            raise
        except BaseException:
            self._acks.put_back(done)
            raise
        self._acks.note_acked(done, acked)
        return got

"""One worker at work: takes jobs for its free slots, and keeps watch."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass

from limpet.aio import AsyncLimpet
from limpet.errors import BackendError, WorkerLost
from limpet.link.lanes import backoff_s
from limpet.values import Delivery
from limpet.worker.bench import Bench
from limpet.worker.fetch import Lines
from limpet.worker.stall import StallWatch
from limpet.worker.taking import Queues, Taker
from limpet.worker.watchdog import EXIT_CODE, Watchdog

log = logging.getLogger("limpet.worker")
#: The longest single wait for work; after it the worker knows that it still hears the server.
WAIT_S = 10.0
#: As long as jobs run here that may enqueue others, one who waits for the end looks this often.
BURST_WAIT_S = 0.2
TICK_S = 0.25
#: Fewer jobs than this are not worth a round trip of their own in a busy worker.
HALF = 32
#: Told who the worker is, and what it serves, before it takes its first job.
OnIdentity = Callable[[str, list[str]], None]


@dataclass(frozen=True, slots=True)
class Settings:
    """How a worker works, checked."""

    lines: Lines
    concurrency: int
    burst: bool
    grace_s: float
    lease_ms: int


class Shift:
    """From the first taking to the last; made and used on the worker's loop."""

    def __init__(
        self,
        client: AsyncLimpet,
        queues: Queues,
        bench: Bench,
        settings: Settings,
        on_identity: OnIdentity | None = None,
    ) -> None:
        """Prepare; nothing is taken yet."""
        self.client, self.bench, self.settings = client, bench, settings
        self.code = 0
        self._on_identity = on_identity
        self._taker = Taker(queues, settings.lines, bench.acks)
        self._watchdog = Watchdog(settings.lease_ms)
        self._stall = StallWatch(bench.name_of)
        self._taking, self._complaint = False, ""
        half = settings.concurrency // 2
        #: How many to take at once: with many slots one half is taken while the other one runs.
        self._most = half if half >= HALF else settings.concurrency
        #: Under which identity it serves all its queues.
        self._signed_on: str | None = None

    async def sign_on(self) -> None:
        """Be a worker of all queues, under a new identity if the last one was declared dead."""
        names = self.settings.lines.names
        workers = [await self.client.start_work(name) for name in names]
        self._signed_on = workers[0]
        if self._on_identity is not None:
            self._on_identity(workers[0], list(names))

    # -- taking -----------------------------------------------------------------------------

    async def take_on(self) -> None:
        """Take jobs and start them until cancelled, or until all is done in a burst."""
        bench = self.bench
        while True:
            free = self.settings.concurrency - len(bench.running)
            if free <= 0:
                bench.room.clear()
                await bench.room.wait()
                continue
            asked = min(free, self._most)
            found = await self._take(asked)
            while len(found) == asked and (asked := self._spare(len(found))):
                found = await self._begin_and_take(found, asked)
            bench.begin_all(found)
            if found:
                await asyncio.sleep(0)  # what ends at once is acked with the next taking
            elif self.settings.burst and not bench.running and not self._complaint:
                return

    def _spare(self, found: int) -> int:
        """Say how many more to take before these are begun; 0: not enough to be worth it."""
        spare = min(self.settings.concurrency - len(self.bench.running) - found, self._most)
        return spare if spare >= HALF else 0

    async def _begin_and_take(self, found: list[Delivery], asked: int) -> list[Delivery]:
        """Ask for the next jobs, then begin these: the server is at work meanwhile."""
        worker, taking = self._signed_on, asyncio.create_task(self._take(asked))
        try:
            try:
                await asyncio.sleep(0)  # the request goes out
            finally:
                if self._signed_on == worker:  # else they are others' by now
                    self.bench.begin_all(found)
            self.bench.give_way()
            return await taking
        except asyncio.CancelledError:
            await self._call_off(taking)
            raise

    async def _call_off(self, taking: "asyncio.Task[list[Delivery]]") -> None:
        """End a taking that nobody waits for any more; jobs that came nevertheless are begun."""
        taking.cancel()
        await asyncio.wait([taking])
        if not taking.cancelled() and taking.exception() is None:
            self.bench.begin_all(taking.result())

    async def _take(self, free: int) -> list[Delivery]:
        self._taking = True
        try:
            if self._signed_on is None:
                await self.sign_on()
            found = await self._taker.take(free, self._patience_s())
        except WorkerLost as error:
            self._lose(error.worker)
            return []
        except BackendError as error:
            if self.bench.running or self.bench.acks.waiting:
                self._watchdog.fed()  # to leave now would let done jobs start once more
            await self._complain(error)
            return []
        finally:
            self._taking = False
        self._watchdog.fed()
        self._complaint = ""
        return found

    def _patience_s(self) -> float:
        if not self.settings.burst:
            return WAIT_S
        return BURST_WAIT_S if self.bench.running else 0

    async def _complain(self, error: BackendError) -> None:
        """Log what is wrong with the server, once for as long as it stays the same."""
        if str(error) != self._complaint:
            self._complaint = str(error)
            log.warning("limpet: cannot take jobs: %s; trying again", error)
        await asyncio.sleep(backoff_s(5))

    def _lose(self, worker: str) -> None:
        """The worker was declared dead: what runs is not ours any more; go on as a new one."""
        if self._signed_on == worker:
            self._signed_on = None
            stopped = self.bench.lose()
            log.error(
                "limpet: worker %s was declared dead; %d running jobs are stopped, for others have"
                " them now; going on under a new identity",
                *(worker, stopped),
            )

    # -- keeping watch ----------------------------------------------------------------------

    async def tick_on(self) -> None:
        """Keep watch over the loop and over the taking, until cancelled or deaf."""
        self._stall.start()
        try:
            while not self._is_deaf():
                await asyncio.sleep(TICK_S)
                self._stall.tick()
                if self.client.lost and self.client.worker is not None:
                    self._lose(self.client.worker)
        finally:
            self._stall.stop()

    def _is_deaf(self) -> bool:
        if not self._watchdog.look(TICK_S, taking=self._taking):
            return False
        limit_s = self._watchdog.limit_s
        log.critical("limpet: no answer from the server for %.0f s: giving up", limit_s)
        self.code = EXIT_CODE
        return True

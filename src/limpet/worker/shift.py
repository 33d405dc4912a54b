"""One worker at work: takes jobs for its free slots, has them run, tells how they ended."""

import asyncio
import logging
import random
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any

from limpet.aio import AsyncLimpet
from limpet.app import App
from limpet.app.context import Job
from limpet.app.desk import Desk
from limpet.errors import BackendError, WorkerLost
from limpet.link.lanes import backoff_s
from limpet.values import Delivery
from limpet.worker.executors.loop import LoopExecutor
from limpet.worker.executors.processes import ProcessExecutor
from limpet.worker.executors.threads import ThreadExecutor
from limpet.worker.fetch import Lines
from limpet.worker.finish import Finish
from limpet.worker.hooks import Hooks
from limpet.worker.outcomes import Done, Failed, Outcome, RetryLater, Unknown, Why
from limpet.worker.runner import Kit, Run, judge_error, judge_stop, judge_value, prepare
from limpet.worker.slots import Executor, Running
from limpet.worker.stall import StallWatch
from limpet.worker.taking import Acks, Queues, Taker
from limpet.worker.watchdog import EXIT_CODE, Watchdog

log = logging.getLogger("limpet.worker")
#: The longest single wait for work; after it the worker knows that it still hears the server.
WAIT_S = 10.0
#: As long as jobs run here that may enqueue others, one who waits for the end looks this often.
BURST_WAIT_S = 0.2
TICK_S = 0.25


@dataclass(frozen=True, slots=True)
class Settings:
    """How a worker works, checked."""

    lines: Lines
    concurrency: int
    burst: bool
    grace_s: float
    lease_ms: int


class Shift:
    """All that a worker has while it works; made and used on its loop."""

    def __init__(self, app: App, client: AsyncLimpet, settings: Settings) -> None:
        """Prepare; nothing is taken yet."""
        self.client, self.settings = client, settings
        self.running: set[Running] = set()
        self.code = 0
        self._loop = asyncio.get_running_loop()
        self.desk = Desk(lambda: app.limpet, app.codec.decode)
        self._kit = Kit(app.tasks, app.codec, self.desk)
        self._hooks = Hooks(app.middleware)
        self._executors: dict[str, Executor] = {
            "loop": LoopExecutor(self._start_clock, self._ended),
            "thread": ThreadExecutor(self._start_clock, self._ended),
            "process": ProcessExecutor(self._start_clock, self._ended),
        }
        queues = Queues(client)
        self.acks = Acks(queues)
        self.finish = Finish(queues, self.acks)
        self._taker = Taker(queues, settings.lines, self.acks)
        self._watchdog = Watchdog(settings.lease_ms)
        self._stall = StallWatch(self._name_of)
        self._room, self._taking = asyncio.Event(), False
        self._chores: set[asyncio.Task[None]] = set()
        self._unknown: set[str] = set()
        self._complaint = ""
        client.watch(self._hear_of_cancelled)

    # -- taking -----------------------------------------------------------------------------

    async def take_on(self) -> None:
        """Take jobs and start them until cancelled, or until all is done in a burst."""
        while True:
            free = self.settings.concurrency - len(self.running)
            if free <= 0:
                await self._wait_for_room()
                continue
            found = await self._take(free)
            for delivery in found:
                self._begin(delivery)
            if found:
                await asyncio.sleep(0)  # what ends at once is acked with the next taking
            elif self.settings.burst and not self.running and not self._complaint:
                return

    async def _wait_for_room(self) -> None:
        self._room.clear()
        await self._room.wait()

    async def _take(self, free: int) -> list[Delivery]:
        self._taking = True
        try:
            found = await self._taker.take(free, self._patience_s())
        except WorkerLost as error:
            self._lose(str(error))
            return []
        except BackendError as error:
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
        return BURST_WAIT_S if self.running else 0

    async def _complain(self, error: BackendError) -> None:
        """Log what is wrong with the server, once for as long as it stays the same."""
        if str(error) != self._complaint:
            self._complaint = str(error)
            log.warning("limpet: cannot take jobs: %s; trying again", error)
        await asyncio.sleep(backoff_s(5))

    # -- running ----------------------------------------------------------------------------

    def _begin(self, delivery: Delivery) -> None:
        run = prepare(delivery, self._kit)
        if not isinstance(run, Run):
            self._end_early(delivery, run)
            return
        running = Running(run, self._executors[run.task.runs_in])
        self.running.add(running)
        if self._hooks:
            self._do(self._begin_with_hooks(running))
        else:
            running.executor.start(running)

    async def _begin_with_hooks(self, running: Running) -> None:
        await self._hooks.start(running.job)
        if running.why is None:
            running.executor.start(running)
        else:  # told to stop before it began
            self._ended(running, None, None, None)

    def _start_clock(self, running: Running) -> None:
        """User code begins: from now on its time counts."""
        if running.run.timeout_ms is not None and running in self.running:
            seconds = running.run.timeout_ms / 1000
            running.timer = self._loop.call_later(seconds, running.stop, Why.TIMED_OUT)

    def _end_early(self, delivery: Delivery, outcome: Outcome) -> None:
        """End a job that cannot be run here."""
        if isinstance(outcome, Unknown) and outcome.task not in self._unknown:
            self._unknown.add(outcome.task)
            log.warning(
                "limpet: no task %r here: its jobs wait for a worker that knows it", outcome.task
            )
        nothing: Any = None
        job = Job(delivery, "", self.desk)
        running = Running(Run(delivery, nothing, job, (), {}), self._executors["loop"])
        running.settling = True
        self.running.add(running)
        self._do(self._settle(running, outcome))

    def _ended(
        self, running: Running, value: Any, error: BaseException | None, outcome: Outcome | None
    ) -> None:
        """User code ended: judge what that means."""
        if running not in self.running:
            return  # it was given back already
        if running.timer is not None:
            running.timer.cancel()
        if running.why is not None:
            outcome = judge_stop(running.run, running.why, random.random())
        elif error is not None:
            outcome = judge_error(running.run, error, random.random())
        elif outcome is None:
            outcome = judge_value(running.run, value, self._kit.codec.encode)
        plain = type(outcome) is Done and outcome.body is None
        if plain and running.job.pad is None and not self._hooks:
            self.acks.add(running.delivery)
            self._free(running)
        else:
            running.settling = True
            self._do(self._settle(running, outcome))

    async def _settle(self, running: Running, outcome: Outcome) -> None:
        try:
            _report(running, outcome)
            if running.job.pad is not None:
                await asyncio.to_thread(self.desk.flush, running.job)
            if self._hooks:
                await self._hooks.end(running.job, outcome)
            await self.finish.settle(running.delivery, outcome)
        finally:
            self._free(running)

    def _free(self, running: Running) -> None:
        self.running.discard(running)
        self._room.set()

    def _do(self, chore: Coroutine[Any, Any, None]) -> None:
        task = self._loop.create_task(chore)
        self._chores.add(task)
        task.add_done_callback(self._chores.discard)

    # -- being told -------------------------------------------------------------------------

    def _hear_of_cancelled(self, queue: str, ids: frozenset[str]) -> None:
        """Pass on what the heart's thread heard."""
        try:
            self._loop.call_soon_threadsafe(self._cancel, queue, ids)
        except RuntimeError:  # the loop is closed: nothing is running any more
            return

    def _cancel(self, queue: str, ids: frozenset[str]) -> None:
        for running in list(self.running):
            if running.job.queue == queue and running.job.id in ids:
                running.stop(Why.CANCELLED)

    def _lose(self, message: str) -> None:
        """The worker was declared dead: what runs is not ours any more; go on as a new one."""
        mine = [running for running in self.running if running.why is None]
        if mine or message:
            log.error("limpet: %s; %d running jobs are stopped", message, len(mine))
        self.acks.clear()
        for running in mine:
            running.stop(Why.LOST)

    # -- keeping watch ----------------------------------------------------------------------

    async def tick_on(self) -> None:
        """Keep watch over the loop and over the taking, until cancelled or deaf."""
        self._stall.start()
        told_of: str | None = None
        try:
            while True:
                await asyncio.sleep(TICK_S)
                self._stall.tick()
                if self.client.lost and told_of != self.client.worker:
                    told_of = self.client.worker
                    self._lose(f"worker {told_of} was declared dead")
                if self._watchdog.look(TICK_S, taking=self._taking):
                    limit_s = self._watchdog.limit_s
                    log.critical("limpet: no answer to a worker for %.0f s: giving up", limit_s)
                    self.code = EXIT_CODE
                    return
        finally:
            self._stall.stop()

    def _name_of(self, task: "asyncio.Task[None] | None") -> str:
        """Name the job that an asyncio task runs."""
        for running in list(self.running):
            if task is not None and running.handle is task:
                return f"job {running.job.id} of {running.job.task} blocks it"
        return "code outside of jobs blocks it"

    @property
    def due_at(self) -> float | None:
        """When the first running job must have ended, on the loop's clock; None for any time."""
        times = [running.timer.when() for running in list(self.running) if running.timer]
        return min(times, default=None)

    def close(self) -> None:
        """End the executors; does not wait."""
        for executor in self._executors.values():
            executor.close()


def _report(running: Running, outcome: Outcome) -> None:
    """Log ends that somebody may want to know of."""
    job = running.job
    if isinstance(outcome, RetryLater):
        first = outcome.message.partition("\n")[0]
        delay_s = outcome.delay_ms / 1000
        log.info("limpet: job %s of %s again in %.1f s: %s", job.id, job.task, delay_s, first)
    elif isinstance(outcome, Failed):
        log.warning("limpet: job %s of %s failed: %s", job.id, job.task, outcome.message)

"""The slots of a worker: jobs are begun, judged when they end, and settled."""

import asyncio
import logging
import random
from collections.abc import Callable, Coroutine
from typing import Any

from limpet.app.app import App
from limpet.app.context import Job
from limpet.app.desk import Desk
from limpet.values import Delivery
from limpet.worker.executors.loop import LoopExecutor
from limpet.worker.executors.processes import ProcessExecutor
from limpet.worker.executors.threads import ThreadExecutor
from limpet.worker.finish import Finish
from limpet.worker.hooks import Hooks
from limpet.worker.outcomes import (
    Done,
    Failed,
    Outcome,
    Rejected,
    Released,
    RetryLater,
    TimedOut,
    Unknown,
    Why,
)
from limpet.worker.runner import Kit, Run, judge_error, judge_stop, judge_value, prepare
from limpet.worker.slots import Executor, Running
from limpet.worker.taking import Acks, Queues

log = logging.getLogger("limpet.worker")
#: Told when the first running job must have ended (monotonic seconds); None for any time.
OnDeadline = Callable[[float | None], None]


class Bench:
    """Runs jobs; made and used on the worker's loop, except where it says otherwise."""

    def __init__(self, app: App, queues: Queues, on_deadline: OnDeadline | None = None) -> None:
        """Start with no job."""
        self.running: set[Running] = set()
        #: Set whenever a slot becomes free.
        self.room = asyncio.Event()
        self.acks = Acks(queues)
        self.finish = Finish(queues, self.acks)
        self._loop = asyncio.get_running_loop()
        self._desk = Desk(lambda: app.limpet, app.codec.decode)
        self._kit = Kit(app.tasks, app.codec, self._desk)
        self._hooks = Hooks(app.middleware)
        self._threads = ThreadExecutor(self._start_clock, self._ended)
        self._executors: dict[str, Executor] = {
            "loop": LoopExecutor(self._start_clock, self._ended),
            "thread": self._threads,
            "process": ProcessExecutor(self._start_clock, self._ended),
        }
        self._on_deadline = on_deadline
        self._due_at: float | None = None
        self._chores: set[asyncio.Task[None]] = set()
        self._unknown: set[str] = set()

    # -- beginning --------------------------------------------------------------------------

    def begin_all(self, deliveries: list[Delivery]) -> None:
        """Start jobs, in this order."""
        for delivery in deliveries:
            self.begin(delivery)

    def give_way(self) -> None:
        """Let jobs in threads go first: else the loop keeps them waiting while it is busy."""
        self._threads.give_way()

    def begin(self, delivery: Delivery) -> None:
        """Start a job, or end it if it cannot be run here."""
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

    def _end_early(self, delivery: Delivery, outcome: Outcome) -> None:
        if isinstance(outcome, Unknown) and outcome.task not in self._unknown:
            self._unknown.add(outcome.task)
            log.warning(
                "limpet: no task %r here: its jobs wait for a worker that knows it", outcome.task
            )
        nothing: Any = None
        job = Job(delivery, "", self._desk)
        running = Running(Run(delivery, nothing, job, (), {}), self._executors["loop"])
        self.running.add(running)
        self._settle_soon(running, outcome)

    # -- the clock of a job -----------------------------------------------------------------

    def _start_clock(self, running: Running) -> None:
        """User code begins: from now on its time counts."""
        if running.run.timeout_ms is not None and running in self.running:
            seconds = running.run.timeout_ms / 1000
            running.timer = self._loop.call_later(seconds, running.stop, Why.TIMED_OUT)
            self._note_deadline(running.timer.when())

    def _stop_clock(self, timer: asyncio.TimerHandle) -> None:
        timer.cancel()
        if timer.when() == self._due_at:
            self._due_at = None
            others = (running.timer for running in self.running if running.timer is not timer)
            self._note_deadline(min((t.when() for t in others if t is not None), default=None))

    def _note_deadline(self, at: float | None) -> None:
        if self._on_deadline is not None and (
            at is None or self._due_at is None or at < self._due_at
        ):
            self._due_at = at
            self._on_deadline(at)

    # -- ending -----------------------------------------------------------------------------

    def _ended(
        self, running: Running, value: Any, error: BaseException | None, outcome: Outcome | None
    ) -> None:
        """User code ended: judge what that means."""
        if running not in self.running:
            return  # it was given back already
        if running.timer is not None:
            self._stop_clock(running.timer)
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
            self._settle_soon(running, outcome)

    def _settle_soon(self, running: Running, outcome: Outcome) -> None:
        running.settling = True
        self._do(self._settle(running, outcome))

    async def _settle(self, running: Running, outcome: Outcome) -> None:
        try:
            _report(running.job, outcome)
            if running.job.pad is not None:
                await asyncio.to_thread(self._desk.flush, running.job)
            if self._hooks:
                await self._hooks.end(running.job, outcome)
            await self.finish.settle(running.delivery, outcome)
        except Exception:
            log.exception("limpet: job %s cannot be settled; it goes back", running.job.id)
            await self.finish.settle(running.delivery, Released())
        finally:
            self._free(running)

    def _free(self, running: Running) -> None:
        self.running.discard(running)
        self.room.set()

    def _do(self, chore: Coroutine[Any, Any, None]) -> None:
        task = self._loop.create_task(chore)
        self._chores.add(task)
        task.add_done_callback(self._chores.discard)

    # -- being told -------------------------------------------------------------------------

    def hear_of_cancelled(self, queue: str, ids: frozenset[str]) -> None:
        """Stop jobs that were cancelled; called by the heart, in its thread."""
        try:
            self._loop.call_soon_threadsafe(self._cancel, queue, ids)
        except RuntimeError:  # the loop is closed: nothing is running any more
            return

    def _cancel(self, queue: str, ids: frozenset[str]) -> None:
        for running in list(self.running):
            if running.job.queue == queue and running.job.id in ids:
                running.stop(Why.CANCELLED)

    def lose(self) -> int:
        """Stop all jobs: they are others' now. Answers how many that are."""
        self.acks.clear()
        mine = [running for running in self.running if running.why is None]
        for running in mine:
            running.stop(Why.LOST)
        return len(mine)

    def name_of(self, task: "asyncio.Task[Any] | None") -> str:
        """Name the job that an asyncio task runs, in words. Any thread may ask."""
        for running in list(self.running):
            if task is not None and running.handle is task:
                return f"job {running.job.id} of {running.job.task} blocks it"
        return "code outside of jobs blocks it"

    def close(self) -> None:
        """End the executors; does not wait."""
        for executor in self._executors.values():
            executor.close()


def _report(job: Job, outcome: Outcome) -> None:
    """Log ends that somebody may want to know of."""
    if isinstance(outcome, RetryLater):
        first = outcome.message.partition("\n")[0]
        delay_s = outcome.delay_ms / 1000
        log.info("limpet: job %s of %s again in %.1f s: %s", job.id, job.task, delay_s, first)
    elif isinstance(outcome, Failed | Rejected | TimedOut):
        log.warning(
            "limpet: job %s of %s failed: %s", job.id, job.task or "no task", outcome.message
        )

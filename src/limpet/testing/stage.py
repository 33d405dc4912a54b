"""A stage: an empty server for one test, with its own time, on which jobs run when told to."""

import asyncio
import os
from contextlib import ExitStack
from datetime import UTC, datetime
from typing import Any, ClassVar, Self

from limpet.app.app import App
from limpet.app.task import Task
from limpet.errors import ConfigError
from limpet.flows.schedules import fire_due
from limpet.keys import queue_keys
from limpet.link import time_shift
from limpet.options import Duration, count_of, milliseconds
from limpet.states import State
from limpet.sync import Limpet
from limpet.tasks.steering import Retry
from limpet.testing.death import Death
from limpet.testing.drain import drain
from limpet.testing.records import Found, Ran, call_of

#: In the order in which jobs are served, as far as there is one.
_STATES = (State.WAITING, State.PARKED, State.SCHEDULED, State.RUNNING, State.DEAD)
_PAGE = 1000


class Stage:
    """What a test has of limpet: use it in a `with` block, or take the fixture `limpet_stage`.

    It empties the database behind its URL. There is one stage at a time in a process.
    """

    _present: ClassVar["Stage | None"] = None

    def __init__(self, url: str) -> None:
        """Remember the server, which must be for tests alone; nothing is sent."""
        self.url = url
        self._limpet = Limpet(url, name="stage")
        self._apps: list[App] = []
        self._ending = ExitStack()
        self._moved_ms = 0
        self._death: Death | None = None

    def __enter__(self) -> Self:
        """Empty the database; programs that name no server of their own find this one."""
        if Stage._present is not None:
            raise ConfigError("there is a stage already: end it first, or take that one")
        self._limpet.link.raw("FLUSHDB")
        Stage._present = self
        self._ending.callback(_restore_url, os.environ.get("LIMPET_URL"))
        os.environ["LIMPET_URL"] = self.url
        return self

    def __exit__(self, *_: object) -> None:
        """Give the apps their own servers back, and the process its time."""
        try:
            self._ending.close()
        finally:
            Stage._present = None
            time_shift.shift(0)
            self._apps.clear()
            self._limpet.close()

    def use(self, app: App) -> App:
        """Point an app at this server, for as long as there is the stage; answers the app."""
        if Stage._present is not self:
            raise ConfigError("this stage is not set: use it in a with block")
        if app not in self._apps:
            self._ending.enter_context(app.connect(self.url))
            self._apps.append(app)
        return app

    # -- time -------------------------------------------------------------------------------

    @property
    def now(self) -> datetime:
        """The time that limpet sees in this process, in UTC."""
        seconds, us = self._limpet.link.raw("TIME")
        return datetime.fromtimestamp(int(seconds) + int(us) / 1e6 + self._moved_ms / 1e3, UTC)

    def advance(self, by: Duration) -> None:
        """Move the time forward; what becomes due by that runs at the next drain.

        It is the time of limpet in this process: your own code and other processes see none of
        it. Leases of workers are not touched.
        """
        by_ms = milliseconds(by, "by")
        for app in self._apps:
            app.save_schedules()  # what is declared only now counts from the old time
        self._moved_ms += by_ms
        time_shift.shift(self._moved_ms * 1000)
        for queue in self._limpet.queues():
            self._move_lease_clock(queue, by_ms)

    def _move_lease_clock(self, queue: str, by_ms: int) -> None:
        """Let the queue clock take the jump for no time at all."""
        clock = queue_keys(queue)["clock"]
        seen = self._limpet.link.raw("HGET", clock, "seen")
        if seen is not None:
            self._limpet.link.raw("HSET", clock, "seen", str(int(seen) + by_ms))

    # -- running jobs -----------------------------------------------------------------------

    def drain(self, *, raises: bool = False, concurrency: int = 1) -> list[Ran]:
        """Run everything that is due, until nothing is; answers what ran, as it ended.

        A real worker runs it, in this process. Schedules fire, retries and delayed jobs run if
        their time has come.

        Args:
            raises: Raise the first error that a task raised, after all is done.
            concurrency: How many jobs may run at the same time.
        """
        _refuse_running_loop()
        # With a factory the runner leaves the thread's own event loop alone.
        with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
            return runner.run(self._drain_and_close(raises=raises, concurrency=concurrency))

    async def _drain_and_close(self, **options: Any) -> list[Ran]:
        try:
            return await self.adrain(**options)
        finally:
            for app in self._apps:
                await app.aclose()  # what was opened in this loop ends with it

    async def adrain(self, *, raises: bool = False, concurrency: int = 1) -> list[Ran]:
        """As `drain`, in the event loop that is running: `async def` tasks run there too."""
        if not self._apps:
            raise ConfigError("there is no app on this stage: call stage.use(app) first")
        death, self._death = self._death, None
        ran: list[Ran] = []
        while found := await self._go_round(count_of(concurrency, "concurrency"), death):
            ran += found
            if death is not None and death.came:
                break
        if death is not None and not death.came:
            raise AssertionError(f"the worker did not die: it was to happen when {death}")
        if raises:
            _raise_first(ran)
        return ran

    async def _go_round(self, concurrency: int, death: Death | None) -> list[Ran]:
        """Let each app run once what is due; what it enqueues elsewhere is for the next round."""
        ran: list[Ran] = []
        for app in self._apps:
            app.save_schedules()
            for queue in self._limpet.queues():
                self._limpet.link.run(fire_due(queue_keys(queue)))
            if death is None or not death.came:
                ran += await drain(app, self._queues(app), concurrency, death)
        return ran

    def _queues(self, app: App) -> list[str]:
        named = [task.options.queue for task in app.tasks.values()]
        return list(dict.fromkeys([*named, *self._limpet.queues()]))

    def kill_worker(
        self, task: Task[..., Any] | None = None, *, after: int = 1, at: str | None = None
    ) -> None:
        """Let the worker of the next drain die with a job in its hands.

        The job has run to its end, but the worker dies before it can say so. It goes back to its
        place, and the drain after that runs it again. If the worker does not get so far, that
        drain raises AssertionError.

        Args:
            task: Only jobs of this task count.
            after: It dies at the end of so many jobs, the last of which comes back.
            at: It dies earlier: when a job calls `job.once`, `job.progress` or `job.log` with
                this text, right after that was noted. The rest of the job does not happen:
                `WorkerKilled` is raised there. Not for tasks that run in a process.
        """
        name = None if task is None else task.name
        self._death = Death(name, count_of(after, "after"), at)

    # -- looking ----------------------------------------------------------------------------

    def jobs(self, queue: str | None = None) -> list[Found]:
        """Show all jobs that are there, dead ones too, of one queue or of all."""
        found: list[Found] = []
        for name in self._limpet.queues() if queue is None else [queue]:
            for state in _STATES:
                found += self._jobs_in(name, state)
        return found

    def _jobs_in(self, queue: str, state: State) -> list[Found]:
        found: list[Found] = []
        while views := self._limpet.queue(queue).inspect(len(found), _PAGE, state):
            for view in views:
                call = call_of(view.payload, self._apps)
                found.append(Found(call.task, call.args, call.kwargs, view))
        return found

    def assert_enqueued(self, task: Task[..., Any], /, *args: Any, **kwargs: Any) -> Found:
        """Check that a call is enqueued and has not ended; answers the first job of it.

        Arguments are compared as a call would bind them. Without any, every call of the task
        will do.
        """
        there = [job for job in self.jobs() if job.view.state != State.DEAD]
        for job in there:
            if job.task == task.name and _fits(task, job, args, kwargs):
                return job
        shown = "".join(f"\n  {job}" for job in there) or " nothing"
        raise AssertionError(f"no such job of {task.name} is enqueued; there is:{shown}")


def _fits(task: Task[..., Any], job: Found, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    if not args and not kwargs:
        return True
    return task.shape.bind(args, kwargs) == task.shape.bind(job.args, job.kwargs)


def _refuse_running_loop() -> None:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise ConfigError("an event loop is running here: write await stage.adrain() instead")


def _raise_first(ran: list[Ran]) -> None:
    for one in ran:
        if one.outcome in {"failed", "retry"} and not isinstance(one.error, Retry | None):
            raise one.error


def _restore_url(before: str | None) -> None:
    if before is None:
        os.environ.pop("LIMPET_URL", None)
    else:
        os.environ["LIMPET_URL"] = before

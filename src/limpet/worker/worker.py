"""The worker of one process: `Worker(app).run()`."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Literal

from limpet.aio import AsyncLimpet
from limpet.app.app import App
from limpet.errors import ConfigError, QueueFull
from limpet.options import Duration, WorkerOptions, count_of, milliseconds
from limpet.worker.bench import Bench, OnDeadline
from limpet.worker.closing import drain, give_back
from limpet.worker.dump import describe
from limpet.worker.fetch import Lines, QueuesGiven, lines_of
from limpet.worker.garbage import out_of_sight
from limpet.worker.loops import new_loop
from limpet.worker.shift import OnIdentity, Settings, Shift
from limpet.worker.signals import LastResort, Signals
from limpet.worker.taking import Queues
from limpet.worker.watchdog import EXIT_CODE

log = logging.getLogger("limpet.worker")
#: How much longer than the grace time a worker may take to end before it is ended.
SLACK_S = 10.0
#: The same after it was told to stop at once.
HURRY_S = 3.0
#: How long the taking may go on after it was told to stop, before it is told again.
AGAIN_S = 0.2
Told = Literal["stop", "now"] | None


class Worker:
    """Takes jobs of an app's tasks and runs them."""

    def __init__(
        self,
        app: App,
        *,
        queues: QueuesGiven | None = None,
        concurrency: int = 10,
        burst: bool = False,
        grace: Duration = "30s",
        name: str = "worker",
        heartbeat: Duration = 1.0,
        lease: Duration | None = 10.0,
        handle_signals: bool = True,
    ) -> None:
        """Check all options; nothing is opened or sent.

        Args:
            app: The app whose tasks to run.
            queues: Which to serve: "high,low" strictly in order, "high=3,low=1" by weight; else
                those of the app's tasks.
            concurrency: How many jobs may run at the same time.
            burst: End when nothing is due, instead of waiting for more.
            grace: How long running jobs may go on when the worker is told to stop.
            name: How the worker is called where workers are listed.
            heartbeat: Its sign of life.
            lease: How long it keeps its jobs without one; None for ever.
            handle_signals: Stop on SIGTERM and SIGINT, report on SIGUSR1 and SIGTTIN.
        """
        if not isinstance(app, App):
            raise ConfigError(f"a worker needs an App, got {app!r:.100}")
        options = WorkerOptions(name, heartbeat, lease)
        self.app, self.options = app, options
        self.settings = Settings(
            lines_of(queues) if queues is not None else _lines_of_tasks(app),
            count_of(concurrency, "concurrency"),
            burst,
            milliseconds(grace, "grace") / 1000,
            options.lease_ms,
        )
        self._handle_signals = handle_signals
        self._told: Told = None
        #: Who wants to know under which identity it works, and when its jobs must have ended.
        self.on_identity: OnIdentity | None = None
        self.on_deadline: OnDeadline | None = None
        self._shift: Shift | None = None
        self._bells: tuple[asyncio.AbstractEventLoop, asyncio.Event, asyncio.Event] | None = None
        self._last_resort = LastResort(self._give_back)

    @property
    def id(self) -> str | None:
        """The identity under which it works now; it may get a new one."""
        return None if self._shift is None else self._shift.client.worker

    # -- running ----------------------------------------------------------------------------

    def run(self) -> int:
        """Work until told to stop; answers the exit code: 0, or 70 if the server fell silent."""
        try:
            with asyncio.Runner(loop_factory=new_loop) as runner:
                return runner.run(self._arun())
        finally:
            self._last_resort.disarm()

    async def arun(self) -> int:
        """As `run`, in a loop that is running already."""
        try:
            return await self._arun()
        finally:
            self._last_resort.disarm()

    async def _arun(self) -> int:
        with out_of_sight():
            if not self._handle_signals:
                return await self._work()
            with Signals(self.stop, self.dump):
                return await self._work()

    async def _work(self) -> int:
        stop, now = asyncio.Event(), asyncio.Event()
        self._bells = (asyncio.get_running_loop(), stop, now)
        self._ring()
        async with self._opened() as client, _lifespan(self.app):
            queues = Queues(client)
            bench = Bench(self.app, queues, self.on_deadline)
            client.watch(bench.hear_of_cancelled)
            await client.start_worker(tasks=tuple(self.app.tasks))
            shift = Shift(client, queues, bench, self.settings, self.on_identity)
            self._shift = shift
            ticking = asyncio.create_task(shift.tick_on())
            try:
                await _save_schedules(self.app, client)
                await shift.sign_on()
                log.info("limpet: %s works on %s", client.worker, self.settings.lines)
                await _take_until(shift, stop, ticking)
                await drain(bench, self.settings.grace_s, now)
                await give_back(bench)
            finally:
                ticking.cancel()
                bench.close()
        self._bells = self._shift = None
        return shift.code

    @asynccontextmanager
    async def _opened(self) -> AsyncIterator[AsyncLimpet]:
        options = self.options
        client = self.app.new_client(
            name=options.name, heartbeat=options.heartbeat, lease=options.lease
        )
        async with client:
            yield client

    # -- being told -------------------------------------------------------------------------

    def stop(self, *, now: bool = False) -> None:
        """Stop taking, let running jobs go on for the grace time, give the rest back.

        With `now` give all back at once. Any thread may call it, as often as it likes.
        """
        # No lock: a signal's handler may come in between, in the same thread.
        told, self._told = self._told, "now" if now or self._told == "now" else "stop"
        if self._handle_signals and told != self._told:
            self._last_resort.arm(HURRY_S if now else self.settings.grace_s + SLACK_S)
        self._ring()

    def end_within(self, seconds: float) -> None:
        """See to it that the process is gone by then, whatever its jobs do; they are given back."""
        self._last_resort.arm(seconds)

    def _ring(self) -> None:
        """Pass on to the loop what it was told, also what it was told before it ran."""
        bells = self._bells
        if bells is None or self._told is None:
            return
        loop, stop, now = bells
        try:
            loop.call_soon_threadsafe(stop.set)
            if self._told == "now":
                loop.call_soon_threadsafe(now.set)
        except RuntimeError:  # the loop is closed: it has ended already
            return

    def dump(self) -> None:
        """Write to the log what every slot is doing. Any thread may call it."""
        shift = self._shift
        slots = [] if shift is None else list(shift.bench.running)
        log.warning("limpet: %s: %s", self.id, describe(slots, self.settings.concurrency))

    def _give_back(self) -> None:
        """Give back what is held, from whatever thread, without the loop."""
        shift = self._shift
        if shift is not None:
            shift.client.give_back_now()


async def _take_until(shift: Shift, stop: asyncio.Event, ticking: "asyncio.Task[None]") -> None:
    """Take jobs until told to stop, all is done in a burst, or there is no hearing the server."""
    loop = asyncio.get_running_loop()
    taking, stopping = loop.create_task(shift.take_on()), loop.create_task(stop.wait())
    try:
        await asyncio.wait({taking, ticking, stopping}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        # The client library may swallow a cancellation while it connects: say it until it is heard.
        while pending := [task for task in (taking, stopping) if not task.done()]:
            for task in pending:
                task.cancel()
            await asyncio.wait(pending, timeout=AGAIN_S)
    ended = [task for task in (taking, ticking) if task.done() and not task.cancelled()]
    error = next((found for task in ended if (found := task.exception())), None)
    if error is not None:
        log.critical("limpet: the worker cannot go on", exc_info=error)
        shift.code = EXIT_CODE


async def _save_schedules(app: App, client: AsyncLimpet) -> None:
    """Write what the app declares; a full server needs workers all the more."""
    try:
        await app.asave_schedules(client)
    except QueueFull as error:
        log.warning("limpet: the schedules of %s are as before: %s", app.name, error)


@asynccontextmanager
async def _lifespan(app: App) -> AsyncIterator[None]:
    """Run the app's own beginning and end around the worker."""
    if app.lifespan is None:
        yield
        return
    async with app.lifespan(app):
        yield


def _lines_of_tasks(app: App) -> Lines:
    names = dict.fromkeys(task.options.queue for task in app.tasks.values())
    if not names:
        raise ConfigError("the app has no tasks: import their modules, or name the queues to serve")
    return lines_of(list(names))

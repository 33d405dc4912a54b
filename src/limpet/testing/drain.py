"""One worker that runs what is due, and is watched while it does."""

import asyncio
import time
from typing import Any

from limpet.app.app import App
from limpet.app.context import Job
from limpet.app.middleware import Middleware
from limpet.errors import BackendError, JobCancelled
from limpet.options import MAX_BATCH
from limpet.states import State
from limpet.testing.death import Death, DeathDesk, WorkerKilled
from limpet.testing.records import Ran, Word, call_of
from limpet.worker.worker import Worker

#: Turns of the event loop after which a worker that was told to stop takes nothing more.
TURNS = 10
#: How long earlier ends may take to reach the server.
PATIENCE_S = 1.0
STEP_S = 0.005


class Witness(Middleware):
    """Writes down what ran, and sees to it that the worker dies where that is planned."""

    def __init__(self, app: App, death: Death | None) -> None:
        """Watch a worker of this app."""
        self.ran: list[Ran] = []
        self.worker: Worker | None = None
        self._app, self._death = app, death
        self._killed: str | None = None

    # -- what the worker tells --------------------------------------------------------------

    def on_start(self, job: Job) -> None:
        """Stand between the job and its desk, if a death is planned."""
        if self._death is not None:
            job._desk = DeathDesk(job._desk, self._die_at)  # noqa: SLF001

    async def on_success(self, job: Job, result: Any) -> None:
        """A job returned."""
        await self._end(job, "done", result=result)

    async def on_failure(self, job: Job, error: BaseException) -> None:
        """A job failed for good, or was cancelled."""
        word: Word = "cancelled" if isinstance(error, JobCancelled) else "failed"
        await self._end(job, word, error=error)

    async def on_retry(self, job: Job, error: BaseException, delay_s: float) -> None:  # noqa: ARG002
        """A job raised, and is tried again."""
        await self._end(job, "retry", error=error)

    # -- writing down -----------------------------------------------------------------------

    async def _end(self, job: Job, word: Word, **facts: Any) -> None:
        if self._killed is None and not await asyncio.to_thread(self._dies, job, None, **facts):
            self._note(job, word, **facts)
        if self._killed is not None:
            for _ in range(TURNS):
                await asyncio.sleep(0)

    def _note(self, job: Job, word: Word, **facts: Any) -> None:
        call = call_of(job.delivery.payload, [self._app])
        self.ran.append(Ran(job.task or call.task, call.args, call.kwargs, word, job=job, **facts))

    # -- dying ------------------------------------------------------------------------------

    def _die_at(self, job: Job, note: str) -> bool:
        return self._dies(job, note, error=WorkerKilled(note))

    def _dies(self, job: Job, note: str | None, **facts: Any) -> bool:
        """Let the worker die if this is the moment: nothing it says from now on counts.

        It is stopped last: what it gives back before it is dead would come back without a crash,
        and a job in a thread is interrupted by it, perhaps right here.
        """
        worker = self.worker
        if self._death is None or worker is None or not self._death.comes_at(job, note):
            return False
        self._hear_earlier_ends()
        self._killed = worker.id or ""
        self._app.limpet.fail_worker(self._killed)
        self._note(job, "killed", **facts)
        worker.stop(now=True)
        return True

    def _hear_earlier_ends(self) -> None:
        """Wait until the server knows of all runs before: a worker tells some a little later."""
        ended = {one.job.id for one in self.ran}
        deadline = time.monotonic() + PATIENCE_S
        while ended & self._running() and time.monotonic() < deadline:
            time.sleep(STEP_S)

    def _running(self) -> set[str]:
        """Name the jobs that the server thinks are running, in the queues of those that ran."""
        queues = [self._app.limpet.queue(name) for name in {one.job.queue for one in self.ran}]
        views = [queue.inspect(0, MAX_BATCH, State.RUNNING) for queue in queues]
        return {view.id for found in views for view in found}


async def drain(app: App, queues: list[str], concurrency: int, death: Death | None) -> list[Ran]:
    """Run what is due in these queues; answers what ran, in the order in which it ended."""
    witness = Witness(app, death)
    before, app.middleware = app.middleware, (witness, *app.middleware)
    try:
        worker = witness.worker = Worker(
            app,
            queues=queues,
            concurrency=concurrency,
            burst=True,
            name="stage",
            handle_signals=False,
        )
        code = await worker.arun()
    finally:
        app.middleware = before
    if code:
        raise BackendError("the worker of the stage gave up: the log says why")
    return witness.ran

"""`async def` tasks: on the worker's loop, one asyncio task per job.

To stop a job its asyncio task is cancelled, which raises `CancelledError` where it awaits. A job
that goes on nevertheless is cancelled again every few seconds; until it ends it keeps its slot,
and only then it is settled, so that a job never runs twice at the same time. Code that blocks
the loop cannot be stopped: the worker reports it as a stall.
"""

import asyncio
import logging
import sys
from collections.abc import Coroutine
from typing import Any

from limpet.app.context import enter_job
from limpet.worker.slots import Begun, Ended, Running
from limpet.worker.stacks import coroutine_lines

log = logging.getLogger("limpet.worker")
#: How long a cancelled job may take to end before it is reported and cancelled again.
GRACE_S = 5.0


class LoopExecutor:
    """Runs coroutines."""

    def __init__(self, begun: Begun, ended: Ended) -> None:
        """Tell the beginnings and ends of user code to these."""
        self._loop = asyncio.get_running_loop()
        self._begun, self._ended = begun, ended

    def start(self, running: Running) -> None:
        """Start a job: at once where Python can do that, else when the loop gets to it."""
        running.handle = self._task(self._perform(running))

    def _task(self, coroutine: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        if sys.version_info >= (3, 12):
            return asyncio.Task(coroutine, loop=self._loop, eager_start=True)
        return self._loop.create_task(coroutine)

    async def _perform(self, running: Running) -> None:
        run = running.run
        running.began = True
        running.handle = asyncio.current_task()
        enter_job(run.job)
        if run.timeout_ms is not None:
            self._begun(running)
        try:
            value = await run.task.fn(*run.args, **run.kwargs)
        except (KeyboardInterrupt, GeneratorExit):
            raise
        except BaseException as error:  # noqa: BLE001 - whatever it is, it ends this job only
            self._ended(running, None, error, None)
        else:
            self._ended(running, value, None, None)

    def stop(self, running: Running) -> None:
        """Cancel it; one that did not begin yet is let begin first, else nobody hears of it."""
        task: asyncio.Task[None] = running.handle
        if not running.began:
            self._loop.call_soon(self.stop, running)
        elif not task.done():
            task.cancel()
            self._loop.call_later(GRACE_S, self._insist, running)

    def _insist(self, running: Running) -> None:
        if not running.handle.done():
            log.warning(
                "limpet: job %s of %s was cancelled %.0f s ago and goes on: it must let"
                " CancelledError pass",
                *(running.run.job.id, running.run.task.name, GRACE_S),
            )
            self.stop(running)

    def describe(self, running: Running) -> list[str]:
        """Show where the coroutine awaits."""
        return [] if running.handle is None else coroutine_lines(running.handle.get_coro())

    def close(self) -> None:
        """Nothing is left: coroutines end with their loop."""

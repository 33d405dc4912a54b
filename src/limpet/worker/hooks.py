"""Calls the hooks of an app's middleware; what they raise is logged and changes nothing."""

import asyncio
import inspect
import logging
from collections.abc import Sequence
from typing import Any

from limpet.app.context import Job
from limpet.app.middleware import Middleware
from limpet.worker.outcomes import (
    Cancelled,
    Done,
    Failed,
    Outcome,
    Rejected,
    RetryLater,
    TimedOut,
)

log = logging.getLogger("limpet.worker")


class Hooks:
    """All middleware of an app: around a job the first one is the outermost."""

    def __init__(self, middleware: Sequence[Middleware]) -> None:
        """Remember who wants to be told."""
        self._middleware = tuple(middleware)

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self._middleware)

    async def start(self, job: Job) -> None:
        """Tell that a job starts."""
        for one in self._middleware:
            await _call(one.on_start, job)

    async def end(self, job: Job, outcome: Outcome) -> None:
        """Tell how it ended; a job that goes back or is lost has not ended."""
        for one in reversed(self._middleware):
            match outcome:
                case Done(result=result):
                    await _call(one.on_success, job, result)
                case Failed(_, error) | Rejected(_, error) | TimedOut(_, error) | Cancelled(error):
                    await _call(one.on_failure, job, error)
                case RetryLater(delay_ms, _, error):
                    await _call(one.on_retry, job, error, delay_ms / 1000)
                case _:
                    return


async def _call(hook: Any, *args: Any) -> None:
    try:
        answer = hook(*args)
        if inspect.isawaitable(answer):
            await answer
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise  # it is we who are stopped
        log.exception("limpet: the hook %s raised; the job is not affected", hook.__qualname__)
    except Exception:
        log.exception("limpet: the hook %s raised; the job is not affected", hook.__qualname__)

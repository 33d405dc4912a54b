"""Middleware: hooks around the life of jobs, for logs, metrics and traces."""

import inspect
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from limpet.errors import ConfigError
from limpet.tasks.message import Call

if TYPE_CHECKING:
    from limpet.app.context import Job


class Middleware:
    """Hooks, all of which do nothing until a class of yours says what.

    `on_enqueue` runs where a job is enqueued, before anything is sent: what it raises reaches the
    caller, and nothing is enqueued. The others run in the worker and may be `async def`; what
    they raise is logged and changes nothing.
    """

    def on_enqueue(self, call: Call) -> None:
        """A job is about to be enqueued."""

    def on_start(self, job: "Job") -> Any:
        """A worker starts a job."""

    def on_success(self, job: "Job", result: Any) -> Any:
        """A job returned."""

    def on_failure(self, job: "Job", error: BaseException) -> Any:
        """A job failed for good: it raised and is not tried again."""

    def on_retry(self, job: "Job", error: BaseException, delay_s: float) -> Any:
        """A job raised, and is tried again after a while."""


def check_middleware(given: Iterable[Middleware]) -> tuple[Middleware, ...]:
    """Check the middleware of an app; `on_enqueue` must be a plain function."""
    if isinstance(given, Middleware):
        given = (given,)
    found = tuple(given)
    for one in found:
        if not isinstance(one, Middleware):
            raise ConfigError(
                f"middleware must be objects of classes below limpet.Middleware, got {one!r}"
            )
        if inspect.iscoroutinefunction(one.on_enqueue):
            raise ConfigError(
                f"{type(one).__name__}.on_enqueue must be a plain def: enqueue does not await"
            )
    return found

"""Flows: a batch with something to do at its end, a chain of steps. Each is pushed in one step.

A batch that nothing follows is just jobs, of which there may be any number.
"""

import secrets
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar, overload

from limpet.app.handle import JobHandle
from limpet.app.items import TaskItem
from limpet.app.pushing import Pushing
from limpet.errors import ConfigError
from limpet.options import MAX_BATCH, Duration, milliseconds

#: How long a step's result is kept for the step after it, unless its task keeps it longer.
STEP_KEPT = "1d"

#: A step that is refused as a twin would never come, and those after it would not wait for it.
NOT_UNIQUE: dict[str, Any] = {"unique": None, "key": None}

Items = Iterable[TaskItem[Any]]
R = TypeVar("R")
T_co = TypeVar("T_co", bound=JobHandle[Any] | None, covariant=True)


@dataclass(frozen=True, slots=True)
class Batch(Generic[T_co]):
    """A batch that was enqueued: its jobs, and the one that runs when all of them ended.

    A type checker knows whether there is one: `Batch[JobHandle[str]]` has a `then` whose task
    returns a text, `Batch[None]` has none.
    """

    jobs: list[JobHandle[Any]]
    then: T_co


class Flowing(Pushing):
    """Batch and chain."""

    @overload
    def batch(self, items: Items, then: None = None, queue: str | None = None) -> Batch[None]: ...
    @overload
    def batch(
        self, items: Items, then: TaskItem[R], queue: str | None = None
    ) -> Batch[JobHandle[R]]: ...
    @overload
    def batch(
        self, items: Items, then: TaskItem[R] | None, queue: str | None = None
    ) -> Batch[JobHandle[R] | None]: ...
    def batch(
        self, items: Items, then: TaskItem[Any] | None = None, queue: str | None = None
    ) -> Batch[Any]:
        """Enqueue jobs that belong together, and one that runs when all of them ended.

        `then` runs however they ended; its `job.tally` counts them. All are in one queue: that
        of the items, or the one named here. With `then` there may be 1,000 together, and they are
        pushed in one step; without it any number, a thousand in each. A job that is refused as a
        twin is not waited for; `then` is enqueued even where its task is unique. After no items,
        `then` runs at once.
        """
        planned = batch_items(list(items), then, queue)
        return _batch_of(self.enqueue_many(planned), has_then=then is not None)

    @overload
    async def abatch(
        self, items: Items, then: None = None, queue: str | None = None
    ) -> Batch[None]: ...
    @overload
    async def abatch(
        self, items: Items, then: TaskItem[R], queue: str | None = None
    ) -> Batch[JobHandle[R]]: ...
    @overload
    async def abatch(
        self, items: Items, then: TaskItem[R] | None, queue: str | None = None
    ) -> Batch[JobHandle[R] | None]: ...
    async def abatch(
        self, items: Items, then: TaskItem[Any] | None = None, queue: str | None = None
    ) -> Batch[Any]:
        """As `batch`, without blocking the event loop."""
        planned = batch_items(list(items), then, queue)
        return _batch_of(await self.aenqueue_many(planned), has_then=then is not None)

    def chain(self, items: Items, queue: str | None = None) -> list[JobHandle[Any]]:
        """Enqueue steps that run one after the other; each gets `job.previous()`.

        When a step fails for good or is cancelled, those after it are cancelled. All steps are in
        one queue. They are enqueued even where their tasks are unique.
        """
        return self.enqueue_many(chain_items(list(items), queue))

    async def achain(self, items: Items, queue: str | None = None) -> list[JobHandle[Any]]:
        """As `chain`, without blocking the event loop."""
        return await self.aenqueue_many(chain_items(list(items), queue))


def batch_items(
    items: list[TaskItem[Any]], then: TaskItem[Any] | None, queue: str | None
) -> list[TaskItem[Any]]:
    """Plan a batch: its members, and behind them the one that follows."""
    if then is None:
        line = _one_queue(items, queue, "batch")
        return [replace(item, queue=line) for item in items]
    line = _one_queue([*items, then], queue, "batch")
    _check_number(len(items) + 1, "a batch with then")
    group = _new_name()
    planned = [item.changed(queue=line, group=group) for item in items]
    return [*planned, then.changed(queue=line, after=group, **NOT_UNIQUE)]


def chain_items(items: list[TaskItem[Any]], queue: str | None) -> list[TaskItem[Any]]:
    """Plan a chain: each step is a group of one, which the next one follows."""
    line, stem = _one_queue(items, queue, "chain"), _new_name()
    _check_number(len(items), "a chain")
    planned = []
    for number, item in enumerate(items):
        if item.item.id is not None:
            raise ConfigError("the steps of a chain get ids of its own; leave out id")
        own, before = f"{stem}.{number}", f"{stem}.{number - 1}" if number else None
        options = {"id": own, "group": own, "after": before, "needs": number > 0, **NOT_UNIQUE}
        if number < len(items) - 1:
            options["keep"] = _longer(item.item.keep)
        planned.append(item.changed(queue=line, previous=before, **options))
    return planned


def _longer(keep: Duration | None) -> Duration:
    """Keep the result of a step for the one after it, and longer if its task says so."""
    longer = keep is not None and milliseconds(keep, "keep") > milliseconds(STEP_KEPT, "keep")
    return keep if keep is not None and longer else STEP_KEPT


def _one_queue(items: list[TaskItem[Any]], queue: str | None, what: str) -> str:
    """Find the queue of a flow."""
    for item in items:
        if not isinstance(item, TaskItem):
            raise ConfigError(f"items are made by task.item(...), this is {item!r:.100}")
    queues = list(dict.fromkeys(item.queue for item in items))
    if queue is None and len(queues) > 1:
        raise ConfigError(
            f"a {what} lives in one queue, these are for {', '.join(queues)}; say queue='...'"
        )
    return queue or (queues[0] if queues else "")


def _check_number(jobs: int, what: str) -> None:
    """Check that a flow can be pushed in one step."""
    if jobs > MAX_BATCH:
        raise ConfigError(
            f"{what} may have {MAX_BATCH:,} jobs, this one has {jobs:,}; make several of it"
        )


def _batch_of(handles: list[JobHandle[Any]], *, has_then: bool) -> Batch[Any]:
    return Batch(handles[:-1], handles[-1]) if has_then else Batch(handles, None)


def _new_name() -> str:
    return f"flow-{secrets.token_hex(8)}"

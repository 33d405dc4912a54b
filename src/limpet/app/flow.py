"""Flows: a batch with something to do at its end, a chain of steps. Each is pushed in one step."""

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from limpet.app.handle import JobHandle
from limpet.app.items import TaskItem
from limpet.app.pushing import Pushing
from limpet.errors import ConfigError
from limpet.options import MAX_BATCH

#: How long a step's result is kept for the step after it, unless its task keeps it longer.
STEP_KEPT = "1d"

#: A step that is refused as a twin would never come, and those after it would not wait for it.
NOT_UNIQUE: dict[str, Any] = {"unique": None, "key": None}

Items = Iterable[TaskItem[Any]]


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch that was enqueued: its jobs, and the one that runs when all of them ended."""

    jobs: list[JobHandle[Any]]
    then: JobHandle[Any] | None = None


class Flowing(Pushing):
    """Batch and chain."""

    def batch(
        self, items: Items, then: TaskItem[Any] | None = None, queue: str | None = None
    ) -> Batch:
        """Enqueue jobs that belong together, and one that runs when all of them ended.

        `then` runs however they ended; its `job.tally` counts them. All are in one queue: that
        of the items, or the one named here. There may be 1,000 together with `then`. A job that
        is refused as a twin is not waited for; `then` is enqueued even where its task is unique.
        After no items, `then` runs at once.
        """
        planned = batch_items(list(items), then, queue)
        return _batch_of(self.enqueue_many(planned), has_then=then is not None)

    async def abatch(
        self, items: Items, then: TaskItem[Any] | None = None, queue: str | None = None
    ) -> Batch:
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
    line = _one_queue([*items, *_given(then)], queue, "batch")
    group = _new_name()
    planned = [item.changed(queue=line, group=group) for item in items]
    if then is not None:
        planned.append(then.changed(queue=line, after=group, **NOT_UNIQUE))
    return planned


def chain_items(items: list[TaskItem[Any]], queue: str | None) -> list[TaskItem[Any]]:
    """Plan a chain: each step is a group of one, which the next one follows."""
    line, stem = _one_queue(items, queue, "chain"), _new_name()
    planned = []
    for number, item in enumerate(items):
        if item.item.id is not None:
            raise ConfigError("the steps of a chain get ids of its own; leave out id")
        own, before = f"{stem}.{number}", f"{stem}.{number - 1}" if number else None
        options = {"id": own, "group": own, "after": before, "needs": number > 0, **NOT_UNIQUE}
        if item.item.keep is None and number < len(items) - 1:
            options["keep"] = STEP_KEPT
        planned.append(item.changed(queue=line, previous=before, **options))
    return planned


def _one_queue(items: list[TaskItem[Any]], queue: str | None, what: str) -> str:
    """Find the queue of a flow, and check that it can be pushed in one step."""
    for item in items:
        if not isinstance(item, TaskItem):
            raise ConfigError(f"items are made by task.item(...), this is {item!r:.100}")
    if len(items) > MAX_BATCH:
        raise ConfigError(f"a {what} may have {MAX_BATCH:,} jobs, this one has {len(items):,}")
    queues = list(dict.fromkeys(item.queue for item in items))
    if queue is None and len(queues) > 1:
        raise ConfigError(
            f"a {what} lives in one queue, these are for {', '.join(queues)}; say queue='...'"
        )
    return queue or (queues[0] if queues else "")


def _given(then: TaskItem[Any] | None) -> list[TaskItem[Any]]:
    return [] if then is None else [then]


def _batch_of(handles: list[JobHandle[Any]], *, has_then: bool) -> Batch:
    return Batch(handles[:-1], handles[-1]) if has_then else Batch(handles)


def _new_name() -> str:
    return f"flow-{secrets.token_hex(8)}"

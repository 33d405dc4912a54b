"""Enqueuing: items of tasks become jobs, one round trip per queue and thousand."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from limpet.app.base import AppBase
from limpet.app.handle import JobHandle
from limpet.app.items import TaskItem
from limpet.commands.push import NewJob
from limpet.errors import ConfigError, Duplicate
from limpet.intake import is_strict, new_job
from limpet.options import Policy, payload_bytes
from limpet.values import Pushed

if TYPE_CHECKING:
    from limpet.app.outbox import Outbox

R = TypeVar("R")


class Pushing(AppBase):
    """Enqueue one, enqueue many."""

    @cached_property
    def _outbox(self) -> "Outbox":
        from limpet.app.outbox import Outbox

        return Outbox()

    def enqueue_many(self, items: "Iterable[TaskItem[R]]") -> list[JobHandle[R]]:
        """Enqueue calls made by `task.item(...)`: one round trip per thousand of each queue.

        A wrong one raises before any is sent. No items, no jobs.
        """
        wanted, client = self._announced(items), self.limpet
        jobs = {q: jobs_of(items, client.policy_of(q, {})) for q, items in _lines(wanted).items()}
        pushed = {queue: client.queue(queue).push_jobs(line) for queue, line in jobs.items()}
        return self._handles(wanted, pushed)

    def enqueue_item(self, item: "TaskItem[R]") -> JobHandle[R]:
        """Enqueue one call."""
        if self.middleware:
            self._announced([item])
        queue = self.limpet.queue(item.queue)
        (pushed,) = queue.push_jobs([job_of(item, queue.policy)])
        return handle_of(item, pushed, self)

    async def aenqueue_many(self, items: "Iterable[TaskItem[R]]") -> list[JobHandle[R]]:
        """As `enqueue_many`, without blocking the event loop."""
        wanted, client = self._announced(items), self.alimpet
        jobs = {q: jobs_of(items, client.policy_of(q, {})) for q, items in _lines(wanted).items()}
        pushed = {queue: await client.queue(queue).push_jobs(line) for queue, line in jobs.items()}
        return self._handles(wanted, pushed)

    async def aenqueue_item(self, item: "TaskItem[R]") -> JobHandle[R]:
        """Enqueue one call, in one round trip with others of this moment."""
        self._announced([item])
        client = self.alimpet
        job = job_of(item, client.policy_of(item.queue, {}))
        return handle_of(item, await self._outbox.push(client, item.queue, job), self)

    def _announced(self, items: "Iterable[TaskItem[R]]") -> "list[TaskItem[R]]":
        """Check the items and tell the middleware of them."""
        wanted = list(items) if isinstance(items, Iterable) else [items]
        for item in wanted:
            if not isinstance(item, TaskItem):
                raise ConfigError(f"items are made by task.item(...), this is {item!r:.100}")
            if item.task.app is not self:
                raise ConfigError(f"task {item.task.name} belongs to another app")
        for hooks in self.middleware:
            for item in wanted:
                hooks.on_enqueue(item.call)
        return wanted

    def _handles(
        self, wanted: "list[TaskItem[R]]", pushed: Mapping[str, list[Pushed]]
    ) -> list[JobHandle[R]]:
        answers = {queue: iter(line) for queue, line in pushed.items()}
        return [handle_of(item, next(answers[item.queue]), self) for item in wanted]


def handle_of(item: "TaskItem[R]", pushed: Pushed, app: AppBase) -> JobHandle[R]:
    """Make the handle of a job; a twin in its way raises, if the task or its queue wants that."""
    special = item.special
    keeps = special is not None and special.keep is not None
    if not pushed.created:
        policy = app.limpet.policy_of(pushed.queue, {})
        if is_strict(policy, ... if special is None else special.on_twin):
            raise Duplicate(pushed.queue, pushed.id)
    return JobHandle(pushed.id, pushed.queue, pushed.created, pushed.replaced, keeps, app)


def job_of(item: "TaskItem[Any]", policy: Policy) -> NewJob | bytes:
    """Check one item by the policy of its queue, and turn it into what is pushed."""
    if item.special is None and policy.unique is None and policy.lock is None:
        return payload_bytes(item.payload, policy.max_payload)
    return new_job(policy, item.item)


def jobs_of(items: "list[TaskItem[Any]]", policy: Policy) -> list[NewJob | bytes]:
    """Check the items of one queue by its policy, and turn them into what is pushed."""
    plain: list[NewJob | bytes] = [item.payload for item in items if item.special is None]
    if len(plain) < len(items) or policy.unique is not None or policy.lock is not None:
        return [job_of(item, policy) for item in items]
    largest = max(items, key=lambda item: len(item.payload))
    job_of(largest, policy)  # if this one is accepted, all are
    return plain


def _lines(items: "list[TaskItem[Any]]") -> "dict[str, list[TaskItem[Any]]]":
    """Sort items by queue, each queue in the order given."""
    lines: dict[str, list[TaskItem[Any]]] = {item.queue: [] for item in items}
    if len(lines) == 1:
        return dict.fromkeys(lines, items)
    for item in items:
        lines[item.queue].append(item)
    return lines

"""Enqueuing: items of tasks become jobs, one round trip per queue and thousand."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from limpet.app.base import AppBase
from limpet.app.handle import JobHandle
from limpet.app.items import TaskItem
from limpet.errors import ConfigError
from limpet.intake import Item, new_job
from limpet.options import Policy
from limpet.values import Pushed

R = TypeVar("R")


class Pushing(AppBase):
    """Enqueue many."""

    def enqueue_many(self, items: "Iterable[TaskItem[R]]") -> list[JobHandle[R]]:
        """Enqueue calls made by `task.item(...)`: one round trip per thousand of each queue.

        A wrong one raises before any is sent. No items, no jobs.
        """
        wanted = self._announced(items)
        lines = _lines(wanted)
        _check(lines, self.limpet.policy_of)
        pushed = {queue: self.limpet.queue(queue).push_many(line) for queue, line in lines.items()}
        return self._handles(wanted, pushed)

    async def aenqueue_many(self, items: "Iterable[TaskItem[R]]") -> list[JobHandle[R]]:
        """As `enqueue_many`, without blocking the event loop."""
        wanted = self._announced(items)
        lines = _lines(wanted)
        _check(lines, self.alimpet.policy_of)
        pushed = {
            queue: await self.alimpet.queue(queue).push_many(line) for queue, line in lines.items()
        }
        return self._handles(wanted, pushed)

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
        return [self._handle(item, next(answers[item.queue])) for item in wanted]

    def _handle(self, item: "TaskItem[R]", pushed: Pushed) -> JobHandle[R]:
        return JobHandle(
            pushed.id,
            pushed.queue,
            pushed.created,
            pushed.replaced,
            keeps=item.item.keep is not None,
            app=self,
        )


def _lines(items: "list[TaskItem[Any]]") -> dict[str, list[Item]]:
    """Sort items by queue, each queue in the order given."""
    lines: dict[str, list[Item]] = {}
    for item in items:
        lines.setdefault(item.queue, []).append(item.item)
    return lines


def _check(
    lines: Mapping[str, list[Item]], policy_of: Callable[[str, Mapping[str, Any]], Policy]
) -> None:
    """Check all queues before the first is sent to; a push checks its own by itself."""
    if len(lines) > 1:
        for queue, line in lines.items():
            policy = policy_of(queue, {})
            for item in line:
                new_job(policy, item)

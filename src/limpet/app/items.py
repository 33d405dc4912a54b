"""One call of a task, ready to be sent: bound, checked and written."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from limpet.errors import ConfigError
from limpet.intake import Item
from limpet.keys import queue_keys
from limpet.options import UniqueMode, job_id, milliseconds, moment_ms
from limpet.tasks import signature
from limpet.tasks.message import Call, write
from limpet.tasks.options import Choice, check_unique, limit_ms, refuse_unknown, retry_policy
from limpet.tasks.signature import Shape
from limpet.tasks.steering import Retry

if TYPE_CHECKING:
    from types import EllipsisType

    from limpet.app.task import Task

R_co = TypeVar("R_co", covariant=True)


@dataclass(frozen=True, slots=True)
class TaskItem(Generic[R_co]):
    """A call that waits to be enqueued; `task.item(...)` makes one."""

    task: "Task[..., R_co]"
    call: Call
    queue: str
    #: What is handed to the queue.
    item: Item

    def changed(
        self, *, queue: str, previous: str | None = None, **options: Any
    ) -> "TaskItem[Any]":
        """Make another one for a flow: in its queue, with more options."""
        call, item = self.call, replace(self.item, **options)
        if previous is not None or (item.keep is not None) != call.keep:
            call = replace(call, previous=previous, keep=item.keep is not None)
            item = replace(item, payload=write(call, self.task.app.codec))
        return replace(self, queue=queue, call=call, item=item)


def check_choice(shape: Shape, choice: Mapping[str, Any]) -> None:
    """Check what one push wants differently, before there is a push."""
    refuse_unknown(choice, list(Choice.__annotations__), "using has")
    if "queue" in choice:
        queue_keys(choice["queue"])
    if choice.get("delay") is not None:
        milliseconds(choice["delay"], "delay")
    if choice.get("at") is not None:
        moment_ms(choice["at"])
    if choice.get("id") is not None:
        job_id(choice["id"])
    if choice.get("on_twin") not in (None, "keep", "replace", "raise"):
        raise ConfigError(f"on_twin must be keep, replace or raise, got {choice['on_twin']!r}")
    check_unique(choice.get("unique"))
    signature.check_names(shape, choice.get("unique"))
    signature.check_lock(shape, choice.get("lock"))
    limit_ms(choice.get("timeout"), "timeout")
    limit_ms(choice.get("result_ttl"), "result_ttl")
    _numbers(choice.get("retry"))


def make_item(
    task: "Task[..., R_co]", choice: Choice, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> TaskItem[R_co]:
    """Bind and write one call; wrong arguments are refused here."""
    arguments = task.shape.bind(args, kwargs)
    keep = choice.get("result_ttl", task.options.result_ttl)
    call = Call(
        task.name,
        args,
        kwargs,
        timeout_ms=limit_ms(choice["timeout"], "timeout") or 0 if "timeout" in choice else None,
        retry=_numbers(choice["retry"]) or Retry(0) if "retry" in choice else None,
        keep=keep is not None,
    )
    item = Item(
        write(call, task.app.codec),
        delay=choice.get("delay"),
        at=choice.get("at"),
        front=choice.get("front", False),
        id=choice.get("id"),
        keep=keep,
        **_unique(task, choice, arguments),
        **_lock(task, choice, arguments),
    )
    return TaskItem(task, call, choice.get("queue", task.options.queue), item)


def _numbers(retry: int | Retry | None) -> Retry | None:
    """Check a policy that travels with the job: classes of errors cannot."""
    policy, plain = retry_policy(retry), Retry()
    if policy is not None and (policy.on, policy.give_up_on) != (plain.on, plain.give_up_on):
        raise ConfigError("which errors are retried is said at the task: on and give_up_on")
    return policy


def _unique(task: "Task[..., Any]", choice: Choice, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Say what makes twins of this job; a task that says nothing leaves it to the queue."""
    options = task.options
    unique, key = choice.get("unique", options.unique), choice.get("key")
    mode: UniqueMode | EllipsisType | None
    if unique is None:
        mode = None if "unique" in choice else ...
    elif isinstance(unique, tuple):
        mode = choice.get("unique_while", options.unique_while)
    else:
        mode = unique
    if unique is not None and key is None:
        key = signature.fingerprint(task.shape, unique, arguments, task.app.json)
    return {"unique": mode, "key": key, "on_twin": choice.get("on_twin", options.on_twin) or ...}


def _lock(task: "Task[..., Any]", choice: Choice, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Say which lock this job needs; a task that says nothing leaves it to the queue."""
    template = choice.get("lock", task.options.lock)
    if template is None:
        return {"lock": None if "lock" in choice else ...}
    return {
        "lock": signature.lock_text(template, arguments),
        "lock_limit": choice.get("lock_limit", task.options.lock_limit),
    }

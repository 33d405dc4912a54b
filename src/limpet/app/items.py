"""One call of a task, ready to be sent: bound, checked and written."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from limpet.errors import ConfigError
from limpet.intake import Item
from limpet.keys import queue_keys
from limpet.options import UniqueMode, job_id, milliseconds, moment_ms
from limpet.tasks import signature
from limpet.tasks.message import Call, read, write, write_plain
from limpet.tasks.options import Choice, check_unique, limit_ms, refuse_unknown, retry_policy
from limpet.tasks.signature import Shape
from limpet.tasks.steering import Retry

if TYPE_CHECKING:
    from types import EllipsisType

    from limpet.app.task import Task

R_co = TypeVar("R_co", covariant=True)


@dataclass(slots=True, unsafe_hash=True)  # not frozen: that takes twice as long, and there are many
class TaskItem(Generic[R_co]):
    """A call that waits to be enqueued; `task.item(...)` makes one."""

    task: "Task[..., R_co]"
    queue: str
    payload: bytes
    #: What is handed to the queue, if it is more than the payload.
    special: Item | None = None

    @property
    def item(self) -> Item:
        """What is handed to the queue."""
        return self.special or Item(self.payload)

    @property
    def call(self) -> Call:
        """The call as a worker will read it."""
        return read(self.payload, self.task.app.codec)

    def changed(
        self, *, queue: str, previous: str | None = None, **options: Any
    ) -> "TaskItem[Any]":
        """Make another one for a flow: in its queue, with more options."""
        payload, item = self.payload, replace(self.item, **options)
        call, keep = self.call, item.keep is not None
        if previous is not None or keep != call.keep:
            payload = write(replace(call, previous=previous, keep=keep), self.task.app.codec)
            item = replace(item, payload=payload)
        return TaskItem(self.task, queue, payload, item)


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
    if not choice and not kwargs and task.is_plain:
        task.shape.check(args, kwargs)
        payload = write_plain(task.name, args)
        if payload is not None:
            return TaskItem(task, task.options.queue, payload)
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
    payload = write(call, task.app.codec)
    item = Item(
        payload,
        delay=choice.get("delay"),
        at=choice.get("at"),
        front=choice.get("front", False),
        id=choice.get("id"),
        keep=keep,
        **_unique(task, choice, arguments),
        **_lock(task, choice, arguments),
    )
    return TaskItem(task, choice.get("queue", task.options.queue), payload, item)


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

"""Tasks: functions known by a name, whose calls can be enqueued."""

import functools
import inspect
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar

from limpet.app.context import Job
from limpet.app.handle import JobHandle
from limpet.app.items import TaskItem, check_choice, make_item
from limpet.errors import ConfigError
from limpet.tasks import signature
from limpet.tasks.codec import JSON, Codec
from limpet.tasks.message import Call
from limpet.tasks.names import module_of
from limpet.tasks.options import Choice, RunsIn, TaskOptions
from limpet.tasks.steering import Retry

if TYPE_CHECKING:
    from typing import Unpack

    from limpet.app.app import App

P = ParamSpec("P")
R_co = TypeVar("R_co", covariant=True)


class Enqueuing(Generic[P, R_co]):
    """What enqueues calls of a task: the task itself, or the task with choices for some pushes."""

    _task: "Task[P, R_co]"
    _choice: Choice

    def item(self, /, *args: P.args, **kwargs: P.kwargs) -> TaskItem[R_co]:
        """Make a call for `enqueue_many`, `batch` or `chain`; nothing is sent."""
        return make_item(self._task, self._choice, args, kwargs)

    def enqueue(self, /, *args: P.args, **kwargs: P.kwargs) -> JobHandle[R_co]:
        """Enqueue a call: the same parameters as the function, without the job.

        Wrong arguments are a TypeError, and those that cannot travel a PayloadError; nothing is
        sent then.
        """
        task = self._task
        return task.app.enqueue_item(make_item(task, self._choice, args, kwargs))

    async def aenqueue(self, /, *args: P.args, **kwargs: P.kwargs) -> JobHandle[R_co]:
        """Enqueue a call without blocking the event loop; as `enqueue`.

        Calls made at the same time share a round trip.
        """
        return await self._task.app.aenqueue_item(self.item(*args, **kwargs))

    def using(self, **choice: "Unpack[Choice]") -> "TaskChoice[P, R_co]":
        """Choose differently for some pushes; answers what enqueues with these choices.

        Args:
            choice: `delay` or `at`: not before that time. `queue`: another one. `front`: ahead of
                all others. `id`: your own id. `unique`, `unique_while`, `key`, `on_twin`: which
                twins are refused. `lock`, `lock_limit`: what must not run beside it. `retry`,
                `timeout`, `result_ttl`: instead of the task's. None switches an option off.
        """
        return TaskChoice(self._task, {**self._choice, **choice})


class TaskChoice(Enqueuing[P, R_co]):
    """A task with choices for some pushes; `task.using(...)` makes one."""

    def __init__(self, task: "Task[P, R_co]", choice: Choice) -> None:
        """Check the choices."""
        check_choice(task.shape, choice)
        self._task, self._choice = task, choice

    def __repr__(self) -> str:
        """Show the task and the choices."""
        chosen = ", ".join(f"{name}={value!r}" for name, value in self._choice.items())
        return f"<Task {self._task.name} using {chosen}>"


class Task(Enqueuing[P, R_co]):
    """A function known by a name; `app.task` makes one."""

    def __init__(self, app: "App", fn: Callable[..., Any], options: TaskOptions) -> None:
        """Check that options and function fit together."""
        myself: Any = self  # has the name and the docstring of its function
        functools.update_wrapper(myself, fn)
        self._task, self._choice = self, {}
        self.app, self.fn, self.options = app, fn, options
        self.name = options.name or name_of(fn)
        self.is_async = inspect.iscoroutinefunction(fn)
        self.runs_in: RunsIn = _runs_in(self)
        self.shape = signature.shape_of(fn, self.name, Job)
        #: The name of the first parameter, if it is for the job.
        self.job_parameter = self.shape.job_parameter
        self.retry: Retry | None = options.policy
        self.timeout_ms = options.timeout_ms
        signature.check_names(self.shape, options.unique)
        signature.check_lock(self.shape, options.lock)
        #: Whether a push of it carries nothing but the call, in JSON.
        self.is_plain = is_plain(app.codec, options)

    @property
    def place(self) -> str:
        """Where its function stands: file and line."""
        code = getattr(self.fn, "__code__", None)
        return f"{code.co_filename}:{code.co_firstlineno}" if code else repr(self.fn)

    def retry_for(self, call: Call) -> Retry | None:
        """Say which policy a job has: its own numbers, and the task's classes of errors."""
        if call.retry is None or self.retry is None:
            return call.retry or self.retry
        return call.retry.changed(on=self.retry.on, give_up_on=self.retry.give_up_on)

    def timeout_for(self, call: Call) -> int | None:
        """Say how long one attempt of a job may take, in milliseconds; None for any time."""
        return self.timeout_ms if call.timeout_ms is None else call.timeout_ms or None

    def __repr__(self) -> str:
        """Show the name."""
        return f"<Task {self.name}>"

    def _call(self, *args: Any, **kwargs: Any) -> Any:
        if self.job_parameter is None:
            return self.fn(*args, **kwargs)
        return self.fn(Job.detached(self.name), *args, **kwargs)


class PlainTask(Task[P, R_co]):
    """A task made of a `def`."""

    def __call__(self, /, *args: P.args, **kwargs: P.kwargs) -> R_co:
        """Call the function here and now, as if it were no task."""
        result: R_co = self._call(*args, **kwargs)
        return result


class AsyncTask(Task[P, R_co]):
    """A task made of an `async def`."""

    def __call__(self, /, *args: P.args, **kwargs: P.kwargs) -> Coroutine[Any, Any, R_co]:
        """Call the function here and now, as if it were no task; await what it gives."""
        running: Coroutine[Any, Any, R_co] = self._call(*args, **kwargs)
        return running


def is_plain(codec: Codec, options: TaskOptions) -> bool:
    """Tell whether a task with these options asks nothing special of its queue."""
    wishes = (options.unique, options.lock, options.result_ttl, options.on_twin)
    return isinstance(codec, JSON) and all(wish is None for wish in wishes)


def check_function(fn: Any) -> None:
    """Refuse what cannot be a task, or would never run."""
    if not callable(fn) or inspect.isclass(fn) or not hasattr(fn, "__qualname__"):
        raise ConfigError(f"a task is a function, this is {fn!r:.100}")
    if isinstance(fn, Task):
        raise ConfigError(f"{fn.name} is a task already")
    if inspect.ismethod(fn):
        raise ConfigError(f"{fn.__qualname__} is a method; a task is a function of a module")
    if inspect.isgeneratorfunction(fn) or inspect.isasyncgenfunction(fn):
        raise ConfigError(f"{fn.__qualname__} has a yield, so a call would not run it; return")


def name_of(fn: Callable[..., Any]) -> str:
    """Make the name of a task from its function."""
    name = getattr(fn, "__name__", "<lambda>")
    if name == "<lambda>":
        raise ConfigError("a task without a name of its own needs one: name='...'")
    return f"{module_of(fn)}.{name}"


def _runs_in(task: "Task[..., Any]") -> RunsIn:
    """Say where a task runs: `async def` on the loop, `def` in a thread or a process."""
    wanted = task.options.runs_in
    if task.is_async:
        if wanted not in (None, "loop"):
            raise ConfigError(f"{task.name} is an async def: it runs on the loop, not in {wanted}")
        return "loop"
    if wanted == "loop":
        raise ConfigError(f"{task.name} would block the loop: make it an async def")
    if wanted == "process" and "<locals>" in task.fn.__qualname__:
        raise ConfigError(f"{task.name} runs in a process: define it at the top of its module")
    return wanted or "thread"

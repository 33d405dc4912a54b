"""The app: tasks by name, and everything that can be done with their jobs."""

import inspect
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, overload

from limpet.app.context import Job
from limpet.app.cron import Scheduling
from limpet.app.explain import Explaining
from limpet.app.flow import Flowing
from limpet.app.task import AsyncTask, PlainTask, Task, check_function
from limpet.errors import ConfigError
from limpet.tasks.names import full_name
from limpet.tasks.options import task_options

if TYPE_CHECKING:
    from typing import Unpack

    from limpet.app.making import Decorator
    from limpet.tasks.options import TaskSettings

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C", bound=type)


class App(Flowing, Scheduling, Explaining):
    """Functions whose calls become jobs.

    app = App()

    @app.task(queue="mail", retry=5)
    def send(to: str) -> None: ...

    send.enqueue("anna@example.com")
    """

    # A coroutine is also something that a function can return: the first that fits is meant.
    @overload
    def task(  # type: ignore[overload-overlap]
        self, fn: Callable[Concatenate[Job, P], Coroutine[Any, Any, R]], /
    ) -> AsyncTask[P, R]: ...
    @overload
    def task(self, fn: Callable[Concatenate[Job, P], R], /) -> PlainTask[P, R]: ...
    @overload
    def task(  # type: ignore[overload-overlap]
        self, fn: Callable[P, Coroutine[Any, Any, R]], /
    ) -> AsyncTask[P, R]: ...
    @overload
    def task(self, fn: Callable[P, R], /) -> PlainTask[P, R]: ...
    @overload
    def task(self, /, **settings: "Unpack[TaskSettings]") -> "Decorator": ...
    def task(self, fn: Callable[..., Any] | None = None, /, **settings: Any) -> Any:
        """Make a task of a function; with or without options in parentheses.

        Args:
            fn: The function. If its first parameter is a `Job`, workers put the job in.
            settings: `name`: under which jobs find it, else `module.function`. `queue`. `unique`:
                "waiting" or "running" refuses twins with equal arguments so long; a tuple of
                parameters compares these alone, `unique_while` says how long, `on_twin` what
                happens to the second. `lock`: a text such as "mail:{to}": at most `lock_limit`
                jobs with the same one run. `retry`: how often, or a `Retry`; `retry_on` and
                `give_up_on` say after which errors. `timeout` of one attempt. `result_ttl`: how
                long results are kept. `runs_in`: "process" for a `def` that must be killable.
        """
        options = task_options(self.defaults, settings)

        def make(function: Callable[..., Any]) -> Task[..., Any]:
            check_function(function)
            kind = AsyncTask if inspect.iscoroutinefunction(function) else PlainTask
            return self._register(kind(self, function, options))

        return make if fn is None else make(fn)

    def type(self, cls: C) -> C:
        """Let a class travel: a dataclass, a pydantic model or a msgspec Struct.

        Those in annotations of tasks are known without this. Works as a decorator.
        """
        self.json.types.add(cls)
        return cls

    def _register(self, task: Task[..., Any]) -> Task[..., Any]:
        """Take a task up under its name; the same function may come again when it is reloaded."""
        other = self._tasks.get(task.name)
        if other is not None and full_name(other.fn) != full_name(task.fn):
            raise ConfigError(
                f"there are two tasks named {task.name!r}: at {other.place} and at {task.place};"
                " give one of them another name"
            )
        self._tasks[task.name] = task
        self.json.types.add_from(task.fn)
        return task

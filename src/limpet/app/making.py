"""The type of `@app.task(...)`: what it makes of each kind of function."""

from collections.abc import Callable, Coroutine
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, overload

from limpet.app.context import Job
from limpet.app.task import AsyncTask, PlainTask

P = ParamSpec("P")
R = TypeVar("R")


class Decorator(Protocol):
    """Takes a function, gives a task with the same parameters, those for the job left out."""

    # A coroutine is also something that a function can return: the first that fits is meant.
    @overload
    def __call__(  # type: ignore[overload-overlap]
        self, fn: Callable[Concatenate[Job, P], Coroutine[Any, Any, R]], /
    ) -> AsyncTask[P, R]: ...
    @overload
    def __call__(self, fn: Callable[Concatenate[Job, P], R], /) -> PlainTask[P, R]: ...
    @overload
    def __call__(  # type: ignore[overload-overlap]
        self, fn: Callable[P, Coroutine[Any, Any, R]], /
    ) -> AsyncTask[P, R]: ...
    @overload
    def __call__(self, fn: Callable[P, R], /) -> PlainTask[P, R]: ...

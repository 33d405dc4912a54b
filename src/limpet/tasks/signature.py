"""What a task's function takes: arguments are bound to it before anything is sent."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from string import Formatter
from typing import Any
from uuid import UUID

from limpet.errors import ConfigError, PayloadError
from limpet.tasks.codec import JSON

_SPREADING = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
#: What may stand in a lock: values whose text says all there is to say.
_WORDS = (str, int, float, UUID, Decimal, date, datetime)


@dataclass(frozen=True, slots=True)
class Shape:
    """The parameters of a task, without the job that the worker puts in."""

    task: str
    parameters: inspect.Signature
    #: The name of the parameter for the job, if there is one.
    job_parameter: str | None = None
    #: How many positional arguments alone make a call: at least, at most; None if they never do.
    span: tuple[int, int] | None = None

    def check(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        """Refuse arguments that a call would refuse, with a TypeError."""
        if kwargs or self.span is None or not self.span[0] <= len(args) <= self.span[1]:
            self.bind(args, kwargs)

    def bind(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """Bind arguments as a call would, defaults filled in; wrong ones are a TypeError."""
        try:
            bound = self.parameters.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{self.task}: {error}") from None
        bound.apply_defaults()
        return bound.arguments

    @property
    def named(self) -> list[str]:
        """The parameters that stand for one value each."""
        found = self.parameters.parameters.values()
        return [parameter.name for parameter in found if parameter.kind not in _SPREADING]


def shape_of(fn: Callable[..., Any], task: str, context: type) -> Shape:
    """Read a function's parameters; the first one is the job if its annotation says so."""
    whole = inspect.signature(fn)
    parameters = list(whole.parameters.values())
    jobs = [p.name for p in parameters if _is(p.annotation, context, fn)]
    if not jobs:
        return Shape(task, whole, span=_span(parameters))
    if jobs != [parameters[0].name]:
        raise ConfigError(f"{task}: the parameter for the {context.__name__} must be the first one")
    rest = parameters[1:]
    return Shape(task, whole.replace(parameters=rest), jobs[0], _span(rest))


def _span(parameters: list[inspect.Parameter]) -> tuple[int, int] | None:
    needed = [p for p in parameters if p.default is p.empty and p.kind not in _SPREADING]
    if any(p.kind is p.KEYWORD_ONLY for p in needed):
        return None
    places = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return len(needed), len(places)


def _is(annotation: Any, wanted: type, fn: Callable[..., Any]) -> bool:
    """Tell whether an annotation names a class, also where annotations are kept as text."""
    if not isinstance(annotation, str):
        return annotation is wanted
    first, *rest = annotation.strip("\"' ").split(".")
    found = getattr(inspect.unwrap(fn), "__globals__", {}).get(first)
    for name in rest:
        found = getattr(found, name, None)
    if found is None:  # imported for type checkers only
        return annotation.rpartition(".")[2] == wanted.__name__
    return found is wanted


# -- what makes two jobs twins --------------------------------------------------------------


def check_names(shape: Shape, unique: Any) -> None:
    """Check that `unique` names parameters."""
    for name in unique if isinstance(unique, tuple) else ():
        if name in shape.named:
            continue
        if name in shape.parameters.parameters:
            raise ConfigError(
                f"{shape.task}: unique cannot name {name!r}, which takes any number of arguments"
            )
        raise ConfigError(
            f"{shape.task}: unique names {name!r}, but its parameters are {_listed(shape)}"
        )


def fingerprint(shape: Shape, unique: Any, arguments: Mapping[str, Any], codec: JSON) -> bytes:
    """Write what makes two jobs of a task twins: the task, and its arguments or some of them."""
    names = unique if isinstance(unique, tuple) else arguments
    return codec.canonical([shape.task, {name: arguments[name] for name in names}])


# -- locks ----------------------------------------------------------------------------------


def check_lock(shape: Shape, template: str | None) -> None:
    """Check that a lock has names of parameters in its braces, and nothing else."""
    if template is None:
        return
    if not template:
        raise ConfigError(f"{shape.task}: lock must not be empty")
    try:
        fields = list(Formatter().parse(template))
    except ValueError as error:
        raise ConfigError(f"{shape.task}: lock {template!r} cannot be read: {error}") from None
    for _, name, spec, conversion in fields:
        if name is not None and (spec or conversion or name not in shape.named):
            raise ConfigError(
                f"{shape.task}: lock {template!r} may have in braces only names of parameters:"
                f" {_listed(shape)}"
            )


def lock_text(template: str, arguments: Mapping[str, Any]) -> str:
    """Fill a lock's braces with arguments."""
    return "".join(
        text + ("" if name is None else _word(name, arguments[name]))
        for text, name, _, _ in Formatter().parse(template)
    )


def _word(name: str, value: Any) -> str:
    if value is not None and not isinstance(value, _WORDS):
        raise PayloadError(
            f"{name}: a lock cannot be made from {type(value).__name__};"
            " take a text, a number, a UUID or a date"
        )
    return str(value)


def _listed(shape: Shape) -> str:
    return ", ".join(shape.named) or "none"

"""What a flow may ask of whoever drives it."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, TypeVar

from limpet.commands.base import Command

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Wait:
    """Wait for work in any of these queues; answered with `Woken`."""

    wake_keys: tuple[str, ...]
    for_ms: int
    #: To be carried out as soon as the wait is over, if that can be asked for in advance.
    then: Command[Any] | None = None


@dataclass(frozen=True, slots=True)
class Rest:
    """Do nothing for a while; answered with `Woken`."""

    for_ms: int


@dataclass(frozen=True, slots=True)
class Woken:
    """How a wait ended: which key called (None: time ran out) and how long it took."""

    key: str | None
    waited_ms: int
    #: The answer to `then`; None if it was not carried out.
    answer: Any = None


def soonest(*spans_ms: int) -> int:
    """Choose the shortest of some times; -1 stands for none."""
    return min((span for span in spans_ms if span >= 0), default=-1)


Step = Command[Any] | Wait | Rest
Flow = Generator[Step, Any, T]

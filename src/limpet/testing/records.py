"""What a stage shows: jobs that ran, and jobs that are there."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal

from limpet.app.app import App
from limpet.app.context import Job
from limpet.tasks.codec import JSON
from limpet.tasks.message import Call, read
from limpet.values import JobView

#: "retry": it raised and is tried again later; "killed": its worker died before the end was told.
Word = Literal["done", "failed", "retry", "cancelled", "killed"]


@dataclass(frozen=True, slots=True)
class Ran:
    """One run of a job in a drain."""

    #: The name of the task.
    task: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    outcome: Word
    #: What it returned.
    result: Any = None
    #: What it raised.
    error: BaseException | None = None
    #: The job as the task saw it: its id, its queue, how often it was delivered.
    job: Job = field(default_factory=Job.detached, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Found:
    """One job that has not ended."""

    #: The name of the task.
    task: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    #: The job as the queue shows it: its id, its state, when it is due.
    view: JobView = field(repr=False, compare=False)


def call_of(payload: bytes, apps: Iterable[App]) -> Call:
    """Read a payload with the codec that can; one that is no call of a task has no name."""
    for codec in [*(app.codec for app in apps), JSON()]:
        with suppress(Exception):  # a codec of the user's own may raise anything
            return read(payload, codec)
    return Call("")

"""How a run of a job can end. Each outcome leads to one call of the core: see `finish`."""

from dataclasses import dataclass
from enum import Enum


class Why(Enum):
    """Why a running job is told to stop."""

    CANCELLED = "cancelled"
    TIMED_OUT = "timed out"
    #: The worker was declared dead: others have the job now.
    LOST = "lost"
    #: The worker stops, and the job goes back to its place.
    RELEASED = "released"


@dataclass(frozen=True, slots=True)
class Done:
    """It returned; `body` is the encoded result, None where no result is kept."""

    body: bytes | None = None
    #: What it returned, for hooks.
    result: object = None


@dataclass(frozen=True, slots=True)
class Failed:
    """It raised, and there is no further attempt."""

    message: str
    error: BaseException


@dataclass(frozen=True, slots=True)
class RetryLater:
    """It raised or took too long, and there is another attempt."""

    delay_ms: int
    message: str
    error: BaseException


@dataclass(frozen=True, slots=True)
class Rejected:
    """It said itself that there is no use in trying again."""

    message: str
    error: BaseException


@dataclass(frozen=True, slots=True)
class TimedOut:
    """It took too long, and there is no further attempt."""

    message: str
    error: BaseException


@dataclass(frozen=True, slots=True)
class Unknown:
    """Nobody here knows the task: it waits for a worker that does."""

    task: str


@dataclass(frozen=True, slots=True)
class Cancelled:
    """It was called off while it ran."""

    error: BaseException


@dataclass(frozen=True, slots=True)
class Released:
    """It goes back to its place, with no attempt spent."""


@dataclass(frozen=True, slots=True)
class Lost:
    """It is somebody else's by now; nothing is to be said about it."""


Outcome = Done | Failed | RetryLater | Rejected | TimedOut | Unknown | Cancelled | Released | Lost

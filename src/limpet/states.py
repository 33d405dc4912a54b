"""The states of a job and every way from one to another.

`TRANSITIONS` is the one table: the documents draw it, the model-based test reads it.
"""

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """Where a job is; it is always in exactly one of these places."""

    SCHEDULED = "scheduled"
    WAITING = "waiting"
    PARKED = "parked"
    RUNNING = "running"
    DEAD = "dead"


@dataclass(frozen=True, slots=True)
class Transition:
    """One arrow; a missing source or target means the job is not (or no longer) stored."""

    verb: str
    source: State | None
    target: State | None
    meaning: str


TRANSITIONS: tuple[Transition, ...] = (
    Transition("push", None, State.WAITING, "queued at the end, or at the front if asked"),
    Transition("push", None, State.SCHEDULED, "queued for a later time"),
    Transition("push", None, State.PARKED, "follows a group: waits until all of it ended"),
    Transition("follow", State.PARKED, State.WAITING, "its group ended: to its place in line"),
    Transition("due", State.SCHEDULED, State.WAITING, "its time has come: to the end of the queue"),
    Transition("pop", State.WAITING, State.RUNNING, "handed to one worker under its lease"),
    Transition("park", State.WAITING, State.PARKED, "its lock is held: set aside, costs nothing"),
    Transition("unlock", State.PARKED, State.WAITING, "the lock is free: back to its place"),
    Transition("ack", State.RUNNING, None, "done"),
    Transition("fail", State.RUNNING, State.DEAD, "given up, kept for people"),
    Transition("fail", State.RUNNING, None, "given up, where no dead list is kept"),
    Transition("retry", State.RUNNING, State.SCHEDULED, "another attempt later"),
    Transition("release", State.RUNNING, State.WAITING, "given back to its place"),
    Transition("release", State.RUNNING, State.SCHEDULED, "given back for a later time"),
    Transition("return", State.RUNNING, State.WAITING, "its worker died: back to its place"),
    Transition("return", State.RUNNING, State.DEAD, "its workers died too often"),
    Transition("strand", State.RUNNING, State.PARKED, "its worker does not know the task"),
    Transition("pick up", State.PARKED, State.RUNNING, "handed to a worker that knows the task"),
    Transition("recover", State.RUNNING, State.RUNNING, "taken over by another worker"),
    Transition("resume", State.RUNNING, State.RUNNING, "taken over after a time-out"),
    Transition("cancel", State.SCHEDULED, None, "cancelled before it was due"),
    Transition("cancel", State.WAITING, None, "cancelled before it ran"),
    Transition("cancel", State.PARKED, None, "cancelled before it ran"),
    Transition("cancel", State.RUNNING, None, "its worker was told and ended it"),
    Transition("merge", State.WAITING, None, "an older identical job came back"),
    Transition("merge", State.PARKED, None, "an older identical job came back"),
    Transition("merge", State.SCHEDULED, None, "an older identical job came back"),
    Transition("merge", State.RUNNING, None, "given back while a twin is to do its work"),
    Transition("revive", State.DEAD, State.WAITING, "another life, by hand"),
    Transition("purge", State.DEAD, None, "forgotten, by hand or by age"),
)

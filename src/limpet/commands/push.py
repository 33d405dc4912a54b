"""Queueing jobs: push and adopt."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from limpet.commands.base import Arg, Command, Reply, command, dumps, misread
from limpet.keys import QueueKeys
from limpet.values import Pushed


@dataclass(frozen=True, slots=True)
class NewJob:
    """A job on its way in: its payload, and what is not plain about it."""

    payload: bytes
    unique: bytes | None = None
    mode: str | None = None
    twin: str | None = None
    lock: bytes | None = None
    limit: int | None = None
    delay_ms: int | None = None
    at_ms: int | None = None
    front: bool = False
    id: str | None = None
    keep_ms: int | None = None
    group: str | None = None
    after: str | None = None
    needs: bool = False

    def how(self) -> bytes:
        """Write what is not plain, in the words of the script; nothing for a plain job."""
        found = {
            "unique": self.unique,
            "mode": self.mode,
            "twin": self.twin,
            "lock": self.lock,
            "limit": self.limit,
            "delay": self.delay_ms,
            "at": self.at_ms,
            "front": self.front or None,
            "id": self.id,
            "keep": self.keep_ms,
            "group": self.group,
            "after": self.after,
            "needs": self.needs or None,
        }
        kept = {name: value for name, value in found.items() if value is not None}
        return dumps(kept) if kept else b""


class PushAnswer(NamedTuple):
    """What became of each job, and whether the queue was new."""

    pushed: list[Pushed]
    born: bool


def _flat(jobs: Sequence[NewJob]) -> tuple[Arg, ...]:
    flat: list[Arg] = []
    for job in jobs:
        flat += (job.how(), job.payload)
    return tuple(flat)


def _read_pushed(queue: str, reply: Reply) -> PushAnswer:
    match reply:
        case [b"range", born, ms, before, count]:
            stem, first = ms.decode(), int(before) + 1
            ids = [f"{stem}-{n}" for n in range(first, first + count)]
            return PushAnswer([Pushed(queue, i) for i in ids], born == 1)
        case [b"pushed", born, *flat]:
            pairs = zip(flat[::2], flat[1::2], strict=True)
            return PushAnswer([_pushed(queue, i, what) for i, what in pairs], born == 1)
    misread("push", reply)


def _pushed(queue: str, job_id: bytes, what: bytes) -> Pushed:
    return Pushed(queue, job_id.decode(), what == b"created", what == b"replaced")


def push(keys: QueueKeys, jobs: Sequence[NewJob]) -> Command[PushAnswer]:
    """Queue jobs of any kind, left to right."""

    def read(reply: Reply) -> PushAnswer:
        return _read_pushed(keys.queue, reply)

    return command("push", keys, read, tail=_flat(jobs))


def push_plain(keys: QueueKeys, payloads: Sequence[bytes]) -> Command[PushAnswer]:
    """Queue jobs with nothing special about them, left to right."""

    def read(reply: Reply) -> PushAnswer:
        return _read_pushed(keys.queue, reply)

    return command("push_plain", keys, read, tail=tuple(payloads))


def push_any(keys: QueueKeys, jobs: Sequence[NewJob | bytes]) -> Command[PushAnswer]:
    """Queue jobs, left to right, in the cheapest way; bytes are the payload of a plain one."""
    payloads = [job for job in jobs if isinstance(job, bytes)]
    if len(payloads) < len(jobs):
        made = [NewJob(job) if isinstance(job, bytes) else job for job in jobs]
        if any(job.how() for job in made):
            return push(keys, made)
        payloads = [job.payload for job in made]
    return push_plain(keys, payloads)


def adopt(keys: QueueKeys, source: str, jobs: list[NewJob]) -> Command[PushAnswer | None]:
    """Move jobs from the head of a plain list; None if the head is another by now."""

    def read(reply: Reply) -> PushAnswer | None:
        match reply:
            case [b"adopted", _, pushed]:
                return _read_pushed(keys.queue, pushed)
            case [b"changed"]:
                return None
        misread("adopt", reply)

    made = command("adopt", keys, read, tail=_flat(jobs))
    return Command(made.script, (*made.keys[:-1], source), made.args, made.read, made.queue)


def glimpse(keys: QueueKeys, source: str, count: int) -> Command[list[bytes]]:
    """Read the head of a plain list."""

    def read(reply: Reply) -> list[bytes]:
        match reply:
            case [b"list", *elements]:
                return elements
        misread("glimpse", reply)

    made = command("glimpse", keys, read, count=count)
    return Command(made.script, (source,), made.args, made.read, made.queue)

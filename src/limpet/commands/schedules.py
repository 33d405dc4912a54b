"""Schedules: what is pushed at which times, and the firing."""

import json
from dataclasses import asdict, dataclass

from limpet.commands.base import Arg, Command, Reply, as_bytes, as_text, command, loads, misread
from limpet.errors import ConfigError
from limpet.keys import QueueKeys
from limpet.tasks.cron import Timing
from limpet.values import ScheduleView

_LONGEST_MS = 10**14


@dataclass(frozen=True, slots=True)
class Spec:
    """When to push what; the server keeps it as text and never looks into it."""

    timing: Timing
    payload: bytes
    #: What is not plain about the jobs, in the words of the push script.
    how: bytes = b""
    #: The name of the app that declared it; "" for one made by hand.
    owner: str = ""

    def write(self) -> bytes:
        """Write it so that the same schedule is always the same text."""
        said = {name: value for name, value in asdict(self.timing).items() if value is not None}
        said |= {"owner": self.owner, "how": as_text(self.how), "payload": as_text(self.payload)}
        text = json.dumps(said, ensure_ascii=False, sort_keys=True)
        return text.encode("utf-8", "surrogateescape")


def read_spec(raw: bytes) -> Spec:
    """Read a spec; whether its expression and zone are known here is not checked."""
    said = loads(raw)
    cron, every_ms = said.get("cron"), said.get("every_ms")
    words = [said.get(name) for name in ("tz", "missed", "overlap", "how", "payload", "owner")]
    fine = all(isinstance(word, str) for word in words) and (cron is None) != (every_ms is None)
    if not fine or not isinstance(cron, str | None) or not _is_span(every_ms):
        raise ConfigError("cannot be read; write it anew, or let limpet repair remove it")
    tz, missed, overlap, how, payload, owner = map(str, words)
    timing = Timing(cron, every_ms, tz, missed, overlap)  # type: ignore[arg-type]
    return Spec(timing, as_bytes(payload) or b"", as_bytes(how) or b"", owner)


def _is_span(ms: object) -> bool:
    return ms is None or (isinstance(ms, int) and 0 < ms < _LONGEST_MS)


@dataclass(frozen=True, slots=True)
class Row:
    """One schedule as it is listed."""

    name: str
    raw: bytes
    next_ms: int
    last: str

    def view(self, queue: str) -> ScheduleView:
        """Show it; one that cannot be read says never."""
        try:
            spec = read_spec(self.raw)
        except ConfigError:
            return ScheduleView(queue, self.name, b"", self.next_ms, self.last or None)
        return ScheduleView(
            queue=queue,
            name=self.name,
            payload=spec.payload,
            next_at=self.next_ms,
            last_id=self.last or None,
            owner=spec.owner,
            **asdict(spec.timing),
        )


@dataclass(frozen=True, slots=True)
class Listed:
    """Schedules in the order they fire, and the server's time (ms)."""

    now_ms: int
    rows: tuple[Row, ...]


def schedules(keys: QueueKeys, *, due: bool = False, start: int = 0, count: int) -> Command[Listed]:
    """List schedules by the time they fire next, or only those whose time has come."""

    def read(reply: Reply) -> Listed:
        match reply:
            case [b"schedules", ms, *rows]:
                return Listed(ms, tuple(_row(*row) for row in rows))
        misread("schedules", reply)

    return command("schedules", keys, read, due="1" if due else "", start=start, count=count)


def _row(name: bytes, raw: bytes, score: bytes, last: bytes) -> Row:
    time = float(score)
    # A time that is none is not one anybody could fire at; repair sets it anew.
    next_ms = round(time) if abs(time) < 1e15 else -1  # noqa: PLR2004 - as audit_schedules.lua
    return Row(name.decode("utf-8", "replace"), raw, next_ms, last.decode())


def schedule(keys: QueueKeys, name: str, spec: Spec, next_ms: int) -> Command[bool]:
    """Write a schedule; answers whether that changed anything."""

    def read(reply: Reply) -> bool:
        match reply:
            case [b"scheduled", b"new" | b"changed" | b"same" as what]:
                return bool(what != b"same")
        misread("schedule", reply)

    return command("schedule", keys, read, schedule=name, spec=spec.write(), next_ms=next_ms)


def unschedule(keys: QueueKeys, name: str, raw: bytes = b"") -> Command[bool]:
    """Remove a schedule (if it is still this one); answers whether it was there."""

    def read(reply: Reply) -> bool:
        match reply:
            case [b"unscheduled", gone]:
                return bool(gone == 1)
        misread("unschedule", reply)

    return command("unschedule", keys, read, schedule=name, spec=raw)


@dataclass(frozen=True, slots=True)
class Fired:
    """What became of one attempt to fire."""

    #: fired, skipped, overlap; or late, early, gone: nothing was done.
    word: str
    #: Milliseconds until a schedule of the queue fires next; -1 if nothing was done.
    next_in_ms: int = -1
    ids: tuple[str, ...] = ()


def fire(
    keys: QueueKeys, row: Row, *, next_ms: int, pushes: int, at_once: bool = False
) -> Command[Fired]:
    """Push the jobs of a schedule and set its next time, unless somebody else did."""

    def read(reply: Reply) -> Fired:
        match reply:
            case [b"fired" | b"skipped" | b"overlap" as word, next_in, *ids]:
                return Fired(word.decode(), next_in, tuple(i.decode() for i in ids))
            case [b"late" | b"early" | b"gone" as word]:
                return Fired(word.decode())
        misread("fire", reply)

    spec = read_spec(row.raw)
    pair: tuple[Arg, ...] = (spec.how, spec.payload)
    return command(
        "fire",
        keys,
        read,
        schedule=row.name,
        spec=row.raw,
        expected="now" if at_once else row.next_ms,
        next_ms=next_ms,
        overlap="queue" if at_once else spec.timing.overlap,
        tail=pair * pushes,
    )

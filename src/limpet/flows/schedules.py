"""Schedules: writing, listing and firing them. Whoever beats for a queue fires; nobody leads."""

from dataclasses import dataclass

from limpet.commands import schedules
from limpet.commands.base import Command
from limpet.commands.schedules import Fired, Listed, Row, Spec, read_spec
from limpet.errors import BackendError, ConfigError, LimpetError
from limpet.flows.base import Flow, soonest
from limpet.keys import QueueKeys
from limpet.tasks.cron import Timing, timing
from limpet.values import ScheduleView

_PAGE = 100
#: So many bytes of payloads one firing sends at most.
_MOST_BYTES = 16 * 1024 * 1024


def save(keys: QueueKeys, name: str, spec: Spec) -> Flow[bool]:
    """Write a schedule; by the server's clock it is known when it fires first."""
    listed: Listed = yield schedules.schedules(keys, count=0)
    changed: bool = yield schedules.schedule(
        keys, name, spec, spec.timing.next_after(listed.now_ms)
    )
    return changed


def rows(keys: QueueKeys) -> Flow[list[Row]]:
    """List all schedules, a page at a time; one that fires meanwhile is listed once."""
    found: dict[str, Row] = {}
    start = 0
    while True:
        listed: Listed = yield schedules.schedules(keys, start=start, count=_PAGE)
        found.update({row.name: row for row in listed.rows})
        start += len(listed.rows)
        if len(listed.rows) < _PAGE:
            return sorted(found.values(), key=lambda row: (row.next_ms, row.name))


def views(keys: QueueKeys) -> Flow[list[ScheduleView]]:
    """Show all schedules, the next to fire first."""
    listed = yield from rows(keys)
    return [row.view(keys.queue) for row in listed]


def run_now(keys: QueueKeys, name: str) -> Flow[tuple[str, ...] | None]:
    """Push the job of a schedule at once; its times stay. None if there is no such schedule."""
    listed = yield from rows(keys)
    for row in listed:
        if row.name == name:
            fired: Fired = yield schedules.fire(keys, row, next_ms=0, pushes=1, at_once=True)
            return fired.ids or None
    return None


def clear(
    keys: QueueKeys, owner: str, declared: frozenset[str], roots: frozenset[str] | None
) -> Flow[int]:
    """Remove what an app declared earlier and does not declare now; answers how many.

    With roots only schedules of tasks whose names begin so: apps without a name of their own all
    have the same one, and must not remove each other's schedules.
    """
    removed = 0
    listed = yield from rows(keys)
    for row in listed:
        view = row.view(keys.queue)
        mine = roots is None or (view.task or "").partition(".")[0] in roots
        if owner and view.owner == owner and mine and row.name not in declared:
            removed += yield schedules.unschedule(keys, row.name, row.raw)
    return removed


@dataclass(frozen=True, slots=True)
class Fires:
    """How firing went: ms until the next schedule fires (-1: unknown), and what went wrong."""

    next_in_ms: int
    wrong: LimpetError | None = None


def fire_due(keys: QueueKeys) -> Flow[Fires]:
    """Fire all schedules whose time has come; whatever goes wrong is told, not raised.

    A schedule that is not understood here keeps no other from firing at its time.
    """
    try:
        next_in_ms, wrong = yield from _fire_pages(keys)
        if wrong is not None:
            next_in_ms = yield from _next_in(keys)
    except BackendError as error:
        return Fires(-1, error)
    return Fires(next_in_ms, wrong)


def _fire_pages(keys: QueueKeys) -> Flow[tuple[int, ConfigError | None]]:
    next_in_ms, wrong = -1, None
    while True:
        listed: Listed = yield schedules.schedules(keys, due=True, count=_PAGE)
        done = 0
        for row in listed.rows:
            try:
                attempt = _attempt(keys, row, listed.now_ms)
            except ConfigError as error:
                wrong = ConfigError(f"schedule {row.name!r} of queue {keys.queue!r}: {error}")
                continue
            fired: Fired = yield attempt
            next_in_ms, done = fired.next_in_ms, done + (fired.next_in_ms >= 0)
        if len(listed.rows) < _PAGE or not done:
            return next_in_ms, wrong


def _next_in(keys: QueueKeys) -> Flow[int]:
    """Look when something fires beside the schedules that are overdue."""
    listed: Listed = yield schedules.schedules(keys, count=_PAGE)
    spans = [row.next_ms - listed.now_ms for row in listed.rows if row.next_ms > listed.now_ms]
    return soonest(*spans)


def _attempt(keys: QueueKeys, row: Row, now_ms: int) -> Command[Fired]:
    """Decide about one fire time."""
    spec = read_spec(row.raw)
    decision = _understood(spec.timing).decide(now_ms, row.next_ms)
    room = max(_MOST_BYTES // max(len(spec.payload), 1), 1)
    return schedules.fire(keys, row, next_ms=decision.next_ms, pushes=min(decision.pushes, room))


def _understood(said: Timing) -> Timing:
    """Check again what came from the server: it may know zones that are not known here."""
    every = None if said.every_ms is None else said.every_ms / 1000
    return timing(said.cron, every=every, tz=said.tz, missed=said.missed, overlap=said.overlap)

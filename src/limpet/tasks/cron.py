"""When a schedule fires: its expression or interval, checked, and what becomes of missed times."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal, get_args

from limpet.errors import ConfigError
from limpet.options import Duration, milliseconds
from limpet.tasks.zones import check_expression, fire_times, zone_of

Missed = Literal["once", "skip", "all"]
Overlap = Literal["skip", "queue"]

#: A fire time that is later than this counts as missed, where missed ones are skipped.
LATE_MS = 60_000
#: So many missed times are made up for at most.
MOST_MISSED = 1000
SHORTEST_MS = 100


@dataclass(frozen=True, slots=True)
class Decision:
    """What to do at a fire time: how many jobs to push, and when to fire next (ms)."""

    pushes: int
    next_ms: int


@dataclass(frozen=True, slots=True)
class Timing:
    """When to fire. Make one with `timing`, which checks everything."""

    cron: str | None = None
    #: The interval in milliseconds, instead of an expression. It counts from 1970-01-01 UTC, so
    #: "15m" fires at every full quarter of an hour whoever asks.
    every_ms: int | None = None
    tz: str = "UTC"
    missed: Missed = "once"
    overlap: Overlap = "skip"

    def times_after(self, after_ms: int) -> Iterator[int]:
        """Give the fire times after a moment, in order; a few of all there are."""
        if self.cron is not None:
            return fire_times(self.cron, zone_of(self.tz), after_ms)
        step = self.every_ms or SHORTEST_MS
        first = (after_ms // step + 1) * step
        return iter(range(first, first + step * 10**6, step))

    def next_after(self, after_ms: int) -> int:
        """Give the first fire time after a moment."""
        found = next(self.times_after(after_ms), None)
        if found is None:
            raise ConfigError(f"cron expression {self.cron!r} has no further date; change it")
        return found

    def decide(self, now_ms: int, expected_ms: int) -> Decision:
        """Say what to do now about the fire time that was expected, and all missed since.

        An expected time of zero is one that got lost: nothing is pushed, the next is set.
        """
        pushes = self._count(now_ms, expected_ms) if 0 < expected_ms <= now_ms else 0
        return Decision(pushes, self.next_after(now_ms))

    def _count(self, now_ms: int, expected_ms: int) -> int:
        match self.missed:
            case "once":
                return 1
            case "skip":
                recent = max(expected_ms, now_ms - LATE_MS) - 1
                return int(self.next_after(recent) <= now_ms)
            case "all":
                times = islice(self.times_after(expected_ms), MOST_MISSED - 1)
                return 1 + sum(1 for time in times if time <= now_ms)


def timing(
    cron: str | None = None,
    *,
    every: Duration | None = None,
    tz: str = "UTC",
    missed: Missed = "once",
    overlap: Overlap = "skip",
) -> Timing:
    """Check when to fire, and what to do about missed times and runs that take too long."""
    if (cron is None) == (every is None):
        raise ConfigError("say when: either a cron expression, or every='15m'")
    if not isinstance(tz, str) or not isinstance(cron, str | None):
        raise ConfigError("cron and tz must be text, such as '0 3 * * *' and 'Europe/Berlin'")
    zone_of(tz)
    if missed not in get_args(Missed):
        raise ConfigError(f"missed must be 'once', 'skip' or 'all', got {missed!r}")
    if overlap not in get_args(Overlap):
        raise ConfigError(f"overlap must be 'skip' or 'queue', got {overlap!r}")
    if missed == "all" and overlap == "skip":
        raise ConfigError("missed='all' makes several runs at once: say overlap='queue' with it")
    if cron is not None:
        return Timing(check_expression(cron), None, tz, missed, overlap)
    every_ms = milliseconds(every if every is not None else 0, "every")
    if every_ms < SHORTEST_MS:
        raise ConfigError(f"every must be at least {SHORTEST_MS} ms, got {every!r}")
    return Timing(None, every_ms, tz, missed, overlap)

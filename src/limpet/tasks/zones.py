"""Fire times of a cron expression in a time zone, with written rules for clock changes.

Most expressions name hours, such as `30 2 * * *`. They follow the clock on the wall: a time that
the clock skips fires once, at the moment of the change; a time that the clock shows twice fires
the first time only. Expressions for every hour, such as `*/10 * * * *`, follow the time that
passes: nothing is made up for the skipped hour, and the doubled hour counts as two.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

from limpet.errors import ConfigError

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SECOND = timedelta(seconds=1)
_EXAMPLE = "write five fields, such as '0 3 * * *' for every night at three"
_FIELDS = 5
_HOURS = 24
#: Where the search for a first fire time starts, to see that there is any.
_SAMPLE = datetime(2024, 1, 1)  # noqa: DTZ001 - a time on the wall


@lru_cache(maxsize=1024)
def zone_of(name: str) -> ZoneInfo:
    """Find a time zone by its name."""
    try:
        return ZoneInfo(name)
    except (OSError, ValueError, KeyError):
        raise ConfigError(
            f"there is no time zone {name!r:.100} here: write it like 'Europe/Berlin' or 'UTC';"
            " if that is what it says, install the package tzdata"
        ) from None


@lru_cache(maxsize=1024)
def check_expression(expression: str) -> str:
    """Check an expression; answers it with single spaces."""
    plain = " ".join(expression.split())
    try:
        first = next(_simulate(plain, _SAMPLE), None)
    except (CronSimError, ValueError, AssertionError, IndexError) as error:
        why = str(error) or "not understood"
        raise ConfigError(f"cron expression {plain!r:.100}: {why}; {_EXAMPLE}") from None
    if first is None:
        raise ConfigError(f"cron expression {plain!r:.100} has no date, in fifty years; {_EXAMPLE}")
    return plain


def fire_times(expression: str, zone: ZoneInfo, after_ms: int) -> Iterator[int]:
    """Give the fire times after a moment, in order (Unix milliseconds)."""
    after = _EPOCH + timedelta(milliseconds=after_ms)
    walk = _by_the_wall if _names_hours(expression) else _by_the_time
    last, local = after, after.astimezone(zone)
    for moment in walk(expression, local, zone):
        if moment > last:
            last = moment
            yield (moment - _EPOCH) // timedelta(milliseconds=1)


def _simulate(expression: str, start: datetime) -> CronSim:
    # With a field for seconds the library leaves the clock changes to us.
    fields = expression.split()
    return CronSim(f"0 {expression}" if len(fields) == _FIELDS else expression, start)


@lru_cache(maxsize=1024)
def _names_hours(expression: str) -> bool:
    return len(_simulate(expression, _SAMPLE).hours) < _HOURS


def _by_the_time(expression: str, after: datetime, _: ZoneInfo) -> Iterator[datetime]:
    """Every time that really comes, as often as it comes."""
    for found in _simulate(expression, after):
        yield found.astimezone(UTC)


def _by_the_wall(expression: str, after: datetime, zone: ZoneInfo) -> Iterator[datetime]:
    """Every time of the wall clock, once."""
    for found in _simulate(expression, after.replace(tzinfo=None)):
        first = found.replace(tzinfo=zone, fold=0)
        moment = first.astimezone(UTC)
        skipped = moment.astimezone(zone).replace(tzinfo=None) != found
        yield _change_before(moment, zone) if skipped else moment


def _change_before(moment: datetime, zone: ZoneInfo) -> datetime:
    """Find when the clock was put forward; at most a day before this moment."""
    offset = moment.astimezone(zone).utcoffset()
    before, after = moment - timedelta(days=1, hours=1), moment
    while after - before > _SECOND:
        middle = before + (after - before) // 2
        if middle.astimezone(zone).utcoffset() == offset:
            after = middle
        else:
            before = middle
    return after.replace(microsecond=0)

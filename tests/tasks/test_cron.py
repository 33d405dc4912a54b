"""When schedules fire: expressions, intervals, missed times."""

from datetime import UTC, datetime
from itertools import islice, pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limpet.errors import ConfigError
from limpet.tasks.cron import MOST_MISSED, Decision, Timing, timing

SECOND, MINUTE, HOUR, DAY = 1000, 60_000, 3_600_000, 86_400_000
NOON = 1_700_049_600_000  # 2023-11-15 12:00 UTC

ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Cairo")
MOMENTS = st.integers(946_684_800_000, 2_114_380_800_000)  # 2000 to 2037


def field(first: int, last: int) -> st.SearchStrategy[str]:
    """Write one field of an expression."""
    numbers = st.integers(first, last)
    pairs = st.tuples(numbers, numbers).map(sorted)
    return st.one_of(
        st.just("*"),
        st.sampled_from(["*/2", "*/7", "*/15"]),
        numbers.map(str),
        pairs.map(lambda pair: f"{pair[0]}-{pair[1]}"),
        st.lists(numbers, min_size=1, max_size=3).map(lambda found: ",".join(map(str, found))),
    )


#: No date is impossible with these: days are those that every month has.
EXPRESSIONS = st.tuples(
    field(0, 59),
    field(0, 23),
    field(1, 28),
    field(1, 12),
    st.sampled_from(["*", "*", "1-5", "SUN"]),
).map(" ".join)
CRONS = st.builds(lambda cron, tz: timing(cron, tz=tz), EXPRESSIONS, st.sampled_from(ZONES))
INTERVALS = st.integers(100, 10 * DAY).map(lambda ms: timing(every=ms / 1000))


@given(CRONS | INTERVALS, MOMENTS)
def test_the_next_time_is_after_and_nothing_is_between(when: Timing, after: int) -> None:
    """From any moment in between, the next time is the same."""
    found = when.next_after(after)

    assert found > after
    assert when.next_after((after + found) // 2) == found
    assert when.next_after(found - 1) == found


@given(CRONS | INTERVALS, MOMENTS)
def test_times_grow_and_one_leads_to_the_next(when: Timing, after: int) -> None:
    """A walk through the times is the same as asking for the next one again and again."""
    walked = list(islice(when.times_after(after), 5))

    assert all(earlier < later for earlier, later in pairwise([after, *walked]))
    asked = [when.next_after(time) for time in [after, *walked[:-1]]]
    assert asked == walked


@given(CRONS, MOMENTS)
def test_times_are_whole_minutes_of_the_expression(when: Timing, after: int) -> None:
    """Unless the clock skipped the time: then it is the moment at which it jumped."""
    found = datetime.fromtimestamp(when.next_after(after) / 1000, ZoneInfo(when.tz))

    before = datetime.fromtimestamp(found.timestamp() - 1, found.tzinfo)
    jumped = before.utcoffset() != found.utcoffset()
    assert found.second == 0
    assert jumped or matches(found.minute, str(when.cron).split()[0], 59)
    assert jumped or matches(found.hour, str(when.cron).split()[1], 23)


def matches(value: int, text: str, last: int) -> bool:
    """Tell whether a field of an expression means this number."""
    if "," in text:
        return any(matches(value, part, last) for part in text.split(","))
    span, _, step = text.partition("/")
    first, _, end = ("0", "-", str(last)) if span == "*" else span.partition("-")
    return value in range(int(first), int(end or first) + 1, int(step or 1))


def shown(cron: str, tz: str, start: str, count: int) -> list[str]:
    """Give fire times after a time on the wall, as times on the wall."""
    zone = ZoneInfo(tz)
    after = int(datetime.fromisoformat(start).replace(tzinfo=zone).timestamp() * 1000)
    found = islice(timing(cron, tz=tz).times_after(after), count)
    return [f"{datetime.fromtimestamp(ms / 1000, zone):%d %H:%M %z}" for ms in found]


@pytest.mark.parametrize(
    ("cron", "tz", "start", "times"),
    [
        pytest.param(
            *("30 2 * * *", "Europe/Berlin", "2026-03-28"),
            ["28 02:30 +0100", "29 03:00 +0200", "30 02:30 +0200"],
            id="at the jump",
        ),
        pytest.param(
            *("*/15 2 * * *", "Europe/Berlin", "2026-03-29"),
            ["29 03:00 +0200", "30 02:00 +0200", "30 02:15 +0200"],
            id="one for all times skipped",
        ),
        pytest.param(
            *("0 2,3 * * *", "Europe/Berlin", "2026-03-29"),
            ["29 03:00 +0200", "30 02:00 +0200", "30 03:00 +0200"],
            id="together with one of that moment",
        ),
        pytest.param(
            *("30 2 * * *", "America/New_York", "2026-03-07"),
            ["07 02:30 -0500", "08 03:00 -0400", "09 02:30 -0400"],
            id="New York",
        ),
        pytest.param(
            *("15 2 * * *", "Australia/Lord_Howe", "2026-10-03"),
            ["03 02:15 +1030", "04 02:30 +1100", "05 02:15 +1100"],
            id="half an hour skipped",
        ),
        pytest.param(
            *("0 0 * * *", "Africa/Cairo", "2026-04-22"),
            ["23 00:00 +0200", "24 01:00 +0300", "25 00:00 +0300"],
            id="midnight skipped",
        ),
        pytest.param(
            *("0 12 * * *", "Pacific/Apia", "2011-12-29"),
            ["29 12:00 -1000", "31 00:00 +1400", "31 12:00 +1400"],
            id="a whole day skipped",
        ),
    ],
)
def test_a_time_that_the_clock_skips_fires_once(
    cron: str, tz: str, start: str, times: list[str]
) -> None:
    """At the moment of the change, for expressions that name hours."""
    assert shown(cron, tz, start, 3) == times


@pytest.mark.parametrize(
    ("cron", "tz", "start", "times"),
    [
        pytest.param(
            *("30 2 * * *", "Europe/Berlin", "2026-10-24"),
            ["24 02:30 +0200", "25 02:30 +0200", "26 02:30 +0100"],
            id="Berlin",
        ),
        pytest.param(
            *("*/30 1-2 * * *", "Europe/Berlin", "2026-10-25T01:45"),
            ["25 02:00 +0200", "25 02:30 +0200", "26 01:00 +0100"],
            id="several times",
        ),
        pytest.param(
            *("30 1 * * *", "America/New_York", "2026-10-31"),
            ["31 01:30 -0400", "01 01:30 -0400", "02 01:30 -0500"],
            id="New York",
        ),
        pytest.param(
            *("45 1 * * *", "Australia/Lord_Howe", "2026-04-04"),
            ["04 01:45 +1100", "05 01:45 +1100", "06 01:45 +1030"],
            id="half an hour doubled",
        ),
    ],
)
def test_a_time_that_the_clock_shows_twice_fires_the_first_time(
    cron: str, tz: str, start: str, times: list[str]
) -> None:
    """And not again, for expressions that name hours."""
    assert shown(cron, tz, start, 3) == times


def test_asked_in_the_doubled_hour_the_next_time_is_tomorrow() -> None:
    """The time fired an hour ago, when the clock showed it first."""
    berlin = ZoneInfo("Europe/Berlin")
    second = datetime(2026, 10, 25, 2, 10, tzinfo=berlin, fold=1)

    found = timing("30 2 * * *", tz="Europe/Berlin").next_after(int(second.timestamp() * 1000))

    assert datetime.fromtimestamp(found / 1000, berlin).day == 26


@pytest.mark.parametrize("start", ["2026-03-29T00:45", "2026-10-25T00:45"])
@pytest.mark.parametrize(("cron", "step"), [("*/10 * * * *", 10), ("30 * * * *", 60)])
def test_expressions_for_every_hour_follow_the_time_that_passes(
    cron: str, step: int, start: str
) -> None:
    """No run is put in or left out: from one to the next it is always as long."""
    zone = ZoneInfo("Europe/Berlin")
    after = int(datetime.fromisoformat(start).replace(tzinfo=zone).timestamp() * 1000)

    times = list(islice(timing(cron, tz="Europe/Berlin").times_after(after), 30))

    assert {later - earlier for earlier, later in pairwise(times)} == {step * MINUTE}


def test_an_interval_counts_from_one_moment_for_all() -> None:
    """Every quarter of an hour, whoever asks and whenever."""
    when = timing(every="15m")

    assert [when.next_after(NOON + t) for t in (-1, 0, 1)] == [NOON, *[NOON + 15 * MINUTE] * 2]


def test_a_sixth_field_in_front_means_seconds() -> None:
    """For schedules finer than a minute."""
    assert timing("*/10 * * * * *").next_after(NOON) == NOON + 10 * SECOND


# -- missed times ---------------------------------------------------------------------------


def test_once_makes_one_run_of_all_missed_times() -> None:
    """Also of a single one that is on time."""
    when = timing("*/10 * * * *")

    assert when.decide(NOON, NOON) == Decision(1, NOON + 10 * MINUTE)
    assert when.decide(NOON + 3 * HOUR + 1, NOON) == Decision(1, NOON + 3 * HOUR + 10 * MINUTE)


@pytest.mark.parametrize(
    ("late", "pushes"), [(0, 1), (MINUTE, 1), (MINUTE + 1, 0), (10 * MINUTE, 1), (DAY - 1, 0)]
)
def test_skip_leaves_out_what_is_over_a_minute_late(late: int, pushes: int) -> None:
    """Each time is looked at: one that is missed does not take a later one with it."""
    decision = timing("*/10 * * * *", missed="skip").decide(NOON + late, NOON)

    assert decision == Decision(pushes, NOON + late - late % (10 * MINUTE) + 10 * MINUTE)


def test_all_makes_one_run_for_each_missed_time() -> None:
    """The present one included."""
    when = timing("*/10 * * * *", missed="all", overlap="queue")

    assert when.decide(NOON, NOON).pushes == 1
    assert when.decide(NOON + HOUR - 1, NOON).pushes == 6
    assert when.decide(NOON + HOUR, NOON) == Decision(7, NOON + HOUR + 10 * MINUTE)


@pytest.mark.parametrize("when", [{"cron": "* * * * * *"}, {"every": "1s"}])
def test_all_has_an_end(when: dict[str, str]) -> None:
    """A server that was off for a month is not buried in jobs."""
    made = timing(**when, missed="all", overlap="queue")  # type: ignore[arg-type]

    decision = made.decide(NOON + 30 * DAY, NOON)

    assert decision == Decision(MOST_MISSED, NOON + 30 * DAY + SECOND)


@pytest.mark.parametrize("missed", ["once", "skip", "all"])
def test_a_time_that_got_lost_is_set_anew(missed: str) -> None:
    """Nobody knows what was missed, so nothing is made up for it."""
    when = timing("0 3 * * *", missed=missed, overlap="queue")  # type: ignore[arg-type]

    assert when.decide(NOON, 0) == Decision(0, NOON + 15 * HOUR)


@given(
    CRONS | INTERVALS, MOMENTS, st.integers(0, 2 * DAY), st.sampled_from(["once", "skip", "all"])
)
def test_the_next_time_is_never_in_the_past(
    when: Timing, expected: int, late: int, missed: str
) -> None:
    """And at most as many runs are made as times were missed."""
    made = Timing(when.cron, when.every_ms, when.tz, missed, "queue")  # type: ignore[arg-type]
    first = made.next_after(expected)

    decision = made.decide(first + late, first)

    assert decision.next_ms == made.next_after(first + late)
    times = 1 + sum(time <= first + late for time in islice(made.times_after(first), 1500))
    assert decision.pushes in {0, 1, min(times, MOST_MISSED)}
    assert missed != "once" or decision.pushes == 1


# -- nonsense -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "cron",
    ["", "x", "61 * * * *", "* * * *", "* * * * * * *", "@daily", "*/0 * * * *", "5-1 * * * *"],
)
def test_nonsense_is_refused_with_an_example(cron: str) -> None:
    """The message names the expression and how to write one."""
    with pytest.raises(ConfigError, match="such as '0 3") as refused:
        timing(cron)

    assert repr(cron) in str(refused.value)


def test_a_date_that_never_comes_is_refused() -> None:
    """It would wait for ever."""
    with pytest.raises(ConfigError, match="0 0 30 2"):
        timing("0 0 30 2 *")
    with pytest.raises(ConfigError, match="no date"):
        timing("0 0 */29 2 MON#2")


@pytest.mark.parametrize("tz", ["Europe/Atlantis", "", "../../etc/passwd", "x" * 5000, "a\0b"])
def test_an_unknown_zone_is_refused_by_name(tz: str) -> None:
    """With how to write one, and what to install."""
    with pytest.raises(ConfigError, match=r"no time zone .* 'Europe/Berlin' .* tzdata"):
        timing("0 3 * * *", tz=tz)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "either a cron expression, or every="),
        ({"cron": "* * * * *", "every": "1s"}, "either a cron expression, or every="),
        ({"every": "10ms"}, "at least 100 ms"),
        ({"every": "soon"}, "every is 'soon'"),
        ({"cron": 5}, "must be text"),
        ({"cron": "* * * * *", "tz": UTC}, "must be text"),
        ({"every": "1m", "missed": "never"}, "missed must be 'once', 'skip' or 'all'"),
        ({"every": "1m", "overlap": "wait"}, "overlap must be 'skip' or 'queue'"),
        ({"every": "1m", "missed": "all"}, "say overlap='queue' with it"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, object], said: str) -> None:
    """With the next step."""
    with pytest.raises(ConfigError, match=said):
        timing(**options)  # type: ignore[arg-type]


@given(st.text(alphabet="0123456789*/,-#LW SUNMON", max_size=20))
def test_any_text_is_understood_or_refused(text: str) -> None:
    """Never another error, never an expression that cannot be followed."""
    try:
        when = timing(text)
    except ConfigError:
        return

    assert when.next_after(NOON) > NOON

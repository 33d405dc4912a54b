"""Schedules as text: written by one worker, read by all."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limpet.commands.schedules import Row, Spec, read_spec
from limpet.errors import ConfigError
from limpet.tasks.cron import Timing

TIMINGS = st.builds(
    Timing,
    cron=st.just("0 3 * * *"),
    tz=st.sampled_from(["UTC", "Europe/Berlin"]),
    missed=st.sampled_from(["once", "skip", "all"]),
    overlap=st.sampled_from(["skip", "queue"]),
) | st.builds(Timing, every_ms=st.integers(100, 10**12))
SPECS = st.builds(Spec, TIMINGS, st.binary(), st.binary(), st.text("abc/ü✓"))
GOOD = json.loads(Spec(Timing(every_ms=1000), b"x").write())


@given(SPECS)
def test_what_is_written_can_be_read(spec: Spec) -> None:
    """Whatever bytes the payload has; and the same schedule is always the same text."""
    assert read_spec(spec.write()) == spec
    assert read_spec(spec.write()).write() == spec.write()
    assert b"\n" not in spec.write()


@pytest.mark.parametrize(
    "change",
    [
        *[{name: None} for name in GOOD],
        *[{name: 5} for name in ("tz", "missed", "overlap", "how", "payload", "owner")],
        {"cron": "0 3 * * *"},
        {"every_ms": None, "cron": 5},
        {"every_ms": "1s"},
        {"every_ms": -5},
        {"every_ms": 10**400},
        {"every_ms": [1000]},
    ],
    ids=str,
)
def test_a_damaged_spec_is_refused_and_shown_as_unreadable(change: dict[str, object]) -> None:
    """With one kind of error, so that it cannot stop the others."""
    raw = json.dumps(GOOD | change).encode()

    with pytest.raises(ConfigError, match="cannot be read"):
        read_spec(raw)
    view = Row("n", raw, 7, "").view("q")
    assert (view.name, view.next_at, view.cron, view.every_ms) == ("n", 7, None, None)


@given(st.binary(max_size=50))
def test_any_bytes_are_read_or_refused(raw: bytes) -> None:
    """Never another error."""
    with pytest.raises(ConfigError):
        read_spec(raw)

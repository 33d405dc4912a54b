"""Options are checked at the door."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limpet.errors import ConfigError, PayloadError
from limpet.options import (
    Policy,
    WorkerOptions,
    count_of,
    job_id,
    milliseconds,
    moment_ms,
    payload_bytes,
)


@pytest.mark.parametrize(
    ("given", "wanted"),
    [(0, 0), (1.5, 1500), ("250ms", 250), ("1h 30m", 5_400_000), (timedelta(days=1), 86_400_000)],
)
def test_durations_are_read(given: float | str | timedelta, wanted: int) -> None:
    """Seconds, text and timedelta give milliseconds."""
    assert milliseconds(given, "x") == wanted


@pytest.mark.parametrize(
    "wrong", [-1, "soon", "", "5", "1m-", float("nan"), float("inf"), True, []]
)
def test_wrong_durations_are_refused(wrong: object) -> None:
    """What is no duration raises and names the option."""
    with pytest.raises(ConfigError, match="patience"):
        milliseconds(wrong, "patience")  # type: ignore[arg-type]


@given(st.floats(min_value=0, max_value=1e9))
def test_seconds_keep_their_milliseconds(seconds: float) -> None:
    """Any number of seconds is right to the millisecond."""
    assert abs(milliseconds(seconds, "x") - seconds * 1000) <= 0.5


def test_moments_need_a_zone() -> None:
    """A datetime without a zone means nothing to a server elsewhere."""
    assert moment_ms(datetime(1970, 1, 2, tzinfo=UTC)) == 86_400_000
    for wrong in (datetime(2030, 1, 1), -1, True, "tomorrow"):  # noqa: DTZ001 - that is the point
        with pytest.raises(ConfigError):
            moment_ms(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [0, -1, 1.5, "2", True, None])
def test_counts_start_at_one(wrong: object) -> None:
    """A count below one, or no whole number, is refused."""
    with pytest.raises(ConfigError):
        count_of(wrong)  # type: ignore[arg-type]


def test_payloads_are_bytes_or_text_within_the_limit() -> None:
    """Text becomes UTF-8; other types and sizes over the limit are refused."""
    assert payload_bytes("ä", 2) == "ä".encode()
    assert payload_bytes(bytearray(b"ab"), 2) == payload_bytes(memoryview(b"ab"), 2) == b"ab"
    for wrong in (b"abc", 1, None, ["a"]):
        with pytest.raises(PayloadError):
            payload_bytes(wrong, 2)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", ["", "a b", "1-2", "ä", "x" * 201, "a\n", "a{b}", 7, "a@b"])
def test_own_ids_have_an_alphabet(wrong: object) -> None:
    """Ids that could be mistaken for the server's, or break a record, are refused."""
    with pytest.raises(ConfigError):
        job_id(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "wrong",
    [
        {"unique": "sometimes"},
        {"on_twin": "ignore"},
        {"lock_limit": 0},
        {"timeout": -1},
        {"crash_limit": -1},
        {"dead_limit": True},
        {"max_payload": 1.5},
    ],
)
def test_policies_are_checked(wrong: dict[str, object]) -> None:
    """A wrong option of a queue is refused when the queue is made."""
    with pytest.raises(ConfigError):
        Policy(**wrong)  # type: ignore[arg-type]


def test_heartbeat_and_lease_are_checked_against_each_other() -> None:
    """The lease must be longer than the heartbeat; the defaults of the older systems pass."""
    assert WorkerOptions(heartbeat=30, lease=35).stride_ms == 2500
    assert WorkerOptions(heartbeat=1, lease=3).stride_ms == 1000
    assert WorkerOptions(lease=None).lease_ms == -1
    for heartbeat, lease in ((2, 1), (1, 1), (0, 1), (-1, 1)):
        with pytest.raises(ConfigError):
            WorkerOptions(heartbeat=heartbeat, lease=lease)


@pytest.mark.parametrize("wrong", ["", "a b", "x" * 101, "ä"])
def test_worker_names_are_checked(wrong: str) -> None:
    """A name that would break a record is refused."""
    with pytest.raises(ConfigError):
        WorkerOptions(name=wrong)

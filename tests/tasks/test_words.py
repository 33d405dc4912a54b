"""The small words of explanations, and payloads of any kind."""

import pytest

from limpet.states import State
from limpet.tasks.standing import Hand, Standing
from limpet.tasks.words import age, explain, many, moment
from limpet.values import JobView


@pytest.mark.parametrize(
    ("ms", "said"),
    [
        (-5, "0 ms"),
        (0, "0 ms"),
        (1_999, "1,999 ms"),
        (2_500, "2.5 s"),
        (12_345, "12 s"),
        (120_000, "2 min"),
        (5_400_000, "90 min"),
        (10_799_999, "3 h"),
        (172_800_000, "2 d"),
        (10**15, "11,574,074 d"),
    ],
)
def test_a_duration_is_written_in_a_fitting_unit(ms: int, said: str) -> None:
    """Two digits are enough for people; a clock that went backwards is no time."""
    assert age(ms) == said


def test_a_time_is_written_in_utc() -> None:
    """Also one that no calendar has."""
    assert moment(1_700_000_000_000) == "2023-11-14 22:13:20 UTC"
    assert moment(10**18) == "1000000000000000000 ms after 1970"


def test_things_are_counted() -> None:
    """One, several, and irregular ones."""
    assert (many(1, "job"), many(12_000, "job")) == ("1 job", "12,000 jobs")
    assert many(0, "delivery", "deliveries") == "0 deliveries"


@pytest.mark.parametrize("payload", [b"", b"\xff", b"[1]", b"{}", b"[" * 100_000, b'{"task": '])
def test_a_payload_that_is_no_call_is_taken_by_any_worker(payload: bytes) -> None:
    """Nobody is said not to know its task, for it has none."""
    job = JobView("q", "1-1", payload, State.WAITING, 1)
    standing = Standing(job, 1, position=1, line=1, workers=1, crew=(Hand("w", ("a",)),))

    assert explain(standing).headline == "waits at position 1 of 1"


def test_a_guessed_position_is_called_so() -> None:
    """It is never beyond the end of the line."""
    job = JobView("q", "1-1", b"", State.WAITING, 1)
    crew = (Hand("w", ()),)

    near = explain(Standing(job, 1, position=1500, guess=True, line=9000, workers=1, crew=crew))
    far = explain(Standing(job, 1, position=1500, guess=True, line=1000, workers=1, crew=crew))

    assert near.headline == "waits at about position 1,500 of 9,000"
    assert far.headline == "waits at about position 1,000 of 1,000"


def test_of_workers_that_were_not_seen_nothing_is_said() -> None:
    """Of a great many workers only some are looked at: another may know the task."""
    crew = (Hand("v", ("a",)), Hand("w", ("a",)))
    waits = JobView("q", "1-1", b'{"task": "t"}', State.WAITING, 1)
    aside = JobView("q", "1-1", b'{"task": "t"}', State.PARKED, 1)

    waiting = explain(Standing(waits, 1, position=1, line=1, workers=3, crew=crew))
    parked = explain(Standing(aside, 1, task="t", workers=3, crew=crew))

    assert waiting.headline == "waits at position 1 of 1"
    assert parked.headline == "is parked: task 't' is known to none of 2 workers"


def test_several_workers_that_know_a_task_are_counted() -> None:
    """One is named."""
    crew = tuple(Hand(name, ("t",)) for name in "abc")
    job = JobView("q", "1-1", b"", State.PARKED, 1)

    said = explain(Standing(job, 1, task="t", workers=3, crew=crew)).headline

    assert said.endswith("; known to worker a and 2 more: it is handed out next")

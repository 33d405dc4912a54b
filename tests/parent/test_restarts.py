"""What follows the end of a child, and how soon the next one starts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limpet.worker.parent.restarts import (
    FIRST_S,
    HEALTHY_S,
    LONGEST_AFTER_WORK_S,
    LONGEST_S,
    End,
    Next,
    Restarts,
    decide,
)


def test_the_pauses_double_up_to_half_a_minute() -> None:
    """0.1 s, 0.2 s, 0.4 s and so on, and never more than 30 s."""
    restarts, pauses = Restarts(), []

    for _ in range(12):
        restarts = restarts.after(life_s=1.0)
        pauses.append(restarts.pause_s)

    assert pauses[:4] == [0.1, 0.2, 0.4, 0.8]
    assert pauses[8:] == [25.6, 30.0, 30.0, 30.0]


def test_a_child_that_lived_for_a_minute_starts_the_pauses_anew() -> None:
    """After a long life the next pause is the first one again."""
    tired = Restarts(in_a_row=9)

    assert tired.after(life_s=HEALTHY_S).pause_s == FIRST_S
    assert tired.after(life_s=HEALTHY_S - 1).pause_s > FIRST_S


def test_after_a_child_that_had_worked_the_pause_is_short() -> None:
    """A job killed it, and there may be more of that kind: the others need not wait for long."""
    tired = Restarts(in_a_row=9)

    assert tired.after(life_s=1.0, worked=True).pause_s == LONGEST_AFTER_WORK_S
    assert tired.after(life_s=1.0).pause_s > LONGEST_AFTER_WORK_S
    assert Restarts().after(life_s=1.0, worked=True).pause_s == FIRST_S


@given(st.lists(st.floats(min_value=0, max_value=100), max_size=200))
def test_the_pause_stays_within_its_bounds(lives: list[float]) -> None:
    """Whatever lives the children had."""
    restarts = Restarts()

    for life_s in lives:
        restarts = restarts.after(life_s)

    assert FIRST_S <= restarts.pause_s <= LONGEST_S


@pytest.mark.parametrize(
    ("end", "follows"),
    [
        (End(clean=False), "restart"),
        (End(clean=True), "restart"),
        (End(clean=True, wanted=True), "nothing"),
        (End(clean=False, wanted=True), "nothing"),
        (End(clean=True, burst=True), "nothing"),
        (End(clean=False, burst=True), "restart"),
        (End(clean=False, hopeless=True), "give up"),
        (End(clean=False, hopeless=True, burst=True), "give up"),
        (End(clean=False, hopeless=True, reload=True), "give up"),
        (End(clean=False, hopeless=True, reload=True, ever_worked=True), "await change"),
        (End(clean=False, hopeless=True, ever_worked=True), "restart"),
    ],
)
def test_what_follows_an_end(end: End, follows: Next) -> None:
    """A death is followed by a restart, a hopeless first start by the end of the parent."""
    assert decide(end) == follows

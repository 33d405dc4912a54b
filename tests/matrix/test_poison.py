"""Jobs that kill their worker are given up after three deaths, and nobody goes with them."""

import pytest

from tests.matrix.conftest import Check


def test_poison_that_kills_nobody_runs_once(check: Check) -> None:
    """Too much memory, an unreadable payload, an endless loop in a process of its own."""
    verdict = check("F8c")

    assert (len(verdict.poison), verdict.extra) == (3, 0)


def test_one_poison_is_given_up(check: Check) -> None:
    """After three deaths of its worker, with the reason; all else is done."""
    verdict = check("F8a")

    (why,) = verdict.poison.values()
    assert "its worker died 3 times" in why


@pytest.mark.slow
def test_deadly_poison_is_given_up_and_all_else_is_done(check: Check) -> None:
    """One job of each kind at once: exits, signals, a segfault, an endless recursion."""
    verdict = check("F8b")

    assert len(verdict.poison) == 6
    assert all("its worker died 3 times" in why for why in verdict.poison.values())

"""Workers that are killed, stopped or frozen: what they held runs again, and nothing else does."""

import pytest

from tests.matrix.conftest import Check


def test_without_a_fault_every_job_runs_once_and_in_order(check: Check) -> None:
    """The yardstick: no job starts twice, and none is overtaken by more than the slots."""
    verdict = check("F0")

    assert (verdict.jobs, verdict.extra) == (40, 0)


def test_what_a_killed_child_held_starts_again_within_half_a_second(check: Check) -> None:
    """The parent saw the death: the lease is half a minute. The jobs take back their place."""
    verdict = check("F1a")

    assert 1 <= verdict.extra <= 2


def test_the_jobs_of_an_only_child_are_back_in_line_within_half_a_second(check: Check) -> None:
    """They are the first that the next child gets, each at its place."""
    verdict = check("F1c")

    assert 1 <= verdict.extra <= 2


def test_what_a_killed_worker_held_starts_again_when_its_lease_has_ended(check: Check) -> None:
    """Nobody is left to tell of the death; another worker sees to it."""
    verdict = check("F1b")

    assert 1 <= verdict.extra <= 2


def test_a_worker_that_may_end_its_jobs_costs_no_start(check: Check) -> None:
    """SIGTERM and enough time: exit code 0, and every job ran once."""
    verdict = check("F2a")

    assert verdict.extra == 0


def test_what_a_stopped_worker_cannot_end_is_handed_back(check: Check) -> None:
    """SIGTERM and too little time: no attempt is spent, and the jobs keep their place."""
    verdict = check("F2b")

    assert 1 <= verdict.extra <= 2


@pytest.mark.parametrize("fault", ["F4a", "F4c"])
def test_what_a_zombie_says_counts_no_more(check: Check, fault: str) -> None:
    """With a parent or without, it goes on after others did its jobs: each has one accepted end."""
    verdict = check(fault)

    assert 1 <= verdict.extra <= 2


@pytest.mark.slow
def test_a_frozen_child_ends_nothing_any_more(check: Check) -> None:
    """Its parent kills it; its jobs run elsewhere."""
    verdict = check("F4b")

    assert 1 <= verdict.extra <= 2

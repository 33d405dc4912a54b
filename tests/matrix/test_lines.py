"""Trouble that comes again and again while the work goes on."""

import pytest

from tests.matrix.conftest import Check


@pytest.mark.parametrize("fault", ["F5", "F6"])
def test_what_comes_again_and_again_costs_no_start(check: Check, fault: str) -> None:
    """All connections cut, all scripts forgotten."""
    verdict = check(fault)

    assert (verdict.jobs, verdict.extra) == (40, 0)


def test_a_full_server_refuses_new_jobs_and_lets_the_others_end(check: Check) -> None:
    """Enqueueing raises and changes nothing; done again later, nothing is there twice."""
    verdict = check("F10")

    assert (verdict.jobs, verdict.extra) == (40, 0)

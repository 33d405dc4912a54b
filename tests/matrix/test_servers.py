"""Trouble with the server or the line to it: nothing is lost, and nothing starts twice."""

import pytest

from tests.matrix.conftest import Check


@pytest.mark.parametrize("fault", ["F3a", "F7", "F9a", "F9b"])
def test_a_server_that_goes_and_comes_costs_no_start(check: Check, fault: str) -> None:
    """Killed, restarted again and again, read-only for a while, waits broken off."""
    verdict = check(fault)

    assert (verdict.jobs, verdict.extra) == (40, 0)


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["F3b", "F11"])
def test_a_server_that_is_away_for_several_leases_costs_no_start(check: Check, fault: str) -> None:
    """Killed or frozen: as long as it is not there, no lease ends."""
    verdict = check(fault)

    assert (verdict.jobs, verdict.extra) == (40, 0)

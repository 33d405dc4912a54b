"""Processes for tests that kill them."""

from collections.abc import Iterator

import pytest

from tests.concurrency.crew import Crew


@pytest.fixture
def crew() -> Iterator[Crew]:
    """Processes; none of them outlives the test."""
    hired = Crew()
    yield hired
    hired.dismiss()

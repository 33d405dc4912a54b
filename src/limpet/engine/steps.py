"""Waiting that ends: small steps up to a limit."""

import time
from collections.abc import Iterator

STEP_S = 0.01


def steps(within_s: float) -> Iterator[None]:
    """Yield at once and then every few milliseconds, until the time is up."""
    end = time.monotonic() + within_s
    yield
    while time.monotonic() < end:
        time.sleep(STEP_S)
        yield

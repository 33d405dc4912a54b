"""Ending on SIGTERM as on Ctrl-C: with everything put away."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


def _stop(number: int, _: FrameType | None) -> None:
    raise SystemExit(128 + number)


@contextmanager
def ended_politely() -> Iterator[None]:
    """Turn SIGTERM into an exception for a block, so that its `with` blocks end."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)

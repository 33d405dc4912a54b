"""Waiting for conditions instead of sleeping."""

import threading
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
_never = threading.Event()


def wait_until(condition: Callable[[], T], within: float = 10.0, step: float = 0.01) -> T:
    """Ask again and again until the answer is truthy; fail after `within` seconds."""
    deadline = time.monotonic() + within
    while True:
        answer = condition()
        if answer:
            return answer
        if time.monotonic() > deadline:
            message = f"not true within {within} s; the last answer was {answer!r}"
            raise AssertionError(message)
        _never.wait(step)

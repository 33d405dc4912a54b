"""The app of the tests: tasks that hold, count, spin and freeze. Copied to where a worker starts."""

import os
import threading
import time
from collections import deque
from itertools import repeat
from pathlib import Path

from limpet import App

app = App()
HERE = Path(__file__).parent
_never = threading.Event()


def note(line: str) -> None:
    """Write down what happened, for the test to read."""
    with (HERE / "notes").open("a") as notes:
        notes.write(f"{line}\n")


@app.task(name="count")
def count(number: int) -> None:
    """Be done at once."""
    note(f"counted {number}")


@app.task(name="hold")
def hold(name: str) -> None:
    """Run until the test says so, and not longer than a minute."""
    note(f"holding {name} in {os.getpid()}")
    for _ in range(3000):
        if (HERE / name).exists():
            break
        _never.wait(0.02)
    note(f"let go of {name}")


@app.task(name="spin")
def spin(seconds: float) -> None:
    """Use the processor in C code that never lets go of the interpreter."""
    began = time.monotonic()
    deque(repeat(None, 10_000_000), maxlen=0)
    rate = 10_000_000 / (time.monotonic() - began)
    note(f"spinning in {os.getpid()}")
    began = time.monotonic()
    deque(repeat(None, int(rate * seconds)), maxlen=0)
    note(f"spun for {time.monotonic() - began:.2f} in {os.getpid()}")


@app.task(name="spin_in_time", timeout="1s")
def spin_in_time(seconds: float) -> None:
    """As above, with a time in which it must end."""
    spin(seconds)

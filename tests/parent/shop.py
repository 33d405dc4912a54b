"""The app of the tests: tasks that count, hold and spin. Copied to where a worker starts."""

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


with (HERE / "imports").open("a") as imports:
    imports.write(f"{os.getpid()}\n")


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


def spin_once(turns: int) -> float:
    """Use the processor in C code that never lets go of the interpreter; answers how long."""
    began = time.monotonic()
    deque(repeat(None, turns), maxlen=0)
    return time.monotonic() - began


def spin_for(seconds: float) -> float:
    """Spin for about so long; on a busy machine the fastest try tells how many turns that are."""
    turn_s = min(spin_once(100_000) for _ in range(10)) / 100_000
    return spin_once(int(seconds / turn_s))


@app.task(name="spin")
def spin(seconds: float) -> None:
    """Hold the interpreter from the first moment on."""
    note(f"spun for {spin_for(seconds):.2f} in {os.getpid()}")


@app.task(name="spin_in_time", timeout="1s")
def spin_in_time(seconds: float) -> None:
    """As above, with a time in which it must end."""
    spin_for(seconds)


@app.task(name="leave")
def leave(code: int) -> None:
    """End the process in the middle of a job."""
    note("left")
    os._exit(code)


@app.task(name="block")
async def block(name: str) -> None:
    """Hold, and let nothing else on the loop run meanwhile."""
    hold(name)


@app.task(name="spin_apart", runs_in="process")
def spin_apart(seconds: float) -> None:
    """As above, in a process of its own."""
    note(f"spinning in {os.getpid()}")
    spin_for(seconds)


@app.task(name="spin_on_the_loop", timeout="1s")
async def spin_on_the_loop(seconds: float) -> None:
    """As above, where the other tasks of the loop run."""
    spin_for(seconds)

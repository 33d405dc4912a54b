"""The app of the matrix: jobs that bear witness, and poison. Workers are given `…tasks:app`."""

import asyncio
import contextlib
import ctypes
import os
import resource
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from itertools import repeat
from pathlib import Path

from limpet import App, Job
from tests.matrix.witness import Sighting, note

#: How long a producer tries to enqueue; workers have the usual time.
PATIENCE = "LIMPET_MATRIX_PATIENCE"

app = App(timeout=float(os.environ.get(PATIENCE, "10")))
_never = threading.Event()


@contextlib.contextmanager
def seen(job: Job, n: int) -> Iterator[None]:
    """Note the start of a body, and its end if it got there."""
    note(Sighting("start", job=job.id, n=n, fence=job.fence))
    yield
    note(Sighting("end", job=job.id, n=n, fence=job.fence))


@app.task(name="nap")
def nap(job: Job, n: int, ms: int) -> None:
    """Take a while in a thread."""
    with seen(job, n):
        _never.wait(ms / 1000)


@app.task(name="doze")
async def doze(job: Job, n: int, ms: int) -> None:
    """Take a while on the loop."""
    with seen(job, n):
        await asyncio.sleep(ms / 1000)


@app.task(name="keep", result_ttl="10m")
def keep(job: Job, n: int, ms: int) -> int:
    """Take a while in a thread; the result says which delivery was accepted."""
    with seen(job, n):
        _never.wait(ms / 1000)
    return job.fence


@app.task(name="keep_async", result_ttl="10m")
async def keep_async(job: Job, n: int, ms: int) -> int:
    """Take a while on the loop; the result says which delivery was accepted."""
    with seen(job, n):
        await asyncio.sleep(ms / 1000)
    return job.fence


#: What ordinary jobs are made of.
ORDINARY = (nap, doze, keep, keep_async)


# -- poison ---------------------------------------------------------------------------------


def _overflow() -> None:
    """Call oneself through C code until the stack ends."""
    sys.setrecursionlimit(10**9)

    class Endless:
        def __repr__(self) -> str:
            return repr([self])

    repr(Endless())


def _bomb() -> None:
    """Want more and more memory, up to a limit a little above what is used already."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + (256 << 20), before[1]))
    try:
        pile = [bytes(1 << 20) for _ in range(1024)]
        raise MemoryError(f"{len(pile)} MiB and no limit")
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def _spin() -> None:
    """Stay in C code that never lets go of the interpreter."""
    deque(repeat(None), maxlen=0)


#: The ways to die that take the process along, and those that do not.
DEADLY: dict[str, Callable[[], object]] = {
    "exit": lambda: os._exit(3),
    "clean exit": lambda: os._exit(0),
    "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "segfault": lambda: ctypes.string_at(0),
    "abort": os.abort,
    "overflow": _overflow,
}


@app.task(name="poison")
def poison(job: Job, n: int, kind: str) -> None:
    """Take the process along."""
    note(Sighting("start", job=job.id, n=n, fence=job.fence))
    note(Sighting("strike", text=kind))
    DEADLY[kind]()


@app.task(name="poison_async")
async def poison_async(job: Job, n: int, kind: str) -> None:
    """Take the process along, from the loop."""
    note(Sighting("start", job=job.id, n=n, fence=job.fence))
    note(Sighting("strike", text=kind))
    DEADLY[kind]()


@app.task(name="poison_bomb")
def poison_bomb(job: Job, n: int) -> None:
    """Use up the memory it may have."""
    note(Sighting("start", job=job.id, n=n, fence=job.fence))
    _bomb()


@app.task(name="poison_spin", timeout="1s")
def poison_spin(job: Job, n: int) -> None:
    """Hold the interpreter for ever: nobody in this process can do anything about it."""
    note(Sighting("start", job=job.id, n=n, fence=job.fence))
    note(Sighting("strike", text="spin"))
    _spin()


@app.task(name="poison_spin_apart", timeout="500ms", runs_in="process")
def poison_spin_apart(job: Job, n: int) -> None:
    """Hold the interpreter for ever, in a process of its own."""
    note(Sighting("start", job=job.id, n=n, fence=job.fence))
    _spin()

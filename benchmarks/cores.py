"""Which process runs on which core, and whether the machine is quiet enough to be believed."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

#: A sample taken while the machine was slower by more than this is taken again.
TOLERANCE = 0.25
_SPINS = 20_000


def cores() -> tuple[int, int]:
    """Name the core of the server and the core of its clients."""
    mine = sorted(os.sched_getaffinity(0))
    return mine[0], mine[1 % len(mine)]


SERVER_CORE, CLIENT_CORE = cores()


def pin(pid: int, core: int | None) -> None:
    """Keep a process on one core; None lets it float over all."""
    os.sched_setaffinity(pid, {core} if core is not None else {SERVER_CORE, CLIENT_CORE})


@contextmanager
def on_core(core: int) -> Iterator[None]:
    """Run this process on one core for a while."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def spin() -> float:
    """Time a fixed piece of work on both cores: the slower one, each the best of three."""
    found = []
    for core in {SERVER_CORE, CLIENT_CORE}:
        with on_core(core):
            found.append(min(_once() for _ in range(3)))
    return max(found)


def _once() -> float:
    started, total = time.perf_counter(), 0
    for number in range(_SPINS):
        total += number & 7
    return time.perf_counter() - started


class Quiet:
    """Compares the machine with how fast it was when the run began."""

    def __init__(self) -> None:
        """Take the reference."""
        self.reference = min(spin() for _ in range(8))

    def deviation(self) -> float:
        """How much slower the machine is now: 0.1 is 10 %; a faster one sets the mark."""
        now = spin()
        self.reference = min(self.reference, now)
        return now / self.reference - 1

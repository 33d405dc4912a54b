"""What jobs write down: how often each one ran, and when. In memory that processes share.

Each job marks its own number and takes a time stamp: no traffic, no lock, about 0.3 microseconds,
and the same for every queue. So "each ran exactly once" is known, not believed. The clock is the
same in all processes. Only the standard library, for this is imported in every peer's environment.
"""

import mmap
import os
from pathlib import Path

#: The most jobs on one board.
CAPACITY = 1 << 20
#: Jobs from this number on run until the last place on the board is marked.
HOLD = CAPACITY - 1024
LET_GO = CAPACITY - 1
_BYTES = 17 * CAPACITY


class Board:
    """A file mapped into memory: a count, a time of sending and a time of running per job."""

    def __init__(self, path: str | Path) -> None:
        """Map the file, made by `create`."""
        with Path(path).open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), _BYTES)
        whole = memoryview(self._map)
        self.ran = whole[: 8 * CAPACITY].cast("d")
        self.sent = whole[8 * CAPACITY : 16 * CAPACITY].cast("d")
        self.counts = whole[16 * CAPACITY :]

    @staticmethod
    def create(path: Path) -> "Board":
        """Make an empty one."""
        with path.open("wb") as file:
            file.truncate(_BYTES)
        return Board(path)

    def clear(self, size: int) -> None:
        """Forget all about the first jobs."""
        self.counts[:size] = bytes(size)
        for part in (self.ran, self.sent):
            part.cast("B")[: 8 * size] = bytes(8 * size)

    def finished(self, first: int, size: int) -> int:
        """Count the jobs of a range that ran."""
        return size - bytes(self.counts[first : first + size]).count(0)

    def wrong(self, first: int, size: int) -> int:
        """Count the jobs of a range that did not run exactly once."""
        return size - bytes(self.counts[first : first + size]).count(1)


def from_environment() -> Board:
    """Open the board of the run that started this process."""
    return Board(os.environ["BENCH_BOARD"])

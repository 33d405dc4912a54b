"""The run itself: one server, one board, one book; samples are taken again in a noisy moment."""

import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.board import Board
from benchmarks.book import Book
from benchmarks.catalogue import Peer
from benchmarks.cores import TOLERANCE, Quiet
from benchmarks.places import python_of, versions_of
from benchmarks.plan import Plan
from benchmarks.seat import Seat
from benchmarks.server import Server

AGAIN = 2
#: Measure, subject, values: what a sample found.
Found = list[tuple[str, str, list[float | None]]]


class Table:
    """What all stages of a run share."""

    def __init__(self, plan: Plan, say: Callable[[str], None] = print) -> None:
        """Start the server and look how fast the machine is."""
        self.plan, self.book, self._say = plan, Book(), say
        self.server, self.quiet = Server(), Quiet()
        self.folder = Path(tempfile.mkdtemp(prefix="limpet-board-", dir=_memory()))
        self.path = self.folder / "board"
        self.board = Board.create(self.path)
        self.started = time.monotonic()

    def seat(self, peer: Peer) -> Seat:
        """Seat a peer; its environment is made if need be."""
        return Seat(peer, python_of(peer), self.server, self.path)

    def meet(self, peer: Peer) -> None:
        """Make the environment of a peer and note its versions."""
        found = versions_of(peer, python_of(peer))
        self.book.facts.setdefault("versions", {})[peer.name] = found

    def sample(self, name: str, take: Callable[[], Found], again: int = AGAIN) -> None:
        """Take a sample; again, at most twice, if the machine was slow before or after it."""
        found, noise = self._attempt(take)
        for _ in range(again):
            if noise > TOLERANCE:
                self.book.repeated += 1
                found, noise = self._attempt(take)
        mark = f", noise {noise:.0%}" if again and noise > TOLERANCE else ""
        if mark:
            self.book.noisy.append(name)
        for measure, subject, values in found:
            self.book.note(measure, subject, *values)
        self.say(f"{name}{mark}")

    def _attempt(self, take: Callable[[], Found]) -> tuple[Found, float]:
        before = self.quiet.deviation()
        found = take()
        return found, max(before, self.quiet.deviation())

    def say(self, line: str) -> None:
        """Tell how far the run is."""
        self._say(f"[{time.monotonic() - self.started:5.0f} s] {line}")

    def close(self) -> None:
        """Stop the server and delete the board."""
        self.server.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


def _memory() -> str | None:
    """Name a folder that is in memory, if there is one."""
    return "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108 - mkdtemp makes it ours

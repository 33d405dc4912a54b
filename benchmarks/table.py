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
from benchmarks.seat import Seat, Trouble
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
        self._patience = plan.patience_s
        #: Samples taken, and those to be taken in all; 0 if nobody counted them.
        self.taken, self.expected = 0, 0

    def seat(self, peer: Peer) -> Seat:
        """Seat a peer; its environment is made if need be."""
        return Seat(peer, python_of(peer), self.server, self.path)

    def meet(self, peer: Peer) -> None:
        """Make the environment of a peer and note its versions."""
        found = versions_of(peer, python_of(peer))
        self.book.facts.setdefault("versions", {})[peer.name] = found

    def sample(self, name: str, take: Callable[[], Found], again: int = AGAIN) -> None:
        """Take a sample; again, at most twice, if the machine was slow before or after it.

        The quietest one is kept. Patience is limited: on a machine that is always busy, taking
        everything three times would make nothing better.
        """
        found, noise = self._attempt(take)
        for _ in range(again):
            if noise > TOLERANCE and self._patience > 0:
                self.book.repeated += 1
                began = time.monotonic()
                found, noise = min((found, noise), self._attempt(take), key=lambda pair: pair[1])
                self._patience -= time.monotonic() - began
        mark = f", noise {noise:.0%}" if again and noise > TOLERANCE else ""
        if mark:
            self.book.noisy.append(name)
        for measure, subject, values in found:
            self.book.note(measure, subject, *values)
        self.taken += 1
        self.say(f"{name}{mark}")

    def guarded(self, who: str, name: str, take: Callable[[], Found], again: int = AGAIN) -> None:
        """Take a sample; if it fails, the book says why, and the run goes on without `who`."""
        try:
            self.sample(name, take, again)
        except Trouble as error:
            self.book.trouble[who] = str(error)
            self.say(f"{name}: {error}")

    def _attempt(self, take: Callable[[], Found]) -> tuple[Found, float]:
        before = self.quiet.deviation()
        found = take()
        return found, max(before, self.quiet.deviation())

    def say(self, line: str) -> None:
        """Tell how far the run is."""
        share = f"{min(self.taken / self.expected, 1):4.0%} " if self.expected else ""
        self._say(f"[{share}{time.monotonic() - self.started:4.0f} s] {line}")

    def close(self) -> None:
        """Stop the server and delete the board."""
        self.server.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


def _memory() -> str | None:
    """Name a folder that is in memory, if there is one."""
    return "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108 - mkdtemp makes it ours

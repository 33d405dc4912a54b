"""Who sends: lanes give every request a sender and a number, so that the server knows it again."""

import os
import secrets
from dataclasses import dataclass, field


@dataclass(slots=True)
class Lane:
    """One sender; it has at most one request under way."""

    name: str
    seq: int = 0


@dataclass(slots=True)
class Lanes:
    """As many lanes as requests are under way at once. A forked child gets lanes of its own."""

    _free: list[Lane] = field(default_factory=list)
    _made: int = 0
    _pid: int = field(default_factory=os.getpid)
    _stem: str = field(default_factory=lambda: secrets.token_hex(6))

    def take(self) -> Lane:
        """Borrow a lane with the number of the next request."""
        if os.getpid() != self._pid:
            self._free, self._pid, self._stem = [], os.getpid(), secrets.token_hex(6)
        try:
            lane = self._free.pop()
        except IndexError:
            self._made += 1
            lane = Lane(f"{self._stem}.{self._made}")
        lane.seq += 1
        return lane

    def give(self, lane: Lane) -> None:
        """Hand a lane back; its request is settled."""
        if lane.name.startswith(self._stem):
            self._free.append(lane)


def backoff_s(attempt: int) -> float:
    """Seconds before the next attempt: doubling from 20 ms to 500 ms, with jitter."""
    jitter = 0.5 + secrets.randbelow(1000) / 2000
    return float(min(0.02 * 2**attempt, 0.5)) * jitter


@dataclass(slots=True)
class Unsettled:
    """Hand-outs whose reply never came: the server may think we hold jobs we know nothing of.

    Their lanes stay out of use until the hand-out was given up. Shared between threads: list
    operations are single steps.
    """

    _lost: list[tuple[str, Lane]] = field(default_factory=list)

    def add(self, queue: str, lane: Lane) -> None:
        """Note a hand-out that must be given up."""
        self._lost.append((queue, lane))

    def take(self) -> tuple[str, Lane] | None:
        """Get one to give up; None if all is settled."""
        try:
            return self._lost.pop()
        except IndexError:
            return None

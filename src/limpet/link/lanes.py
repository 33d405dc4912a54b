"""Who sends: lanes give every request a sender and a number, so that the server knows it again."""

import itertools
import os
import secrets
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from limpet.commands.base import Command
from limpet.errors import BackendError, WorkerLost
from limpet.values import Delivery

#: Scripts that hand jobs out: if their reply is lost, somebody must give the jobs back.
HANDS_OUT = frozenset({"pop", "ack_and_pop", "claim", "recover", "resume"})


@dataclass(slots=True)
class Lane:
    """One sender; it has at most one request under way."""

    name: str
    seq: int = 0


@dataclass(slots=True)
class Lanes:
    """As many lanes as requests are under way at once. A forked child gets lanes of its own.

    Shared between threads: list operations and the counter are single steps.
    """

    _free: list[Lane] = field(default_factory=list)
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    _pid: int = field(default_factory=os.getpid)
    _stem: str = field(default_factory=lambda: secrets.token_hex(6))

    def take(self) -> Lane:
        """Borrow a lane with the number of the next request."""
        if os.getpid() != self._pid:
            self._free, self._pid, self._stem = [], os.getpid(), secrets.token_hex(6)
        try:
            lane = self._free.pop()
        except IndexError:
            lane = Lane(f"{self._stem}.{next(self._numbers)}")
        lane.seq += 1
        return lane

    def give(self, lane: Lane) -> None:
        """Hand a lane back; its request is settled."""
        if lane.name.startswith(self._stem):
            self._free.append(lane)


class Request:
    """A block in which one numbered request is sent; jobs that nobody got by it are given back."""

    __slots__ = ("_command", "_lane", "_lanes", "_unsettled")

    def __init__(self, command: Command[Any], lanes: Lanes, unsettled: "Unsettled") -> None:
        """Borrow a lane for it."""
        self._command, self._lanes, self._unsettled = command, lanes, unsettled
        self._lane = lanes.take()

    def __enter__(self) -> Lane:
        """Give the sender and the number of the request."""
        return self._lane

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        """Hand the lane back, unless the server may have handed out jobs that nobody heard of."""
        settled = error is None or isinstance(error, WorkerLost)
        if isinstance(error, BackendError):
            settled = not error.maybe_done
        if settled or self._command.script.name not in HANDS_OUT:
            self._lanes.give(self._lane)
        else:
            self._unsettled.add(self._command.queue, self._lane)


def backoff_s(attempt: int) -> float:
    """Seconds before the next attempt: doubling from 20 ms to 500 ms, with jitter."""
    jitter = 0.5 + secrets.randbelow(1000) / 2000
    return float(min(0.02 * 2**attempt, 0.5)) * jitter


@dataclass(eq=False, slots=True)
class Loss:
    """Jobs of one queue that the server gave us and that nobody got.

    Either the answer never came (`lane` is the sender of the request: it stays out of use until
    the hand-out was given up), or it came and its reader was gone by then (`deliveries`).
    """

    queue: str
    lane: Lane | None = None
    deliveries: tuple[Delivery, ...] = ()


@dataclass(slots=True)
class Unsettled:
    """All losses that are not given back yet. A forked child has none: they are its parent's.

    Shared between threads: list operations are single steps.
    """

    _losses: list[Loss] = field(default_factory=list)
    _waker: threading.Event | None = None
    _pid: int = field(default_factory=os.getpid)

    def report_to(self, waker: threading.Event) -> None:
        """Set this event when there is something to settle."""
        self._own()
        self._waker = waker

    def add(self, queue: str, lane: Lane) -> None:
        """Note a hand-out whose reply never came."""
        self.keep(Loss(queue, lane))
        self.call()

    def strand(self, deliveries: Iterable[Delivery]) -> None:
        """Note deliveries whose reader is gone."""
        found = tuple(deliveries)
        for queue in dict.fromkeys(d.queue for d in found):
            self.keep(Loss(queue, None, tuple(d for d in found if d.queue == queue)))
            self.call()

    def keep(self, loss: Loss) -> None:
        """Keep a loss for the next time."""
        self._own()
        self._losses.append(loss)

    def take(self) -> Loss | None:
        """Get one to give back; None if all is settled."""
        self._own()
        try:
            return self._losses.pop()
        except IndexError:
            return None

    def call(self) -> None:
        """Wake whoever settles."""
        if self._waker is not None:
            self._waker.set()

    def _own(self) -> None:
        if os.getpid() != self._pid:
            self._losses, self._pid, self._waker = [], os.getpid(), None

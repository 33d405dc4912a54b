"""limpet and bare lists side by side: each sample of the one directly beside one of the other.

A ratio of figures taken minutes apart says more about the machine than about limpet. So the two
take turns in one sample, and every second time in the opposite order.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TypeVar

from benchmarks.catalogue import BARE, LIMPET
from benchmarks.seat import Seat, Trouble
from benchmarks.stats import percentile
from benchmarks.table import Found, Table

T = TypeVar("T")
#: Which seat (0: limpet), in which way, for which measure, and how many jobs for one by one.
_STEPS = (
    (0, "enqueue", "enqueue one", 1),
    (1, "enqueue", "enqueue one", 1),
    (0, "bulk", "enqueue bulk", 10),
    (1, "bulk", "enqueue bulk", 20),
    (1, "bulk_made", "enqueue bulk, made", 10),
)
_KIND = "async"
_WARM = 20
#: How long a worker is idle before it gets a single job.
GAP_S = 0.006
#: The parts of the waiting times that bars are about.
PARTS = {"p50": 0.5, "p99": 0.99}


def run(table: Table, number: int) -> None:
    """Take the samples of one round."""
    name = f"round {number + 1}: limpet beside bare lists"
    table.guarded(BARE.name, f"{name}, enqueue", lambda: enqueue(table, number))
    for kind in LIMPET.kinds:
        table.guarded(BARE.name, f"{name}, {kind} latency", partial(latency, table, kind, number))


def turned(steps: Sequence[T], turn: int) -> Sequence[T]:
    """Give the steps in their order, or every second time in the opposite one."""
    return steps if turn % 2 == 0 else steps[::-1]


@contextmanager
def _seats(table: Table) -> Iterator[tuple[Seat, Seat]]:
    """Seat both on an empty server."""
    table.server.flush()
    both = table.seat(LIMPET), table.seat(BARE)
    try:
        yield both
    finally:
        for seat in both:
            seat.close()


def enqueue(table: Table, number: int) -> Found:
    """Enqueue one by one and in bulk, in turns; nobody works meanwhile."""
    found: Found = []
    with _seats(table) as seats:
        for who, way, _, _ in _STEPS:
            seats[who].enqueue(way, _KIND, 0, _WARM)
        for pair in range(table.plan.pairs):
            for who, way, measure, times in turned(_STEPS, number + pair):
                rate = seats[who].enqueue(way, _KIND, 0, table.plan.enqueue * times)
                found.append((measure, seats[who].peer.name, [rate]))
    return found


def latency(table: Table, kind: str, number: int) -> Found:
    """Hand single jobs to an idle worker, one worker after the other."""
    found: Found = []
    with _seats(table) as seats:
        for seat in turned(seats, number):
            waits = _waits(table, seat, kind)
            found.append((f"latency {kind}", seat.peer.name, list(waits)))
            found += [
                (f"latency {kind} {name}", seat.peer.name, [percentile(waits, part)])
                for name, part in PARTS.items()
            ]
    return found


def _waits(table: Table, seat: Seat, kind: str) -> list[float]:
    """Start a worker, wait until it works, hand it jobs; answers the milliseconds of each."""
    board, count = table.board, 2 * table.plan.latencies
    table.server.flush()
    board.clear(_WARM + count)
    worker = seat.start_worker(kind)
    try:
        seat.enqueue("enqueue", kind, 0, _WARM)
        seat.drain(worker, time.monotonic(), _WARM)
        seat.tell("pace", kind=kind, first=_WARM, count=count, gap_s=GAP_S)
    finally:
        seat.end(worker)
    if wrong := board.wrong(0, _WARM + count):
        raise Trouble(f"{wrong} of {_WARM + count} {kind} jobs did not run exactly once")
    return [1000 * (board.ran[n] - board.sent[n]) for n in range(_WARM, _WARM + count)]

"""What all adapters share: the address, the board, waiting for the signal to stop."""

import asyncio
import os
import signal
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from benchmarks.board import HOLD, LET_GO, from_environment

URL = os.environ["BENCH_URL"]
PORT = int(os.environ["BENCH_PORT"])
#: How many jobs a worker may run at the same time, where a queue can choose.
SLOTS = 100
SIZE_OF_CALL = 1000
_board = from_environment()


def mark(number: int) -> None:
    """Do what a no-op job does: write down that it ran, and when."""
    _board.counts[number] += 1
    _board.ran[number] = time.monotonic()
    if number >= HOLD:
        while not _board.counts[LET_GO]:
            time.sleep(0.02)


async def amark(number: int) -> None:
    """Do the same as an async job."""
    _board.counts[number] += 1
    _board.ran[number] = time.monotonic()
    if number >= HOLD:
        while not _board.counts[LET_GO]:  # noqa: ASYNC110 - set by another process
            await asyncio.sleep(0.02)


def calls_of(numbers: range, size: int = SIZE_OF_CALL) -> Iterable[range]:
    """Cut numbers into calls."""
    return (numbers[at : at + size] for at in range(0, len(numbers), size))


async def hundred(one: Callable[[int], Awaitable[Any]], numbers: range) -> None:
    """Enqueue with 100 tasks side by side, each of them one job after the other."""

    async def some(mine: range) -> None:
        for number in mine:
            await one(number)

    await asyncio.gather(*(some(numbers[lane::SLOTS]) for lane in range(SLOTS)))


def when_told(stop: Callable[[], Any]) -> None:
    """Call this at SIGTERM, in the main thread."""
    signal.signal(signal.SIGTERM, lambda *_: stop())


def wait_for_signal() -> None:
    """Block the main thread until SIGTERM."""
    told = threading.Event()
    when_told(told.set)
    told.wait()


async def signalled() -> None:
    """Wait for SIGTERM on the loop."""
    told = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, told.set)
    await told.wait()


def leave() -> None:
    """End at once: what a peer does after its worker stopped is not measured."""
    sys.stdout.flush()
    os._exit(0)

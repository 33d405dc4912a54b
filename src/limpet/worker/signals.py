"""Signals of a worker: stop, stop now, say what you are doing."""

import logging
import os
import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any, Self

log = logging.getLogger("limpet.worker")
STOPPING = (signal.SIGTERM, signal.SIGINT)
ASKING = (signal.SIGUSR1, signal.SIGTTIN)


class Signals:
    """A block in which signals are handled, if it is in the main thread.

    Handlers run between two steps of the main thread's Python code, so they are heard also while
    a job blocks the loop.
    """

    def __init__(self, stop: Callable[[], None], dump: Callable[[], None]) -> None:
        """Call these."""
        self._stop, self._dump = stop, dump
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        """Handle signals."""
        if threading.current_thread() is threading.main_thread():
            for number in STOPPING:
                self._before[number] = signal.signal(number, self._stopping)
            for number in ASKING:
                self._before[number] = signal.signal(number, self._asking)
        return self

    def __exit__(self, *_: object) -> None:
        """Leave them to whoever had them before."""
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _stopping(self, _number: int, _frame: FrameType | None) -> None:
        self._stop()

    def _asking(self, _number: int, _frame: FrameType | None) -> None:
        # Not here: the interrupted code may be in the middle of writing a log line itself.
        threading.Thread(target=self._dump, daemon=True, name="limpet-dump").start()


class LastResort:
    """Ends the process if the worker cannot: a job blocks the loop, or will not end.

    What the worker holds is given back first, from a thread of its own.
    """

    def __init__(self, give_back: Callable[[], None]) -> None:
        """Nothing happens before `arm`."""
        self._give_back = give_back
        self._over = threading.Event()

    def arm(self, seconds: float) -> None:
        """End the process after so long, unless the worker ended before."""
        threading.Thread(target=self._wait, args=(seconds,), daemon=True).start()

    def disarm(self) -> None:
        """The worker ended by itself."""
        self._over.set()

    def _wait(self, seconds: float) -> None:
        if self._over.wait(seconds):
            return
        log.error("limpet: a job keeps the worker from ending; giving its jobs back and exiting")
        self._give_back()
        logging.shutdown()
        sys.stdout.flush()
        os._exit(0)

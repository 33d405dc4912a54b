"""Signals of a worker: stop, stop now, say what you are doing."""

import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable
from typing import Any, Protocol, Self

log = logging.getLogger("limpet.worker")
STOPPING = (signal.SIGTERM, signal.SIGINT)
ASKING = (signal.SIGUSR1, signal.SIGTTIN)


class Stop(Protocol):
    """Stops a worker."""

    def __call__(self, *, now: bool) -> None:
        """Stop it, now or when its jobs ended."""


class Signals:
    """A block in which signals are handled, if it is in the main thread.

    A thread of its own hears of them, whatever the main thread is doing: a job may block it in a
    call that no handler of Python interrupts.
    """

    def __init__(self, stop: Stop, dump: Callable[[], None]) -> None:
        """Call these; the second signal to stop means now."""
        self._stop, self._dump = stop, dump
        self._before: dict[int, Any] = {}
        self._ear, self._bell = socket.socketpair()
        self._wakeup_before = -1

    def __enter__(self) -> Self:
        """Handle signals."""
        if threading.current_thread() is threading.main_thread():
            self._bell.setblocking(False)
            threading.Thread(target=self._listen, daemon=True, name="limpet-signals").start()
            self._wakeup_before = signal.set_wakeup_fd(
                self._bell.fileno(), warn_on_full_buffer=False
            )
            for number in (*STOPPING, *ASKING):
                # Where there is a handler, the number is written to the bell at once.
                self._before[number] = signal.signal(number, lambda *_: None)
        return self

    def __exit__(self, *_: object) -> None:
        """Leave them to whoever had them before."""
        if self._before:
            for number, handler in self._before.items():
                signal.signal(number, handler)
            signal.set_wakeup_fd(self._wakeup_before)
        self._bell.close()

    def _listen(self) -> None:
        """Act on signals until the block ends and closes the line."""
        stops = 0
        with self._ear as ear:
            while numbers := ear.recv(64):
                for number in numbers:
                    if number in STOPPING:
                        self._stop(now=stops > 0)
                        stops += 1
                    elif number in ASKING:
                        self._dump()


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

"""Signals as things to read: noted when they come, handled when the parent looks."""

import signal
import socket
from collections import deque
from types import FrameType
from typing import Any, Self

STOPPING = frozenset({signal.SIGTERM, signal.SIGINT})
ASKING = frozenset({signal.SIGUSR1, signal.SIGTTIN})
_HEARD = (*STOPPING, *ASKING, signal.SIGHUP, signal.SIGCHLD)


class Signals:
    """A block in which signals are kept for reading; `wake` becomes readable when one came."""

    def __init__(self) -> None:
        """Prepare; nothing is heard before the block is entered."""
        self.wake, self._waker = socket.socketpair()
        self._came: deque[int] = deque()
        self._before: dict[int, Any] = {}
        self._wakeup_before = -1

    def take(self) -> list[int]:
        """Take the signals that came since the last look, in their order."""
        try:
            while self.wake.recv(4096):
                pass
        except BlockingIOError:
            pass
        return [self._came.popleft() for _ in range(len(self._came))]

    def _note(self, number: int, _: FrameType | None) -> None:
        self._came.append(number)

    def __enter__(self) -> Self:
        """Hear signals. Those that somebody chose to ignore (nohup) stay ignored."""
        for end in (self.wake, self._waker):
            end.setblocking(False)
        self._wakeup_before = signal.set_wakeup_fd(self._waker.fileno(), warn_on_full_buffer=False)
        for number in _HEARD:
            if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        """Leave signals to whoever had them before."""
        signal.set_wakeup_fd(self._wakeup_before)
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self.wake.close()
        self._waker.close()

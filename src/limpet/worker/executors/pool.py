"""Threads that share one line of jobs."""

import asyncio
import queue
import threading
import time
from collections import deque
from collections.abc import Callable

from limpet.worker.slots import Running

#: A thread that took no job for this long is held up by the one it has.
PATIENCE_S = 0.0005
LOOK_S = 0.001


class Pool:
    """Daemon threads: one that hangs cannot keep the process alive.

    As few are woken as the work needs. A thread that is awake goes on with the next job by
    itself, which costs nothing; only if none has come for one lately, because their jobs hold
    them up, others are woken: one, then two, then four.
    """

    def __init__(self, perform: Callable[[Running], None], name: str) -> None:
        """Threads are started when they are needed."""
        self._perform, self._name = perform, name
        self._loop = asyncio.get_running_loop()
        self._line: deque[Running] = deque()
        self._calls: queue.SimpleQueue[bool] = queue.SimpleQueue()
        #: Numbers of the threads that are performing a job or looking for one.
        self._awake: set[int] = set()
        self._threads = 0
        self._taken_at = 0.0
        self._looking, self._burst = False, 1

    @property
    def has_work(self) -> bool:
        """Whether jobs wait for a thread."""
        return bool(self._line)

    def add(self, running: Running) -> None:
        """Have a job performed; called on the loop."""
        self._line.append(running)
        nobody = not self._awake and self._calls.empty()
        if nobody or (not self._looking and self._are_held_up()):
            self._wake()
        if not self._looking:
            self._looking = True
            self._loop.call_later(LOOK_S, self._look)

    def _are_held_up(self) -> bool:
        return time.monotonic() - self._taken_at > PATIENCE_S

    def close(self) -> None:
        """Let idle threads end; busy ones end after their job, or with the process."""
        for _ in range(self._threads):
            self._calls.put(False)

    def _look(self) -> None:
        """See whether jobs wait although nobody comes for them."""
        if not self._line:
            self._looking, self._burst = False, 1
            return
        if self._are_held_up():
            for _ in range(min(self._burst, len(self._line))):
                self._wake()
            self._burst *= 2
        else:
            self._burst = 1
        self._loop.call_later(LOOK_S, self._look)

    def _wake(self) -> None:
        self._taken_at = time.monotonic()
        if len(self._awake) < self._threads:
            self._calls.put(True)
            return
        self._threads += 1
        number = self._threads
        self._awake.add(number)
        name = f"{self._name}-{number}"
        threading.Thread(target=self._run, args=(number,), daemon=True, name=name).start()

    def _run(self, number: int) -> None:
        while True:
            try:
                running = self._line.popleft()
            except IndexError:
                if not self._rest(number):
                    return
            else:
                self._taken_at = time.monotonic()
                self._perform(running)

    def _rest(self, number: int) -> bool:
        """Wait to be woken; answers False at the end."""
        self._awake.discard(number)
        # Looked at once more: a job may have come before it was known that this thread rests.
        if not self._line and not self._calls.get():
            return False
        self._awake.add(number)
        return True

"""Notices when the loop stands still, and says where: a thread that user code cannot starve."""

import asyncio
import logging
import threading
import time
from collections.abc import Callable

from limpet.worker.stacks import thread_lines

log = logging.getLogger("limpet.worker")
#: The loop is seen to stand still after this time.
LIMIT_S = 1.0
LOOK_S = 0.25


class StallWatch:
    """Reports each stall of one loop once, with the stack of its thread."""

    def __init__(self, culprit: Callable[["asyncio.Task[None] | None"], str]) -> None:
        """Watch the loop of this thread; `culprit` names the job of an asyncio task."""
        self._loop, self._ident = asyncio.get_running_loop(), threading.get_ident()
        self._culprit = culprit
        self._ticked = self._looked = time.monotonic()
        self._stalled_since: float | None = None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True, name="limpet-stall")

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def stop(self) -> None:
        """Watch no longer."""
        self._over.set()

    def tick(self) -> None:
        """Show that the loop runs; called there, several times in the limit."""
        self._ticked = time.monotonic()

    def _run(self) -> None:
        while not self._over.wait(LOOK_S):
            self.look(time.monotonic())

    def look(self, now: float) -> None:
        """Compare the clocks; if this thread slept too, the whole process did."""
        awake = now - self._looked < LIMIT_S
        self._looked = now
        if now - self._ticked > LIMIT_S:
            if self._stalled_since is None and awake:
                self._stalled_since = self._ticked
                self._report(now - self._ticked)
        elif self._stalled_since is not None:
            log.warning("limpet: the loop goes on after %.1f s", self._ticked - self._stalled_since)
            self._stalled_since = None

    def _report(self, quiet_s: float) -> None:
        task = asyncio.current_task(self._loop)
        log.warning(
            "limpet: the loop stands still for %.1f s, and all async jobs with it: %s; use a plain"
            " def, or await\n  %s",
            quiet_s,
            self._culprit(task),
            "\n  ".join(thread_lines(self._ident)),
        )

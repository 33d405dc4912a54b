"""The loop of the parent: waits for signals, words and deaths, and has the crew act on them."""

import os
import select
import signal
import time
from collections.abc import Callable
from pathlib import Path

from limpet.worker.parent.changes import Changes
from limpet.worker.parent.children import COMMAND
from limpet.worker.parent.crew import Crew, log
from limpet.worker.parent.leases import Keeper
from limpet.worker.parent.signals import ASKING, STOPPING, Signals
from limpet.worker.plan import Plan
from limpet.worker.wire import CannotStart, Ready

#: The longest time between two looks.
LOOK_S = 0.25
#: Between two looks for changed files.
CHANGES_S = 1.0
#: How long the parent stays to return what its dead held.
SETTLE_S = 5.0


class Parent:
    """Keeps children alive until it is told to stop; `run` answers the exit code."""

    def __init__(
        self,
        plan: Plan,
        *,
        welcome: Callable[[Ready], None] = lambda _: None,
        command: tuple[str, ...] = COMMAND,
    ) -> None:
        """Prepare; nothing is started yet. `welcome` is told when the first child works."""
        self._plan = plan
        self._keeper = Keeper()
        self._crew = Crew(plan, self._keeper, welcome, command)
        self._looked_at = time.monotonic()
        self._changes_at, self._changes = 0.0, Changes(Path.cwd())
        self._has_terminal = _has_terminal()

    @property
    def refusal(self) -> CannotStart | None:
        """Why no child can start, if that ended it."""
        return self._crew.refusal

    def run(self) -> int:
        """Work until told to stop, or until all is done."""
        if self._plan.reload:
            self._changes.look()  # what changes from now on was not imported yet
        with Signals() as signals:
            try:
                while not self._crew.is_done:
                    self._turn(signals)
            finally:
                self._end()
        return self._crew.code

    def _turn(self, signals: Signals) -> None:
        crew = self._crew
        crew.start_due()
        self._wait(signals)
        for number in signals.take():
            self._heed(number)
        for child in crew.children:
            crew.listen(child)
        crew.bury()
        now = time.monotonic()
        crew.look(now - self._looked_at)
        self._looked_at = now
        if self._plan.reload and not crew.stopping and now >= self._changes_at:
            self._look_for_changes()
            self._changes_at = now + CHANGES_S

    def _wait(self, signals: Signals) -> None:
        ends = [child.wire.end for child in self._crew.children if not child.wire.closed]
        start_at = self._crew.next_start_at
        rest_s = LOOK_S if start_at is None else min(start_at - time.monotonic(), LOOK_S)
        select.select([signals.wake, *ends], [], [], max(rest_s, 0))

    def _heed(self, number: int) -> None:
        if number in STOPPING or (number == signal.SIGHUP and self._lost_terminal()):
            self._crew.stop()
        elif number == signal.SIGHUP:
            self._crew.renew()
        elif number in ASKING:
            self._crew.order("dump")

    def _lost_terminal(self) -> bool:
        """Tell whether a hang-up is one: the window that it was started in is closed."""
        return self._has_terminal and not _has_terminal()

    def _look_for_changes(self) -> None:
        found = self._changes.look(self._crew.files)
        if found:
            log.info("changed: %s", ", ".join(os.path.relpath(name) for name in found[:3]))
            self._crew.reload()

    def _end(self) -> None:
        """Leave nobody behind, and nothing that a dead child held."""
        for child in self._crew.children:
            child.kill()
            child.process.wait()
        self._crew.bury()
        self._keeper.settle(SETTLE_S)
        self._keeper.close()


def _has_terminal() -> bool:
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return False
    return True

"""The child's end of the wire: signs of life go out, orders come in.

In a plain thread: whatever the event loop and the jobs do, signs go out, unless somebody holds
the interpreter.
"""

import logging
import os
import select
import socket
import threading
import time
from collections.abc import Callable

from limpet.worker.plan import Plan
from limpet.worker.wire import NUMBER, PLAN, WIRE, Bye, CannotStart, Order, Ready, Sign, Told, Wire

log = logging.getLogger("limpet")

SIGN_S = 0.5
#: How long the parent may take to hear that we work, before we go on without it.
GO_S = 1.0
#: Signs in a lease, at least.
SIGNS = 4


def inherited() -> tuple[Plan, int, Wire]:
    """Take what the parent handed on: the plan, our number among the children, and the wire.

    The environment is cleaned, so that programs started by jobs do not see it.
    """
    plan, number, wire = (os.environ.pop(name) for name in (PLAN, NUMBER, WIRE))
    end = socket.socket(fileno=int(wire))
    end.set_inheritable(False)
    return Plan.from_json(plan), int(number), Wire(end)


class Reporter:
    """Reports to the parent and passes its orders on."""

    def __init__(
        self, wire: Wire, obey: Callable[[Order], None], orphaned: Callable[[], None]
    ) -> None:
        """Pass on orders and the end of the parent; nothing happens before `start`."""
        self._wire, self._obey, self._orphaned = wire, obey, orphaned
        self._interval_s = SIGN_S
        self._due_at: float | None = None
        self._go = threading.Event()

    def start(self) -> None:
        """Give signs of life from now on."""
        threading.Thread(target=self._run, name="limpet-reporter", daemon=True).start()

    def works(self, ready: Ready) -> None:
        """Tell as whom we work, and wait until the parent looks after us: then jobs may come."""
        if ready.lease_ms is not None:
            self._interval_s = min(SIGN_S, ready.lease_ms / 1000 / SIGNS)
        self._go.clear()
        if self._wire.tell(ready):
            self._go.wait(GO_S)

    def cannot_start(self, refusal: CannotStart) -> None:
        """Tell why we do not work."""
        self._wire.tell(refusal)

    def say_goodbye(self) -> None:
        """Tell that the work ended as it should."""
        self._wire.tell(Bye())

    def due(self, at: float | None) -> None:
        """Tell when the first running job must have ended; at once if that is new and earlier.

        A job that holds the interpreter from its first moment leaves no time for telling it later.
        """
        before, self._due_at = self._due_at, at
        if at is not None and (before is None or at < before):
            self._sign()

    def _sign(self) -> None:
        at = self._due_at
        self._wire.tell(Sign(None if at is None else at - time.monotonic()))

    def _heed(self, order: Order) -> None:
        try:
            self._go.set() if order == "go" else self._obey(order)
        except Exception:
            log.exception("cannot do what the parent says: %s", order)  # signs must go on

    def _run(self) -> None:
        while not self._wire.closed:
            self._sign()
            select.select([self._wire.end], [], [], self._interval_s)
            for message in self._wire.listen():
                if isinstance(message, Told):
                    self._heed(message.order)
        log.warning("the parent is gone: stopping")
        self._orphaned()

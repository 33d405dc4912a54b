"""This process's place among the users of each home: one lock, however many attach.

Forked children have a place of their own by inheritance, since they hold a copy of the
descriptor: whichever of them ends last, and nobody sooner, finds the home unused.
"""

import atexit
import os
import threading
from dataclasses import dataclass
from pathlib import Path

from limpet.engine import locks, supervisor
from limpet.engine.home import Home
from limpet.engine.steps import steps
from limpet.errors import EngineError

JOIN_WITHIN_S = supervisor.STOP_WITHIN_S + 10.0


@dataclass(slots=True)
class _Hold:
    home: Home
    lock: locks.Lock
    count: int = 0


_guard = threading.RLock()
_holds: dict[Path, _Hold] = {}


def join(home: Home) -> None:
    """Become a user, waiting while the server is being stopped."""
    for _ in steps(JOIN_WITHIN_S):
        if _join_now(home):
            return
    raise EngineError(
        f"the engine in {home.path} is being stopped and does not end: see {home.log}"
    )


def leave(home: Home) -> bool:
    """Stop being a user; True if this process has no other use of the home."""
    with _guard:
        hold = _holds.get(home.path)
        if hold is None:
            return False
        hold.count -= 1
        if hold.count:
            return False
        del _holds[home.path]
        hold.lock.close()
        return True


def _join_now(home: Home) -> bool:
    with _guard:
        hold = _holds.get(home.path)
        if hold is None:
            lock = locks.share(home.users_lock)
            if lock is None:
                return False
            hold = _holds[home.path] = _Hold(home, lock)
        hold.count += 1
        return True


@atexit.register
def _leave_all() -> None:
    """Leave every home at the end of the program.

    No look at the process id is needed to spare a parent from its forked child: the parent's
    copy of the lock shows that the home is in use.
    """
    while _holds:
        _, hold = _holds.popitem()
        hold.lock.close()
        supervisor.stop_if_unused(hold.home)


os.register_at_fork(
    before=_guard.acquire, after_in_parent=_guard.release, after_in_child=_guard.release
)

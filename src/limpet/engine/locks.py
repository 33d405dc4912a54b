"""File locks that the kernel releases when their holder dies.

A lock belongs to an open descriptor and to every copy of it: in a forked child, in a server
that inherited it. It is given back by closing the descriptor, never by unlocking, because
one unlock would take the lock from all copies at once.
"""

import fcntl
import os
import threading
from pathlib import Path
from types import TracebackType
from typing import Self

from limpet.errors import EngineError

# Opening, locking and noting a descriptor is one step for a thread that forks meanwhile;
# otherwise its child could keep a passing lock for as long as the child lives.
_gate = threading.RLock()
_passing: set[int] = set()


class Lock:
    """A lock, held until it is closed."""

    def __init__(self, descriptor: int) -> None:
        """Take charge of a locked descriptor."""
        self.descriptor = descriptor
        self._closed = False

    def close(self) -> None:
        """Close this copy of the descriptor; other copies still hold the lock."""
        with _gate:
            if not self._closed:
                self._closed = True
                _passing.discard(self.descriptor)
                os.close(self.descriptor)

    def __enter__(self) -> Self:
        """Hold the lock for a block."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close at the end of the block."""
        self.close()


def take(path: Path) -> Lock | None:
    """Take the lock for oneself if that works at once; forked children do not keep it."""
    with _gate:
        lock = _lock(path, fcntl.LOCK_EX)
        if lock is not None:
            _passing.add(lock.descriptor)
        return lock


def share(path: Path) -> Lock | None:
    """Take the lock together with others if that works at once; forked children keep it too."""
    return _lock(path, fcntl.LOCK_SH)


def is_held(path: Path) -> bool:
    """Tell whether any process holds the lock."""
    if not path.exists():
        return False
    lock = take(path)
    if lock is None:
        return True
    lock.close()
    return False


def _lock(path: Path, kind: int) -> Lock | None:
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise EngineError(f"cannot open {path} ({error.strerror}): check who owns it") from error
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    except OSError as error:
        os.close(descriptor)
        raise EngineError(
            f"cannot lock {path} ({error.strerror}): set LIMPET_HOME to a directory on a local disk"
        ) from error
    return Lock(descriptor)


def _forget_in_child() -> None:
    """Give up, in a forked child, what another thread of the parent was about to do."""
    for descriptor in _passing:
        os.close(descriptor)
    _passing.clear()
    _gate.release()


os.register_at_fork(
    before=_gate.acquire, after_in_parent=_gate.release, after_in_child=_forget_in_child
)

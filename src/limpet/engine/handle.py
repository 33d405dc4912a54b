"""What a program holds: an engine that is there until it is released."""

import os
import threading
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import quote

from limpet.engine import holds, marker, sockets, supervisor
from limpet.engine.home import Home
from limpet.errors import EngineError


class Engine:
    """A running embedded server, kept running by this hold on it."""

    def __init__(self, home: Home, binary: Path) -> None:
        """Describe a server that was joined; use `attach` to get one."""
        self.home = home.path
        self.socket = home.socket
        self.binary = binary
        self._home = home
        self._released = threading.Lock()  # taken once, by whoever releases first

    @property
    def url(self) -> str:
        """Where clients connect, as `unix:///...`."""
        return f"unix://{quote(str(self.socket))}"

    def revive(self) -> None:
        """Start the server again if it is gone; call this when a connection broke.

        Cheap while the server lives. Of many processes that call it, one starts the server
        and all return when it has loaded its data.
        """
        if self._released.locked():
            raise EngineError(f"the engine in {self.home} was released: attach again")
        supervisor.ensure(self._home)

    def release(self) -> None:
        """Give up this hold; the last one out stops the server. Calling it again is harmless."""
        if self._released.acquire(blocking=False) and holds.leave(self._home):
            supervisor.stop_if_unused(self._home)

    def __enter__(self) -> Self:
        """Hold the engine for a block."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Release at the end of the block."""
        self.release()

    def __repr__(self) -> str:
        """Show the address and whether the hold is over."""
        return f"<Engine {self.url}{' released' if self._released.locked() else ''}>"


def attach(home: str | os.PathLike[str] | None = None, *, keep: bool = False) -> Engine:
    """Join the engine of a home, starting it if it does not run.

    The home is `LIMPET_HOME` or a state directory of this user unless named. With `keep` the
    server outlives its last user, until `stop`.
    """
    place = sockets.prepare(home)
    holds.join(place)
    try:
        if keep:
            place.keep.touch(mode=0o600)
        supervisor.ensure(place)
        return Engine(place, _binary(place))
    except BaseException:
        holds.leave(place)
        raise


def stop(home: str | os.PathLike[str] | None = None) -> bool:
    """Stop an engine that nobody uses, and no longer keep it; True if none runs any more."""
    place = sockets.look(home)
    if not place.users_lock.exists():
        return True
    place.keep.unlink(missing_ok=True)
    return supervisor.stop_if_unused(place)


def _binary(home: Home) -> Path:
    recorded = marker.read(home.marker)
    if recorded is None:
        raise EngineError(f"{home.marker} is missing: end the server in {home.path} and try again")
    return recorded.path

"""Whether the server answers, told once per change."""

import logging
import time

log = logging.getLogger("limpet")


class Contact:
    """What all connections of one client know of their server together.

    A connection that breaks and is made anew at once is no change. Shared between threads without
    a lock, which a forked child could find taken for ever: whoever gets the one token may speak.
    """

    def __init__(self, server: str) -> None:
        """Believe that the server answers."""
        self._server = server
        #: How many connections were made; behind a new one may be a server that forgot something.
        self.meetings = 0
        self._there = [0.0]
        self._lost_since: list[float] = []

    @property
    def lost(self) -> bool:
        """Whether the server did not answer lately."""
        return bool(self._lost_since)

    def meet(self) -> None:
        """Note a new connection."""
        self.meetings += 1

    def lose(self, error: Exception) -> None:
        """Note that there is no answer, and say so if that is new."""
        try:
            self._there.pop()
        except IndexError:
            return
        reason = type(error).__name__
        log.warning("limpet: %s is not available (%s), trying again", self._server, reason)
        self._lost_since.append(time.monotonic())

    def find(self) -> None:
        """Note an answer, and say so if there was none before."""
        try:
            since = self._lost_since.pop()
        except IndexError:
            return
        lost_s = time.monotonic() - since
        log.info("limpet: %s is available again after %.1f s", self._server, lost_s)
        self._there.append(since)

"""Notices when a worker that should take jobs hears nothing any more.

Calls have time limits and connections are made anew, so this should never happen. If it does,
the worker ends with an error and whoever supervises it starts another: it does not sit deaf.
A call that ends with an error counts as no answer, unless jobs are held that would start again.
"""

#: A worker may be deaf for this long, or for three leases if that is longer.
LIMIT_S = 30.0
LEASES = 3
#: The exit code of a worker that gives up: an internal error, by sysexits.h.
EXIT_CODE = 70


class Watchdog:
    """Counts the time in which the worker should take jobs and had no answer.

    It counts ticks of the loop, not the clock: a loop that stands still is another matter.
    """

    def __init__(self, lease_ms: int) -> None:
        """Start at zero."""
        self.limit_s = max(LIMIT_S, LEASES * lease_ms / 1000)
        self._deaf_s = 0.0

    def fed(self) -> None:
        """The server answered."""
        self._deaf_s = 0.0

    def look(self, elapsed_s: float, *, taking: bool) -> bool:
        """Note a tick; answers whether the worker has been deaf for too long."""
        self._deaf_s = self._deaf_s + elapsed_s if taking else 0.0
        return self._deaf_s >= self.limit_s

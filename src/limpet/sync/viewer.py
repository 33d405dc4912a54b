# Generated from src/limpet/aio/viewer.py by `python3 dev.py docs`; edit that file.
"""Looking into a queue; nothing here changes anything."""

from limpet.commands import look
from limpet.errors import ConfigError
from limpet.flows import manage as manage_flows
from limpet.intake import id_of
from limpet.options import MAX_BATCH, Payload, count_of, payload_bytes, position_of
from limpet.states import State
from limpet.sync.base import QueueBase
from limpet.values import Failure, JobView, LockView, Stats


class Viewer(QueueBase):
    """Inspect, peek, stats, failures, dead, locks, find."""

    def inspect(
        self, start: int = 0, count: int = 10, state: State | str = State.WAITING
    ) -> list[JobView]:
        """Show jobs of one state by position; a negative start counts from the end.

        Out of range is an empty list. Running jobs: oldest delivery first; dead: newest first.
        """
        try:
            wanted = State(state)
        except ValueError:
            names = ", ".join(State)
            raise ConfigError(f"state must be one of {names}, got {state!r}") from None
        if isinstance(start, bool) or not isinstance(start, int) or abs(start) > 2**53:
            raise ConfigError(f"start must be a whole number, got {start!r}")
        asked = min(count_of(count), MAX_BATCH)
        return self._send(look.inspect(self._keys, wanted, start, asked))

    def peek(self) -> JobView | None:
        """Show the job that is served next, without taking it."""
        found = self.inspect(0, 1)
        return found[0] if found else None

    def len(self) -> int:
        """Count the jobs that could be served now."""
        return (self.stats()).waiting

    def stats(self) -> Stats:
        """Count what is in the queue and what went through it."""
        return self._send(look.stats(self._keys))

    def job(self, id: str) -> JobView | None:
        """Show one job by id, wherever it is; None if it is not (or no longer) there."""
        job_id = id_of(id)
        return None if job_id is None else self._send(look.job(self._keys, job_id))

    def find(self, payload: Payload) -> list[JobView]:
        """Show all jobs with this payload, in whatever state."""
        wanted = payload_bytes(payload, self.policy.max_payload)
        found = self._run(manage_flows.find(self._keys, wanted))
        views = [self.job(job_id) for job_id, _ in found]
        return [view for view in views if view is not None]

    def failures(self, start: int = 0, count: int = 100) -> list[Failure]:
        """Show the last errors, newest first; at most 100 are kept."""
        first, asked = position_of(start), min(count_of(count), 100)
        return self._send(look.failures(self._keys, first, asked))

    def last_failure(self, index: int = 0) -> Failure | None:
        """Show the last error, or with index 1 the one before, and so on; None if there is none."""
        found = self.failures(index, 1)
        return found[0] if found else None

    def dead(self, start: int = 0, count: int = 10) -> list[JobView]:
        """Show the dead list, newest first."""
        return self.inspect(start, count, State.DEAD)

    def locks(self, start: int = 0, count: int = 100) -> list[LockView]:
        """Show who holds which lock, and how many jobs wait for it."""
        first, asked = position_of(start), min(count_of(count), MAX_BATCH)
        return self._send(look.locks(self._keys, first, asked))

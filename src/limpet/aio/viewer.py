"""Looking into a queue; nothing here changes anything."""

from limpet.aio.base import AsyncQueueBase
from limpet.commands import look
from limpet.errors import ConfigError
from limpet.flows import manage as manage_flows
from limpet.intake import id_of
from limpet.options import MAX_BATCH, Payload, count_of, payload_bytes, position_of
from limpet.states import State
from limpet.values import Failure, JobView, LockView, Stats


class AsyncViewer(AsyncQueueBase):
    """Inspect, peek, stats, failures, dead, locks, find."""

    async def inspect(
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
        return await self._send(look.inspect(self._keys, wanted, start, asked))

    async def peek(self) -> JobView | None:
        """Show the job that is served next, without taking it."""
        found = await self.inspect(0, 1)
        return found[0] if found else None

    async def len(self) -> int:
        """Count the jobs that could be served now."""
        return (await self.stats()).waiting

    async def stats(self) -> Stats:
        """Count what is in the queue and what went through it."""
        return await self._send(look.stats(self._keys))

    async def job(self, id: str) -> JobView | None:
        """Show one job by id, wherever it is; None if it is not (or no longer) there."""
        job_id = id_of(id)
        return None if job_id is None else await self._send(look.job(self._keys, job_id))

    async def find(self, payload: Payload) -> list[JobView]:
        """Show all jobs with this payload, in whatever state."""
        wanted = payload_bytes(payload, self.policy.max_payload)
        found = await self._run(manage_flows.find(self._keys, wanted))
        views = [await self.job(job_id) for job_id, _ in found]
        return [view for view in views if view is not None]

    async def failures(self, start: int = 0, count: int = 100) -> list[Failure]:
        """Show the last errors, newest first; at most 100 are kept."""
        first, asked = position_of(start), min(count_of(count), 100)
        return await self._send(look.failures(self._keys, first, asked))

    async def last_failure(self, index: int = 0) -> Failure | None:
        """Show the last error, or with index 1 the one before, and so on; None if there is none."""
        found = await self.failures(index, 1)
        return found[0] if found else None

    async def dead(self, start: int = 0, count: int = 10) -> list[JobView]:
        """Show the dead list, newest first."""
        return await self.inspect(start, count, State.DEAD)

    async def locks(self, start: int = 0, count: int = 100) -> list[LockView]:
        """Show who holds which lock, and how many jobs wait for it."""
        first, asked = position_of(start), min(count_of(count), MAX_BATCH)
        return await self._send(look.locks(self._keys, first, asked))

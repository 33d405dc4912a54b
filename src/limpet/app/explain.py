"""Why a job of an app does not run, in words."""

from limpet.app.base import AppBase
from limpet.tasks.standing import Explanation


class Explaining(AppBase):
    """Explain."""

    def explain(self, job_id: str, queue: str | None = None) -> Explanation | None:
        """Say why a job does not run, or how it ended; None if nothing is known of it.

        Without a queue, those of the app's tasks are looked at first, then all others.
        """
        likely = self._likely(queue)
        for name in likely:
            found = self.limpet.queue(name).explain(job_id)
            if found is not None:
                return found
        for name in self.limpet.queues() if queue is None else ():
            found = None if name in likely else self.limpet.queue(name).explain(job_id)
            if found is not None:
                return found
        return None

    async def aexplain(self, job_id: str, queue: str | None = None) -> Explanation | None:
        """As `explain`, without blocking the event loop."""
        likely = self._likely(queue)
        for name in likely:
            found = await self.alimpet.queue(name).explain(job_id)
            if found is not None:
                return found
        for name in await self.alimpet.queues() if queue is None else ():
            found = None if name in likely else await self.alimpet.queue(name).explain(job_id)
            if found is not None:
                return found
        return None

    def _likely(self, queue: str | None) -> list[str]:
        """The queues to look at first."""
        if queue is not None:
            return [queue]
        return list(dict.fromkeys(task.options.queue for task in self.tasks.values()))

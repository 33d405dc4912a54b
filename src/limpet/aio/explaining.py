"""Saying in words why a job is where it is."""

from limpet.aio.base import AsyncQueueBase
from limpet.commands.explain import explain
from limpet.intake import id_of
from limpet.tasks import words
from limpet.tasks.standing import Explanation
from limpet.values import Outcome


class AsyncExplainer(AsyncQueueBase):
    """Explain."""

    async def explain(self, id: str) -> Explanation | None:
        """Say why a job does not run, or how it ended; None if nothing is known of it.

        One look, in which nothing changes.
        """
        job_id = id_of(id)
        found = None if job_id is None else await self._send(explain(self._keys, job_id))
        if isinstance(found, Outcome):
            return words.explain_end(self.name, found)
        return None if found is None else words.explain(found, self.policy.crash_limit)

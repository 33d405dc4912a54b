"""Why a job of an app does not run, in words."""

from limpet.app.base import AppBase
from limpet.errors import ConfigError
from limpet.tasks.standing import Explanation


class Explaining(AppBase):
    """Explain."""

    def explain(self, job_id: str, queue: str | None = None) -> Explanation | None:
        """Say why a job does not run, or how it ended; None if nothing is known of it.

        Without a queue all are looked at, those of the app's tasks first. Each queue numbers its
        jobs by itself, so two may have a job of the same id: then the queue must be named.
        """
        names = [queue] if queue is not None else self._with_ours(self.limpet.queues())
        found = [self.limpet.queue(name).explain(job_id) for name in names]
        return _only(job_id, found)

    async def aexplain(self, job_id: str, queue: str | None = None) -> Explanation | None:
        """As `explain`, without blocking the event loop."""
        names = [queue] if queue is not None else self._with_ours(await self.alimpet.queues())
        found = [await self.alimpet.queue(name).explain(job_id) for name in names]
        return _only(job_id, found)

    def _with_ours(self, queues: list[str]) -> list[str]:
        """Put the queues of our tasks in front."""
        ours = [task.options.queue for task in self.tasks.values()]
        return list(dict.fromkeys([*ours, *queues]))


def _only(job_id: str, found: list[Explanation | None]) -> Explanation | None:
    """Take the one that is there; of two nobody can say which is meant."""
    said = [one for one in found if one is not None]
    if len(said) > 1:
        names = ", ".join(repr(one.queue) for one in said)
        raise ConfigError(f"there is a job {job_id} in each of the queues {names}; say queue='...'")
    return said[0] if said else None

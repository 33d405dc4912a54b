# Generated from src/limpet/aio/explaining.py by `python3 dev.py docs`; edit that file.
"""Saying in words why a job is where it is."""

from limpet.commands.explain import explain
from limpet.intake import id_of
from limpet.sync.base import QueueBase
from limpet.tasks import words
from limpet.tasks.standing import Explanation
from limpet.values import Outcome


class Explainer(QueueBase):
    """Explain."""

    def explain(self, id: str) -> Explanation | None:
        """Say why a job does not run, or how it ended; None if nothing is known of it.

        One look, in which nothing changes.
        """
        job_id = id_of(id)
        found = None if job_id is None else self._send(explain(self._keys, job_id))
        if isinstance(found, Outcome):
            return words.explain_end(self.name, found)
        return None if found is None else words.explain(found, self.policy.crash_limit)

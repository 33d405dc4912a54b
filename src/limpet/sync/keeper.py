# Generated from src/limpet/aio/keeper.py by `python3 dev.py docs`; edit that file.
"""Keeping a queue: pause, drop, the dead list, verify and repair."""

from limpet.commands import manage
from limpet.errors import ConfigError
from limpet.flows import audit
from limpet.intake import id_of
from limpet.options import MAX_BATCH, count_of
from limpet.sync.base import QueueBase
from limpet.values import Report


def _parts(ids: tuple[str, ...]) -> list[list[str]]:
    """Cut ids into batches, without those that no job can have; none at all means all jobs."""
    if any(isinstance(given, (list, tuple, set, frozenset)) for given in ids):
        raise ConfigError("name dead jobs by their ids, one by one: revive(*ids), purge(*ids)")
    known = [job_id for job_id in map(id_of, ids) if job_id is not None]
    return [known[n : n + MAX_BATCH] for n in range(0, len(known), MAX_BATCH)] if ids else [[]]


class Keeper(QueueBase):
    """Pause, unpause, drop, revive, purge, verify, repair."""

    def pause(self) -> None:
        """Stop handing jobs out; pushes go on."""
        self._limpet.register(self.name)
        self._send(manage.pause(self._keys))

    def unpause(self) -> None:
        """Hand jobs out again."""
        self._send(manage.unpause(self._keys))

    def drop(self) -> bool:
        """Drop the whole queue in one step, running jobs included; True if it existed.

        Late receipts are stale and bring nothing back.
        """
        existed = self._send(manage.drop(self._keys))
        self._limpet.unregister(self.name)
        return existed

    def revive(self, *ids: str, count: int = MAX_BATCH) -> list[str]:
        """Give dead jobs another life: those named, or the newest `count`; answers their ids."""
        asked, revived = min(count_of(count), MAX_BATCH), []
        for part in _parts(ids):
            revived.extend(self._send(manage.revive(self._keys, part, asked)))
        return revived

    def purge(self, *ids: str, count: int = MAX_BATCH) -> int:
        """Forget dead jobs: those named, or the oldest `count`; answers how many."""
        asked, purged = min(count_of(count), MAX_BATCH), 0
        for part in _parts(ids):
            purged += self._send(manage.purge(self._keys, part, asked))
        return purged

    def verify(self) -> Report:
        """Look for anything inconsistent, in bounded steps; changes nothing."""
        return self._run(audit.verify(self._keys))

    def repair(self) -> Report:
        """Mend what is inconsistent, without losing a job; answers what was mended."""
        return self._run(audit.repair(self._keys))

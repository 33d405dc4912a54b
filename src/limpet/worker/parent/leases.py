"""The second heartbeat of the children, and the return of what a dead one held.

In a thread of its own: a server that does not answer must not keep the parent from its children.
"""

import logging
import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from limpet.commands import workers
from limpet.connection.faults import passes_by
from limpet.connection.target import Target
from limpet.errors import BackendError
from limpet.flows.base import Flow
from limpet.flows.manage import fail_worker, stop_work
from limpet.flows.pop import Source, tend
from limpet.keys import queue_keys
from limpet.link.sync import Link
from limpet.options import Policy
from limpet.worker.wire import Ready

log = logging.getLogger("limpet")

#: Which part of the lease may pass between two beats.
BEAT_PART = 0.4
#: How long one call may try.
PATIENCE_S = 2.0
#: How long the others may try when one was not answered.
HURRY_S = 0.2
#: Pause after a call that failed.
AGAIN_S = 0.2


@dataclass(slots=True)
class Kept:
    """A worker whose lease is kept alive."""

    ready: Ready
    next_at: float

    @property
    def sources(self) -> list[Source]:
        """The queues it serves, with what the scripts need to know of them."""
        return [
            Source(queue_keys(name), Policy(crash_limit=crash_limit, dead_limit=dead_limit))
            for name, (crash_limit, dead_limit) in self.ready.queues.items()
        ]


@dataclass(frozen=True, slots=True)
class Loss:
    """What a worker held in one queue; whether its death counts against these jobs."""

    ready: Ready
    source: Source
    counts: bool

    def flow(self) -> Flow[object]:
        """Return it."""
        if self.counts:
            return fail_worker(self.source, self.ready.worker)
        return stop_work(self.source.keys, self.ready.worker)


class Keeper:
    """Beats for living children and returns what dead ones held, until closed."""

    def __init__(self, link: Callable[[Ready], Link] | None = None) -> None:
        """Make a keeper; its thread starts with the first child."""
        self._make_link = link or _link
        self._links: dict[tuple[str | None, str | None], Link] = {}
        self._kept: dict[int, Kept] = {}
        self._losses: list[Loss] = []
        self._change = threading.Condition()
        self._closed = False
        self._thread: threading.Thread | None = None

    def keep(self, pid: int, ready: Ready) -> None:
        """Keep the lease of a process alive from now on, under its newest identity."""
        with self._change:
            self._kept[pid] = Kept(ready, time.monotonic() + _pause_s(ready))
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="limpet-keeper", daemon=True)
                self._thread.start()
            self._change.notify_all()

    def rest(self, pid: int) -> None:
        """Beat no more for a process that was killed, in case its end takes long."""
        with self._change:
            if pid in self._kept:
                self._kept[pid].next_at = math.inf

    def give_back(self, pid: int, *, counts: bool) -> None:
        """Return what a process held that has ended."""
        with self._change:
            kept = self._kept.pop(pid, None)
            if kept is not None:
                self._losses += [Loss(kept.ready, source, counts) for source in kept.sources]
                self._change.notify_all()

    def settle(self, within_s: float) -> bool:
        """Wait until everything is returned; answers whether it is."""
        with self._change:
            return self._change.wait_for(lambda: not self._losses, within_s)

    def close(self) -> None:
        """End the thread and close the connections."""
        with self._change:
            self._closed = True
            self._change.notify_all()
        if self._thread is not None:
            self._thread.join()
        for link in self._links.values():
            link.close()

    # -- in the thread ----------------------------------------------------------------------

    def _run(self) -> None:
        while not self._closed:
            with self._change:
                if not self._closed and not self._losses:
                    self._change.wait(self._rest_s())
                losses, due = list(self._losses), self._due()
            for link in self._links.values():
                link.timeout_s = PATIENCE_S
            for loss in losses:
                self._try(self._return, loss)
            for kept in due:
                self._try(self._beat, kept)
            with self._change:
                if self._losses:  # the server is away
                    self._change.wait_for(lambda: self._closed, AGAIN_S)

    def _try(self, act: Callable[[Any], None], subject: Kept | Loss) -> None:
        """Live through whatever goes wrong: the leases of all children hang on this thread."""
        try:
            act(subject)
        except Exception:
            log.exception("the parent could not look after its children's leases")

    def _rest_s(self) -> float | None:
        soonest = min((kept.next_at for kept in self._kept.values()), default=math.inf)
        return None if soonest == math.inf else max(soonest - time.monotonic(), 0)

    def _due(self) -> list[Kept]:
        now = time.monotonic()
        due = [kept for kept in self._kept.values() if kept.next_at <= now]
        for kept in due:
            kept.next_at = now + _pause_s(kept.ready)
        return due

    def _return(self, loss: Loss) -> None:
        """Return what is lost; while the server is away it stays on the list."""
        link = self._link(loss.ready)
        try:
            link.run(loss.flow())
        except BackendError as error:
            if _passes(error):
                link.timeout_s = HURRY_S
                return
            log.warning("%s: %s; its lease will end", loss.ready.worker, error)
        with self._change:
            self._losses.remove(loss)
            self._change.notify_all()

    def _beat(self, kept: Kept) -> None:
        """Beat in all queues; one that is damaged or away must not cost the lease in the others.

        An identity that is not known is no matter: the child has not started yet, is leaving, or
        will tell a new one.
        """
        link, sources = self._link(kept.ready), kept.sources
        together = [sources] if not link.target.clustered else [[source] for source in sources]
        while together:
            group = together.pop()
            try:
                self._beat_group(link, kept.ready.worker, group)
            except BackendError as error:
                if _passes(error):
                    link.timeout_s = HURRY_S
                    kept.next_at = time.monotonic() + AGAIN_S
                elif len(group) > 1:
                    together += [[source] for source in group]

    def _beat_group(self, link: Link, worker: str, group: list[Source]) -> None:
        beats = link.send(workers.beat([source.keys for source in group], worker))
        for source, beat in zip(group, beats, strict=True):
            if beat.tend:
                link.run(tend(source))

    def _link(self, ready: Ready) -> Link:
        where = (ready.url, ready.home)
        if where not in self._links:
            self._links[where] = self._make_link(ready)
        return self._links[where]


def _passes(error: BackendError) -> bool:
    """Tell whether the same call may go well a little later."""
    cause = error.__cause__
    return error.maybe_done or (isinstance(cause, Exception) and passes_by(cause))


def _pause_s(ready: Ready) -> float:
    """Seconds between two beats; a worker whose lease never ends needs none."""
    return BEAT_PART * ready.lease_ms / 1000 if ready.lease_ms is not None else math.inf


def _link(ready: Ready) -> Link:
    return Link(Target(ready.url, ready.source), timeout_s=PATIENCE_S, home=ready.home)

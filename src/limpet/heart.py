"""The heartbeat of a worker: a thread of its own, so that user code cannot starve it.

It renews the lease in all queues the worker serves with one call, keeps house when the server
says so, and gives back jobs that nobody got. Both flavours of the client use it.
"""

import atexit
import logging
import math
import os
import secrets
import socket
import threading
import time
import weakref
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from limpet.commands import workers
from limpet.connection.target import Target
from limpet.errors import BackendError, LimpetError
from limpet.flows.base import soonest
from limpet.flows.manage import review, stop_work
from limpet.flows.pop import Source, tend
from limpet.flows.schedules import Fires, fire_due
from limpet.link.contact import Contact
from limpet.link.lanes import Unsettled
from limpet.link.sync import Link
from limpet.link.sync.settling import settle
from limpet.options import WorkerOptions
from limpet.values import Receipt

log = logging.getLogger("limpet")
#: Who is told of running jobs that were cancelled: a queue and their ids.
Watcher = Callable[[str, frozenset[str]], None]
#: While it holds nothing, a worker beats a little slower: one command a second with its waiting.
IDLE_FACTOR = 1.25
#: How old what a worker with a permanent lease holds must be before it may be found strange.
PATIENT_MS = 10_000
#: After a beat that failed.
AGAIN_S = 0.05
#: How long a call may take when a server does not answer anyway.
HURRY_S = 0.2


class Heart:
    """One worker: its identity, the queues it serves, and the thread that keeps its lease alive."""

    def __init__(
        self,
        target: Target,
        options: WorkerOptions,
        *,
        home: str | Path | None = None,
        is_idle: Callable[[], bool] = lambda: False,
        unsettled: Unsettled | None = None,
        contact: Contact | None = None,
        known: Callable[[], frozenset[Receipt]] | None = None,
        watcher: Watcher | None = None,
    ) -> None:
        """Make a worker with a new identity; nothing is sent before `serve`."""
        self.options = options
        #: Never used twice: a restarted process must not keep the jobs of a dead one alive.
        self.worker = f"{options.name}-{secrets.token_hex(6)}"
        self.host, self.pid = socket.gethostname(), os.getpid()
        self.lost = False
        self._watcher = watcher
        self._sources: dict[str, Source] = {}
        self._link = Link(target, timeout_s=_patience_s(options), home=home, contact=contact)
        self._is_idle, self._known = is_idle, known
        self._meetings, self._review_at = 0, math.inf
        self._wake = threading.Event()
        self._unsettled = unsettled or Unsettled()
        self._unsettled.report_to(self._wake)
        self._guard = threading.Lock()
        self._stopped = False
        self._thread: threading.Thread | None = None
        self._complaint, self._complained = "", False
        #: Queues of a cluster whose node did not answer the last beat.
        self._away: set[str] = set()

    @property
    def serving(self) -> list[str]:
        """The names of the queues this worker serves."""
        return list(self._sources)

    @property
    def is_ours(self) -> bool:
        """Whether this process made it: a forked child must make a worker of its own."""
        return self.pid == os.getpid()

    def serve(self, source: Source) -> bool:
        """Keep the lease in one more queue alive; the worker is registered there already.

        Answers False if the worker was stopped meanwhile.
        """
        with self._guard:
            if self._stopped:
                return False
            before = self._sources
            # A copy, so that a beat sent before the worker left and came back is known as old.
            self._sources = {**before, source.keys.queue: replace(source)}
            if self._thread is not None:
                self._wake.set()  # what is due there may come before the next beat
                return True
            try:
                self._thread = self._start_thread()
            except RuntimeError:  # the system has no thread to give
                self._sources = before
                raise
        return True

    def _start_thread(self) -> threading.Thread:
        thread = threading.Thread(
            target=_beat_on,
            args=(weakref.ref(self), self._wake),
            daemon=True,
            name=f"limpet-heart-{self.worker}",
        )
        thread.start()
        _living.add(self)
        return thread

    def leave(self, queue: str) -> None:
        """Stop beating for a queue."""
        with self._guard:
            self._sources = {name: s for name, s in self._sources.items() if name != queue}

    def stop(self) -> None:
        """End the thread, give back what is held in every queue, and close. Safe to call twice."""
        if not self.is_ours:  # nothing here is ours: not the lock, not the thread, not the jobs
            return
        with self._guard:
            if self._stopped:
                return
            self._stopped = True
        if self._link.contact.lost:
            self._link.timeout_s = HURRY_S
        self._wake.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()
        self._say_goodbye()
        self._link.close()

    def _say_goodbye(self) -> None:
        try:
            for source in self._sources.values():
                self._link.run(stop_work(source.keys, self.worker))
        except LimpetError as error:
            log.warning("limpet: worker %s could not say goodbye: %s", self.worker, error)

    # -- beating ----------------------------------------------------------------------------

    def pause_s(self, next_in_ms: int) -> float:
        """Seconds until the next beat: the heartbeat, or earlier if something needs tending."""
        beat_ms: float = min(self.options.heartbeat_ms, self.options.stride_ms)
        if self._is_idle():
            beat_ms = min(beat_ms * IDLE_FACTOR, self.options.stride_ms)
        if next_in_ms >= 0:
            beat_ms = min(beat_ms, max(next_in_ms, 1))
        return beat_ms / 1000

    def beat(self) -> float:
        """Beat once in every queue; answers seconds until the next beat."""
        sources = list(self._sources.values())
        next_in_ms = self._beat_nodes(sources) if self._link.target.clustered else -1
        if sources and not self._link.target.clustered:
            next_in_ms = self._beat_group(sources)
        settle(self._link, self._unsettled)
        self._review(sources)
        return self.pause_s(next_in_ms)

    def _beat_nodes(self, sources: list[Source]) -> int:
        """Beat in queues on different servers: one that is away must not cost the others' leases.

        Those that were away last come last, and once one is away there is no patience with more.
        """
        next_in_ms, away, patience_s = -1, None, self._link.timeout_s
        for source in sorted(sources, key=lambda s: s.keys.queue in self._away):
            self._link.timeout_s = HURRY_S if away else patience_s
            try:
                answer = self._beat_group([source])
            except BackendError as error:
                away = error
                self._away.add(source.keys.queue)
            else:
                self._away.discard(source.keys.queue)
                next_in_ms = soonest(next_in_ms, answer)
        self._link.timeout_s = patience_s
        if away is not None:
            raise away
        return next_in_ms

    def _review(self, sources: list[Source]) -> None:
        """One lease after a new connection, give back what the server forgot that we ended."""
        older_ms = self.options.lease_ms if self.options.lease is not None else PATIENT_MS
        if self._review_at == math.inf and self._meetings != self._link.contact.meetings:
            self._meetings = self._link.contact.meetings
            self._review_at = time.monotonic() + older_ms / 1000
        elif self._known is not None and time.monotonic() >= self._review_at:
            for source in sources:
                self._link.run(review(source.keys, self.worker, older_ms, self._known))
            self._review_at = math.inf

    def _beat_group(self, group: list[Source]) -> int:
        try:
            beats = self._link.send(workers.beat([s.keys for s in group], self.worker))
        except BackendError as error:
            if error.maybe_done or len(group) == 1:
                raise
            return self._beat_apart(group)
        next_in_ms = -1
        for source, beat in zip(group, beats, strict=True):
            if beat.lost and self._sources.get(source.keys.queue) is source:
                self.lost = True
            if beat.tend:
                self._link.run(tend(source))
            if beat.cancelled and self._watcher is not None:
                self._watcher(source.keys.queue, frozenset(beat.cancelled))
            fires_in_ms = -1 if beat.lost else self._fire(source, beat.fires_in_ms)
            next_in_ms = soonest(next_in_ms, -1 if beat.tend else beat.next_in_ms, fires_in_ms)
        return next_in_ms

    def _fire(self, source: Source, fires_in_ms: int) -> int:
        """Fire schedules that are due; if that fails, the lease and the others go on."""
        fires = Fires(fires_in_ms) if fires_in_ms else self._link.run(fire_due(source.keys))
        if fires.wrong is not None and not self._link.contact.lost:
            self._complain(fires.wrong)
        return fires.next_in_ms

    def _beat_apart(self, group: list[Source]) -> int:
        """Beat in each queue by itself: a damaged one must not cost the others their lease."""
        next_in_ms, refused = -1, None
        for source in group:
            try:
                answer = self._beat_group([source])
            except BackendError as error:
                if error.maybe_done:
                    raise
                refused = error
            else:
                next_in_ms = soonest(next_in_ms, answer)
        if refused is not None:
            self._complain(refused)
        return next_in_ms

    def try_beat(self) -> float | None:
        """Beat, and live through whatever goes wrong; None when there is no more beating."""
        if self._stopped or self.lost or not self.is_ours:
            return None
        self._complained, pause_s = False, AGAIN_S
        try:
            pause_s = self.beat()
        except BackendError as error:
            if not self._link.contact.lost:
                self._complain(error)
        except Exception as error:  # noqa: BLE001 - a worker whose heart stops loses its jobs
            self._complain(error)
        if not self._complained:
            self._complaint = ""
        return pause_s

    def _complain(self, error: Exception) -> None:
        """Log what went wrong, once for as long as it stays the same."""
        complaint, self._complained = f"{type(error).__name__}: {error}", True
        if complaint != self._complaint:
            self._complaint = complaint
            trace = None if isinstance(error, LimpetError) else error
            log.warning("limpet: heartbeat of %s: %s", self.worker, complaint, exc_info=trace)


def _patience_s(options: WorkerOptions) -> float:
    """How long a beat may try; half of that, the time for one answer, fits the lease twice."""
    return max(min(options.stride_ms / 1000, 1.0) * 2, 0.2)


def _beat_on(ref: "weakref.ref[Heart]", wake: threading.Event) -> None:
    """Beat until stopped; the thread holds no reference, so a forgotten client can be collected."""
    pause: float | None = 0.0
    while pause is not None:
        if wake.wait(pause):
            wake.clear()
        heart = ref()
        pause = heart.try_beat() if heart is not None else None
        del heart


_living: "weakref.WeakSet[Heart]" = weakref.WeakSet()


@atexit.register
def _stop_at_exit() -> None:
    """Give back what is held at the end of the program."""
    for heart in list(_living):
        heart.stop()

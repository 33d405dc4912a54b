"""The heartbeat of a worker: a thread of its own, so that user code cannot starve it.

It renews the lease in all queues the worker serves with one call, keeps house when the server
says so, and gives up hand-outs whose reply got lost. Both flavours of the client use it.
"""

import atexit
import logging
import os
import secrets
import socket
import threading
import weakref
from collections.abc import Callable
from pathlib import Path

from limpet.commands import workers
from limpet.connection.target import Target
from limpet.errors import LimpetError
from limpet.flows.manage import stop_work
from limpet.flows.pop import Source, tend
from limpet.link.lanes import Unsettled
from limpet.link.sync import Link
from limpet.options import WorkerOptions

log = logging.getLogger("limpet")
#: While it holds nothing, a worker beats a little slower: one command a second with its waiting.
IDLE_FACTOR = 1.25


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
    ) -> None:
        """Make a worker with a new identity; nothing is sent before `serve`."""
        self.options = options
        #: Never used twice: a restarted process must not keep the jobs of a dead one alive.
        self.worker = f"{options.name}-{secrets.token_hex(6)}"
        self.host, self.pid = socket.gethostname(), os.getpid()
        self.lost = False
        #: Running jobs that were cancelled, as the last beats told.
        self.cancelled: dict[str, frozenset[str]] = {}
        self._sources: dict[str, Source] = {}
        self._link = Link(target, timeout_s=max(options.heartbeat_ms / 1000, 1.0), home=home)
        self._is_idle = is_idle
        self._unsettled = unsettled or Unsettled()
        self._wake = threading.Event()
        self._stopped = False
        self._thread: threading.Thread | None = None

    @property
    def serving(self) -> list[str]:
        """The names of the queues this worker serves."""
        return list(self._sources)

    def serve(self, source: Source) -> None:
        """Keep the lease in one more queue alive; the worker is registered there already."""
        self._sources = {**self._sources, source.keys.queue: source}
        if self._thread is None:
            self._thread = threading.Thread(
                target=_beat_on,
                args=(weakref.ref(self), self._wake),
                daemon=True,
                name=f"limpet-heart-{self.worker}",
            )
            self._thread.start()
            atexit.register(_stop_at_exit, weakref.ref(self))

    def leave(self, queue: str) -> None:
        """Stop beating for a queue."""
        self._sources = {name: s for name, s in self._sources.items() if name != queue}

    def stop(self) -> None:
        """End the thread, give back what is held in every queue, and close. Safe to call twice."""
        if self._stopped:
            return
        self._stopped = True
        self._wake.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()
        if os.getpid() == self.pid:
            self._say_goodbye()
        self._link.close()

    def _say_goodbye(self) -> None:
        try:
            for source in self._sources.values():
                self._link.run(stop_work(source.keys, self.worker))
        except LimpetError as error:
            log.warning("limpet: worker %s could not say goodbye: %s", self.worker, error)

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
        groups = [[s] for s in sources] if self._link.target.clustered else [sources]
        next_in_ms = -1
        for group in groups:
            if group:
                answer = self._beat_group(group)
                next_in_ms = min((n for n in (next_in_ms, answer) if n >= 0), default=-1)
        self._link.settle(unsettled=self._unsettled)
        return self.pause_s(next_in_ms)

    def _beat_group(self, group: list[Source]) -> int:
        beats = self._link.send(workers.beat([s.keys for s in group], self.worker))
        soonest = -1
        for source, beat in zip(group, beats, strict=True):
            if beat.lost and source.keys.queue in self._sources:
                self.lost = True
            if beat.tend:
                self._link.run(tend(source))
            self.cancelled[source.keys.queue] = frozenset(beat.cancelled)
            if not beat.tend and beat.next_in_ms >= 0:
                soonest = min(n for n in (soonest, beat.next_in_ms) if n >= 0)
        return soonest

    def try_beat(self) -> float | None:
        """Beat and log what goes wrong; None when there is no more beating."""
        if self._stopped or self.lost or os.getpid() != self.pid:
            return None
        try:
            return self.beat()
        except LimpetError as error:
            log.warning("limpet: heartbeat of %s failed: %s", self.worker, error)
            return 0.05


def _beat_on(ref: "weakref.ref[Heart]", wake: threading.Event) -> None:
    """Beat until stopped; the thread holds no reference, so a forgotten client can be collected."""
    pause: float | None = 0.0
    while pause is not None:
        wake.wait(pause)
        heart = ref()
        pause = heart.try_beat() if heart is not None else None
        del heart


def _stop_at_exit(ref: "weakref.ref[Heart]") -> None:
    heart = ref()
    if heart is not None:
        heart.stop()

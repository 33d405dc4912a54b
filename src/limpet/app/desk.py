"""Sends what jobs tell about themselves: a thread of its own, so that no job waits for it."""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from limpet.app.context import Job
from limpet.errors import JobCancelled, JobGone, LimpetError

if TYPE_CHECKING:
    from limpet.sync import Limpet, Queue

log = logging.getLogger("limpet")
#: The shortest time between two reports of progress of one job.
PACE_S = 0.1
#: So many unsent lines of one job are kept; the server keeps no more either.
MOST_LINES = 100


class Pad:
    """What one job said and nobody sent yet."""

    __slots__ = ("guard", "lines", "progress", "sent_at")

    def __init__(self) -> None:
        """Start empty."""
        self.progress: tuple[float, str] | None = None
        self.lines: deque[str] = deque(maxlen=MOST_LINES)
        self.sent_at = 0.0
        #: Held while something is sent, so that nothing overtakes.
        self.guard = threading.Lock()


class Desk:
    """The notes of all jobs of one process, sent over the app's blocking client."""

    def __init__(
        self, client: Callable[[], "Limpet"], decode: Callable[[bytes], Any] = bytes
    ) -> None:
        """Remember how to get a client; nothing is opened before the first note."""
        self._client, self._decode = client, decode
        self._waiting: set[Job] = set()
        self._news = threading.Condition()
        self._thread: threading.Thread | None = None

    # -- called by jobs ---------------------------------------------------------------------

    def progress(self, job: Job, fraction: float, text: str) -> None:
        """Keep the latest report; it is sent when it is due."""
        with self._news:
            self._pad_of(job).progress = (fraction, text)
            self._announce(job)

    def log(self, job: Job, line: str) -> None:
        """Keep a line; it is sent soon."""
        with self._news:
            self._pad_of(job).lines.append(line)
            self._announce(job)

    def once(self, job: Job, name: str) -> bool:
        """Note an effect; raises `JobCancelled` if the job is not ours any more."""
        answer = self._queue(job).once(job.delivery, name)
        if answer is None:
            raise JobCancelled(job.id, "no longer ours")
        return bool(answer)

    def previous(self, job: Job) -> Any:
        """Get the result of the step before."""
        if job.step_before is None:
            return None
        outcome = self._queue(job).result(job.step_before)
        if outcome is None or outcome.word == "unknown":
            raise JobGone(job.step_before)
        return self._decode(outcome.body) if outcome.body else None

    def flush(self, job: Job) -> None:
        """Send all that a job said; called when it ended, before it is settled."""
        with self._news:
            self._waiting.discard(job)
        self._send(job)

    # -- sending ----------------------------------------------------------------------------

    def _pad_of(self, job: Job) -> Pad:
        if job.pad is None:
            job.pad = Pad()
        pad: Pad = job.pad
        return pad

    def _announce(self, job: Job) -> None:
        self._waiting.add(job)
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, daemon=True, name="limpet-desk")
            self._thread.start()
        self._news.notify()

    def _run(self) -> None:
        while True:
            with self._news:
                due = self._due()
                while not due:
                    self._news.wait(self._pause_s())
                    due = self._due()
                self._waiting.difference_update(due)
            for job in due:
                self._send(job)

    def _due(self) -> list[Job]:
        now = time.monotonic()
        return [job for job in self._waiting if _due_at(job.pad) <= now]

    def _pause_s(self) -> float | None:
        now = time.monotonic()
        return min((max(_due_at(job.pad) - now, 0) for job in self._waiting), default=None)

    def _send(self, job: Job) -> None:
        """Send what is on the pad; what cannot be sent is dropped and said so."""
        pad: Pad = job.pad
        with pad.guard:
            try:
                while pad.lines:
                    self._queue(job).log(job.delivery, pad.lines.popleft())
                if pad.progress is not None:
                    (fraction, text), pad.progress = pad.progress, None
                    self._queue(job).progress(job.delivery, fraction, text)
            except LimpetError as error:
                log.warning("limpet: a note of job %s was not sent: %s", job.id, error)
            pad.sent_at = time.monotonic()

    def _queue(self, job: Job) -> "Queue":
        return self._client().queue(job.queue)


def _due_at(pad: Pad) -> float:
    """When to send: lines at once, progress not more often than the pace."""
    return 0.0 if pad.lines else pad.sent_at + PACE_S

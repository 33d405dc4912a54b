"""The death of a worker, on demand.

The worker of a drain is declared dead on the server while a job is in its hands. What it says
about that job afterwards is refused, as it would be from a process that was thought dead, and
the job goes back to its place with one crash on its account.
"""

import threading
from collections.abc import Callable
from typing import Any

from limpet.app.context import Desk, Job


class WorkerKilled(BaseException):
    """Raised inside a job at the point where its worker dies; `except Exception` lets it pass."""


class Death:
    """When a worker dies: as a job ends, or at something that a job notes."""

    def __init__(self, task: str | None, after: int, at: str | None) -> None:
        """Plan it: see `Stage.kill_worker`."""
        self._task, self._left, self._at = task, after, at
        self._guard = threading.Lock()
        self.came = False

    def __str__(self) -> str:
        """Say when it comes."""
        whose = self._task or "a job"
        return f"{whose} notes {self._at!r}" if self._at is not None else f"{whose} ends"

    def comes_at(self, job: Job, note: str | None) -> bool:
        """Tell whether this is the moment: a job noted something, or ended (no note)."""
        with self._guard:
            wanted = note == self._at and (self._task is None or job.task == self._task)
            if self.came or not wanted:
                return False
            self._left -= 1
            self.came = self._left <= 0
            return self.came


class DeathDesk:
    """A desk at which a worker may die, right after the note was taken."""

    def __init__(self, desk: Desk, die_at: Callable[[Job, str], bool]) -> None:
        """Stand in front of the real desk."""
        self._desk, self._die_at = desk, die_at

    def progress(self, job: Job, fraction: float, text: str) -> None:
        """Tell how far the job has come."""
        self._desk.progress(job, fraction, text)
        self._look(job, text)

    def log(self, job: Job, line: str) -> None:
        """Add a line to the job's log."""
        self._desk.log(job, line)
        self._look(job, line)

    def once(self, job: Job, name: str) -> bool:
        """Note an effect; False if it was noted before."""
        first = self._desk.once(job, name)
        self._look(job, name)
        return first

    def previous(self, job: Job) -> Any:
        """Get the result of the step before."""
        return self._desk.previous(job)

    def _look(self, job: Job, note: str) -> None:
        if self._die_at(job, note):
            raise WorkerKilled(f"the worker died at {note!r}")

"""Verify and repair in bounded steps, while the queue is in use.

Each step is atomic, so what it sees is a state between two operations and what it reports is
true. Two questions need a look at the whole queue: is a job anywhere, and was somebody called for
a free lock? For these the steps give hints; what is left over is looked at once more, exactly,
before it is reported.
"""

from collections.abc import Callable, Iterable

from limpet.commands import audit
from limpet.commands.audit import Audited
from limpet.commands.base import Command
from limpet.flows.base import Flow
from limpet.keys import QueueKeys
from limpet.values import Problem, Report

#: Phases that need nothing but their own keys, in the order in which mending builds on mending.
SIMPLE = (
    *("clock", "stats", "sessions", "facts", "marks", "dead", "scheduled", "crew", "workers"),
    *("running", "leases", "left", "aging", "held", "trials"),
    *("results", "expiring", "notes", "members", "groups", "schedules", "firing"),
)
#: A repair looks again until nothing is left; mending one thing can bring another to light.
MAX_ROUNDS = 10
_SUBJECTS = 100

Ask = Callable[[QueueKeys, str, str, tuple[bytes, ...]], Command[Audited]]


class _Round:
    """One look at everything."""

    def __init__(self, keys: QueueKeys, ask: Ask) -> None:
        self.keys = keys
        self.ask = ask
        self.problems: list[Problem] = []
        self.in_line: set[bytes] = set()

    def run(self) -> Flow[None]:
        """Go through all phases."""
        asleep: Audited = yield audit.verify(self.keys, "wake")
        for phase in SIMPLE:
            yield from self._scan(phase)
        yield from self._locks()
        yield from self._line()
        yield from self._jobs()
        yield from self._scan("cancelled")  # not earlier: a job in no place may be one of them
        if not self.problems:  # only then do the numbers add up
            yield from self._scan("ghosts")
        if asleep.problems:
            yield from self._scan("wake")

    def _step(self, phase: str, cursor: str, subjects: tuple[bytes, ...] = ()) -> Flow[Audited]:
        found: Audited = yield self.ask(self.keys, phase, cursor, subjects)
        self.problems += found.problems
        return found

    def _scan(self, phase: str) -> Flow[list[bytes]]:
        """Walk through one key; gives the hints of all steps."""
        hints: list[bytes] = []
        cursor = ""
        while cursor != "0":
            found = yield from self._step(phase, cursor or "0")
            cursor = found.cursor
            hints += found.hints
        return hints

    def _look_at(self, phase: str, subjects: Iterable[bytes]) -> Flow[None]:
        """Have subjects looked at exactly, as many a step as the script allows."""
        rest = list(subjects)
        while rest:
            found = yield from self._step(phase, "0", tuple(rest[:_SUBJECTS]))
            del rest[: int(found.cursor)]

    def _locks(self) -> Flow[None]:
        """Check locks, and that the first who waits for a free one is not forgotten."""
        yield from self._scan("locks")
        hints = yield from self._scan("parked")
        free = dict(zip(hints[::2], hints[1::2], strict=True))
        suspects = yield from self._scan("suspects")
        front = yield from self._scan("front")
        called = {*suspects, *front}
        forgotten = [first for lock, first in free.items() if lock not in called]
        yield from self._look_at("uncalled", forgotten)

    def _line(self) -> Flow[None]:
        """Walk through the line of waiting ids, from its end."""
        growing, cursor, seen_twice = True, "", set[bytes]()
        while cursor != "0":
            found = yield from self._step("waiting", cursor or "0")
            cursor = found.cursor
            order, *ids = found.hints
            growing = growing and order == b"growing"
            for job_id in ids:
                (seen_twice if job_id in self.in_line else self.in_line).add(job_id)
        if not growing:
            yield from self._look_at("repeated", sorted(seen_twice))

    def _newcomers(self) -> Flow[None]:
        """Learn the ids that joined the end of the line since it was walked through."""
        cursor = ""
        while cursor != "0":
            found = yield from self._step("waiting", cursor or "0")
            known = self.in_line.intersection(found.hints)
            self.in_line.update(found.hints[1:])
            cursor = "0" if known else found.cursor

    def _jobs(self) -> Flow[None]:
        """Check that every job is in one place."""
        cursor = ""
        while cursor != "0":
            found = yield from self._step("jobs", cursor or "0")
            cursor = found.cursor
            lost = set(found.hints) - self.in_line
            if lost:
                yield from self._newcomers()
                yield from self._look_at("nowhere", sorted(lost - self.in_line))


def _report(keys: QueueKeys, problems: list[Problem]) -> Report:
    return Report(keys.queue, tuple(dict.fromkeys(problems)))


def verify(keys: QueueKeys) -> Flow[Report]:
    """Look for anything inconsistent; changes nothing."""
    look = _Round(keys, audit.verify)
    yield from look.run()
    return _report(keys, look.problems)


def repair(keys: QueueKeys) -> Flow[Report]:
    """Mend what is inconsistent; no job is lost, and the queue may be in use."""
    mended: list[Problem] = []
    for _ in range(MAX_ROUNDS):
        look = _Round(keys, audit.repair)
        yield from look.run()
        mended += look.problems
        if not look.problems:
            break
    return _report(keys, mended)

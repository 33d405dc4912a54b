"""The judge: compares what the processes noted. It asks no server and trusts no counter alone."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from limpet.demo import notes
from limpet.demo.notes import Note
from limpet.errors import ConfigError

_LEFT = ("waiting", "parked", "scheduled", "running", "dead")


@dataclass(frozen=True, slots=True)
class Evidence:
    """The notes of one run."""

    pushed: tuple[str, ...]
    workers: dict[str, tuple[Note, ...]]
    #: Who was killed, when, and what the queue saw in its hands right afterwards.
    killed: str = ""
    killed_at: float = 0.0
    in_hand: frozenset[str] = frozenset()
    #: What the queue counted at the end.
    counts: dict[str, int] = field(default_factory=dict)

    def noted(self, what: str) -> list[tuple[str, Note]]:
        """All notes of one kind, with the worker who wrote them, in the order of time."""
        found = [(w, n) for w, all_ in self.workers.items() for n in all_ if n.what == what]
        return sorted(found, key=lambda pair: pair[1].at)

    def times(self, what: str) -> Counter[str]:
        """How often each job was noted so."""
        return Counter(note.id for _, note in self.noted(what))

    def by_worker(self, what: str) -> dict[str, int]:
        """How many such notes each worker wrote."""
        return {w: sum(n.what == what for n in all_) for w, all_ in self.workers.items()}

    @property
    def unnoted(self) -> frozenset[str]:
        """Jobs whose ack the killed worker sent, but did not live to note.

        If nobody had to start them again, the queue took the ack; its count must say so too.
        """
        sent = {n.id for w, n in self.noted("acking") if w == self.killed}
        back = {n.id for w, n in self.noted("started") if w != self.killed}
        return frozenset(sent - set(self.times("acked")) - back)

    @property
    def again(self) -> dict[str, Note]:
        """Jobs that were started more than once, with their last start."""
        times, last = self.times("started"), dict[str, Note]()
        for _, note in self.noted("started"):
            if times[note.id] > 1:
                last[note.id] = note
        return last

    @property
    def froze(self) -> Counter[str]:
        """How often a job was in the hands of a worker that was silent for too long."""
        return Counter(job for _, note in self.noted("lost") for job in note.facts.get("ids", []))

    @property
    def back_s(self) -> float | None:
        """Seconds from the kill until the last job of the killed worker was started again."""
        others = [
            n.at
            for w, n in self.noted("started")
            if w != self.killed and n.id in self.in_hand and n.at >= self.killed_at
        ]
        return max(others) - self.killed_at if others else None


def load(folder: Path) -> Evidence:
    """Read the notes of one run."""
    workers = {
        name: tuple(notes.read(folder, name))
        for name in notes.names(folder)
        if name not in {notes.PRODUCER, notes.DIRECTOR}
    }
    pushed = tuple(note.id for note in notes.read(folder, notes.PRODUCER) if note.what == "pushed")
    if not pushed:
        raise ConfigError(f"{folder} holds no notes of a demo; limpet demo --notes keeps them")
    evidence = Evidence(pushed, workers)
    for note in notes.read(folder, notes.DIRECTOR):
        if note.what == "killed":
            killed, in_hand = note.facts["worker"], frozenset(note.facts["in_hand"])
            evidence = Evidence(pushed, workers, killed, note.at, in_hand, evidence.counts)
        elif note.what == "end":
            evidence.counts.update(note.facts["counts"])
    return evidence


def _lost(evidence: Evidence) -> Iterator[str]:
    ended = {*evidence.times("acked"), *evidence.unnoted}
    for job in dict.fromkeys(evidence.pushed):
        if job not in ended:
            yield f"lost: {job} was pushed and never acked"


def _twice(evidence: Evidence) -> Iterator[str]:
    for job, times in evidence.times("acked").items():
        if times > 1:
            yield f"acked {times} times: {job}"
    for job, times in Counter(evidence.pushed).items():
        if times > 1:
            yield f"one id for {times} jobs: {job}"


def _strangers(evidence: Evidence) -> Iterator[str]:
    for job in sorted(
        {*evidence.times("started"), *evidence.times("acked")} - set(evidence.pushed)
    ):
        yield f"never pushed, but worked on: {job}"


def _starts(evidence: Evidence) -> Iterator[str]:
    """A job may start again only if the worker that had it was killed or froze."""
    for job, times in evidence.times("started").items():
        allowed = 1 + (job in evidence.in_hand) + evidence.froze[job]
        if times > allowed:
            yield f"started {times} times without a reason: {job}"
    for job, last in evidence.again.items():
        if job in evidence.in_hand and not evidence.froze[job] and last.at < evidence.killed_at:
            yield f"in two hands at once: {job}"


def _kill(evidence: Evidence) -> Iterator[str]:
    if not evidence.killed:
        yield "no worker was killed"
    elif not evidence.in_hand:
        yield f"{evidence.killed} had nothing in hand when it was killed"


def _counts(evidence: Evidence) -> Iterator[str]:
    """What the queue counted must fit what the workers noted."""
    counts = evidence.counts
    if not counts:
        yield "the run did not come to its end"
        return
    left = sum(counts.get(state, 0) for state in _LEFT)
    if left:
        yield f"{left} jobs are still in the queue"
    if counts.get("completed") != len(evidence.pushed):
        pushed = len(evidence.pushed)
        yield f"the queue counts {counts.get('completed')} ended jobs, {pushed} were pushed"


_RULES: tuple[Callable[[Evidence], Iterator[str]], ...] = (
    _lost,
    _twice,
    _strangers,
    _starts,
    _kill,
    _counts,
)


def faults(evidence: Evidence) -> list[str]:
    """Name everything that contradicts the promise; nothing means it is proven."""
    return [fault for rule in _RULES for fault in rule(evidence)]

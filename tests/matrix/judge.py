"""The judge: from what was seen and what the server says at the end to a verdict. Pure."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from tests.matrix.witness import Sighting

POISON = "poison"
#: A process that is hit may begin something more before it is dead.
THROES_S = 0.5


@dataclass(frozen=True, slots=True)
class Ending:
    """Where the server has a job when all is over."""

    #: "gone" or the state of the job.
    state: str
    reason: str = ""
    #: Which delivery was accepted, if the job keeps its result, which is its fence.
    fence: int | None = None


@dataclass(frozen=True, slots=True)
class Final:
    """What the server says when all is over."""

    endings: Mapping[str, Ending]
    #: Accepted ends, without those of failed jobs.
    accepted: int


@dataclass(frozen=True, slots=True)
class Restart:
    """A job that started again after its process was hit."""

    job: str
    #: Which strike it was, by its place among all.
    strike: int
    #: Seconds from there to the start.
    after_s: float
    #: How many jobs that had never started before did so in between.
    overtaken_by: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of all jobs."""

    jobs: int = 0
    #: Acknowledged, gone, and never run to the end.
    lost: tuple[str, ...] = ()
    #: Still somewhere in the queue.
    stuck: tuple[str, ...] = ()
    #: Given up -> why; the poison, and the others.
    poison: Mapping[str, str] = field(default_factory=dict)
    neighbours: Mapping[str, str] = field(default_factory=dict)
    #: Poison that is not in the dead list.
    escaped: tuple[str, ...] = ()
    #: How often each poison started.
    poison_starts: Mapping[str, int] = field(default_factory=dict)
    restarts: tuple[Restart, ...] = ()
    #: Started again although nobody was hit: job by job.
    unexplained: tuple[str, ...] = ()
    strikes: int = 0
    #: The server accepted so many more ends than there are jobs that ended; should be none.
    surplus: int = 0
    #: Jobs whose accepted delivery is not one that was seen.
    strange: tuple[str, ...] = ()
    #: Jobs that ran and that no enqueue ever answered for: one call made two of them.
    uninvited: tuple[str, ...] = ()
    #: Most jobs that came later and started earlier, over all jobs that were never hit.
    disorder: int = 0
    #: Longest time from the end of a trouble to the next start.
    resumed_s: float = 0.0

    @property
    def extra(self) -> int:
        """All starts beyond the first, poison not counted."""
        return len(self.unexplained) + len(self.restarts)

    @property
    def most_per_strike(self) -> int:
        """The most restarts that one strike cost."""
        return max(Counter(restart.strike for restart in self.restarts).values(), default=0)

    @property
    def recovery_s(self) -> float:
        """The slowest restart after a strike."""
        return max((restart.after_s for restart in self.restarts), default=0.0)

    @property
    def places_lost(self) -> int:
        """The most places that a job lost which started again."""
        return max((restart.overtaken_by for restart in self.restarts), default=0)


@dataclass(frozen=True, slots=True)
class Bounds:
    """What is allowed; all else is not."""

    #: Restarts for each process that was hit: the slots it had.
    per_strike: int = 0
    recovery_s: float = math.inf
    places_lost: float = math.inf
    disorder: float = math.inf
    resumed_s: float = math.inf
    #: Starts of one poison.
    poison_starts: int = 3


def judge(seen: Sequence[Sighting], final: Final) -> Verdict:
    """Judge a run that is over."""
    seen = sorted(seen, key=lambda sighting: sighting.at)
    pushed = {s.job: s for s in seen if s.what == "pushed"}
    ended = {s.job for s in seen if s.what == "end"}
    starts = _starts(seen)
    poison = {job for job, sighting in pushed.items() if sighting.text.startswith(POISON)}
    ending = {job: final.endings.get(job, Ending("gone")) for job in pushed}
    dead = {job: end.reason for job, end in ending.items() if end.state == "dead"}
    gone = [job for job, end in ending.items() if end.state == "gone"]
    lost = tuple(job for job in gone if job not in ended)
    restarts, unexplained = _again(seen, {j: s for j, s in starts.items() if j not in poison})
    return Verdict(
        jobs=len(pushed),
        lost=lost,
        stuck=tuple(job for job, end in ending.items() if end.state not in {"gone", "dead"}),
        poison={job: why for job, why in dead.items() if job in poison},
        neighbours={job: why for job, why in dead.items() if job not in poison},
        escaped=tuple(sorted(poison - dead.keys())),
        poison_starts={job: len(starts.get(job, [])) for job in poison},
        restarts=restarts,
        unexplained=unexplained,
        strikes=sum(sighting.what == "strike" for sighting in seen),
        surplus=final.accepted - (len(gone) - len(lost)),
        strange=tuple(job for job in gone if _is_strange(ending[job], starts.get(job, []))),
        uninvited=tuple(sorted(starts.keys() - pushed.keys())),
        disorder=_disorder(starts, {restart.job for restart in restarts} | poison),
        resumed_s=_resumed_s(seen),
    )


def complaints(verdict: Verdict, bounds: Bounds) -> list[str]:
    """Hold a verdict against what is allowed; nothing to say is a good thing."""
    found: list[tuple[str, object]] = [
        ("lost", verdict.lost),
        ("stuck", verdict.stuck),
        ("given up, and no poison", verdict.neighbours),
        ("poison that was not given up", verdict.escaped),
        ("started again for no reason", verdict.unexplained),
        ("ends accepted beyond one for each job", verdict.surplus),
        ("ended by a delivery nobody saw", verdict.strange),
        ("enqueued by nobody", verdict.uninvited),
    ]
    tired = {j: n for j, n in verdict.poison_starts.items() if n > bounds.poison_starts}
    found.append((f"poison started more than {bounds.poison_starts} times", tired))
    limits = [
        ("restarts for one strike", verdict.most_per_strike, bounds.per_strike),
        ("seconds until a restart", verdict.recovery_s, bounds.recovery_s),
        ("places lost by a restarted job", verdict.places_lost, bounds.places_lost),
        ("places of disorder", verdict.disorder, bounds.disorder),
        ("seconds until work went on", verdict.resumed_s, bounds.resumed_s),
    ]
    said = [f"{what}: {value}" for what, value in found if value]
    return said + [f"{what}: {got:g}, at most {most:g}" for what, got, most in limits if got > most]


def _starts(seen: Iterable[Sighting]) -> dict[str, list[Sighting]]:
    starts: dict[str, list[Sighting]] = {}
    for sighting in seen:
        if sighting.what == "start":
            starts.setdefault(sighting.job, []).append(sighting)
    return starts


def _again(
    seen: Sequence[Sighting], starts: Mapping[str, list[Sighting]]
) -> tuple[tuple[Restart, ...], tuple[str, ...]]:
    """Sort starts beyond the first: after a strike on the process that had the job, or not."""
    strikes = [sighting for sighting in seen if sighting.what == "strike"]
    firsts = [mine[0].at for mine in starts.values()]
    restarts, unexplained = [], []
    for job, mine in starts.items():
        for one, next_one in pairwise(mine):
            number = _strike_between(strikes, one, next_one)
            if number is None:
                unexplained.append(job)
                continue
            hit_at = strikes[number].at
            overtaken_by = sum(hit_at < first < next_one.at for first in firsts)
            restarts.append(Restart(job, number, next_one.at - hit_at, overtaken_by))
    return tuple(restarts), tuple(unexplained)


def _strike_between(strikes: Sequence[Sighting], one: Sighting, other: Sighting) -> int | None:
    for number, strike in enumerate(strikes):
        if strike.pid == one.pid and one.at - THROES_S <= strike.at <= other.at:
            return number
    return None


def _is_strange(ending: Ending, starts: Sequence[Sighting]) -> bool:
    return ending.fence is not None and ending.fence not in {start.fence for start in starts}


def _disorder(starts: Mapping[str, list[Sighting]], apart: set[str]) -> int:
    firsts = sorted(mine[0].at for job, mine in starts.items() if job not in apart)
    numbers = {mine[0].at: mine[0].n for mine in starts.values()}
    order = [numbers[at] for at in firsts]
    return max((sum(m > n for m in order[:at]) for at, n in enumerate(order)), default=0)


def _resumed_s(seen: Sequence[Sighting]) -> float:
    """Find the longest time from a relief to the next start, if there was one to come."""
    begun = [sighting.at for sighting in seen if sighting.what == "start"]
    reliefs = [sighting.at for sighting in seen if sighting.what == "relief"]
    waits = [min((at - relief for at in begun if at >= relief), default=0.0) for relief in reliefs]
    return max(waits, default=0.0)

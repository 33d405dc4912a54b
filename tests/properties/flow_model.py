"""The reference model with what tasks need: groups, outcomes, notes, and jobs set aside.

It builds on the model of a queue and says only what is new: a job that ends leaves its group, and
the end of a group calls those who follow it; how a job ended is kept for those who asked; a job
whose task a worker does not know waits for one that does; a running job tells about itself.
"""

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from limpet.commands.push import NewJob, PushAnswer
from limpet.commands.take import Taker
from limpet.options import WorkerOptions
from limpet.states import State
from limpet.values import Delivery, Notes, Outcome, Pushed, Receipt, Tally
from tests.model.moves import ALLOWED, Job
from tests.model.queue_model import QueueModel

MERGED = "merged into an identical job"
CALLED_OFF = "a step before it did not succeed"
#: Ways between states that only flows have.
SET_ASIDE = ("set aside", State.RUNNING, State.PARKED)
FOLLOWS = ("follows", State.WAITING, State.PARKED)
CALLED = ("called", State.PARKED, State.WAITING)


@dataclass
class Flow:
    """What a flow adds to a job."""

    group: str | None = None
    after: str | None = None
    needs: bool = False
    keep_ms: int | None = None
    #: The task that a worker did not know.
    task: str | None = None
    tally: Tally | None = None
    notes: Notes = field(default_factory=Notes)


class FlowModel(QueueModel):
    """One queue with flows in it."""

    allowed: ClassVar = ALLOWED | {SET_ASIDE, FOLLOWS, CALLED}

    def __init__(self, queue: str = "model") -> None:
        super().__init__(queue)
        self.flows: dict[str, Flow] = {}
        self.members: dict[str, set[str]] = {}
        self.tallies: dict[str, Counter[str]] = {}
        #: How jobs ended, and until when that is kept.
        self.outcomes: dict[str, tuple[Outcome, int]] = {}
        self.knows: dict[str, tuple[str, ...]] = {}
        #: The result or the reason of the end that comes next.
        self.saying = b""

    # Groups

    def push(self, jobs: list[NewJob]) -> PushAnswer:
        """Queue jobs; who follows a group without members need not wait."""
        answer = super().push(jobs)
        created = {p.id: job for p, job in zip(answer.pushed, jobs, strict=True) if p.created}
        for job_id, job in created.items():
            if job.after and not self.members.get(job.after):
                self._follow(self.jobs[job_id], Counter())
        return answer

    def _push_one(self, new: NewJob, seq: int, front_place: int) -> Pushed:
        pushed = super()._push_one(new, seq, front_place)
        if pushed.created:
            self.flows[pushed.id] = Flow(new.group, new.after, new.needs, new.keep_ms)
            if new.group:
                self.members.setdefault(new.group, set()).add(pushed.id)
            if new.after:
                self.move(self.jobs[pushed.id], *FOLLOWS[::2])
        return pushed

    def move(self, job: Job, verb: str, target: State | None) -> None:
        """Change the state of a job; for some ways this is its end."""
        super().move(job, verb, target)
        if target in {None, State.DEAD} and verb != "purge":
            failed = target is State.DEAD or verb == "fail"
            how = "done" if verb == "ack" else "failed" if failed else "cancelled"
            said, self.saying = MERGED.encode() if verb == "merge" else self.saying, b""
            self._ended(job.id, self.flows[job.id], how, said)
        if target is None:
            self.flows.pop(job.id)

    def _ended(self, job_id: str, flow: Flow, how: Any, said: bytes) -> None:
        if flow.keep_ms is not None:
            self.outcomes[job_id] = (Outcome(job_id, how, said, self.ms), self.ms + flow.keep_ms)
        else:  # nor is that of an earlier job with this id
            self.outcomes.pop(job_id, None)
        group, flow.group = flow.group, None
        if group is None:
            return
        self.members[group].discard(job_id)
        tally = self.tallies.setdefault(group, Counter())
        tally[how] += 1
        if not self.members[group]:
            del self.members[group], self.tallies[group]
            for follower in self._followers(group):
                self._follow(follower, tally)

    def _followers(self, group: str) -> list[Job]:
        found = [job for job in self.of(State.PARKED) if self.flows[job.id].after == group]
        return sorted(found, key=lambda job: job.place)

    def _follow(self, job: Job, tally: Counter[str]) -> None:
        flow = self.flows[job.id]
        flow.after = None
        if flow.needs and tally["failed"] + tally["cancelled"]:
            self.saying = CALLED_OFF.encode()
            self.counters["cancelled"] += 1
            self.move(job, "cancel", None)
            return
        flow.tally = Tally(**tally)
        self.line_up(job, CALLED[0])

    # Ending deliveries

    def complete(self, receipt: Receipt, result: bytes) -> bool:
        """End a job as done, with a result."""
        if not self.holds(receipt) or not self.end_delivery(self.jobs[receipt.id]):
            return False
        self.saying = result
        self.move(self.jobs[receipt.id], "ack", None)
        self.counters["completed"] += 1
        return True

    def bury(self, job: Job, verb: str, reason: str, dead_limit: int) -> None:
        """End a job in failure."""
        self.saying = reason.encode()
        super().bury(job, verb, reason, dead_limit)

    def strand(self, receipt: Receipt, task: str) -> bool:
        """Set a job aside for those who know its task; this was no delivery."""
        if not self.holds(receipt):
            return False
        job = self.jobs[receipt.id]
        before = job.deliveries, job.started_at
        if not self.end_delivery(job):
            return False
        job.deliveries, job.started_at = before
        self.flows[job.id].task = task
        self.put_back(job, SET_ASIDE[0])
        return True

    def line_up(self, job: Job, verb: str) -> None:
        """Bring a job back to its place, or set it aside."""
        if verb == SET_ASIDE[0]:
            self.move(job, *SET_ASIDE[::2])
        else:
            super().line_up(job, verb)

    def drop(self) -> bool:
        """Forget flows with everything else."""
        there = super().drop()
        for kept in (self.flows, self.members, self.tallies, self.outcomes):
            kept.clear()
        return there

    # Taking

    def start_work(self, worker: str, options: WorkerOptions, host: str, pid: int) -> bool:
        """Register a worker and what it knows."""
        self.knows[worker] = options.tasks
        return super().start_work(worker, options, host, pid)

    def aside(self) -> list[Job]:
        """Jobs set aside, by task and place."""
        found = [job for job in self.of(State.PARKED) if self.flows[job.id].task is not None]
        return sorted(found, key=self.parks_as)

    def parks_as(self, job: Job) -> tuple[bytes, int]:
        """What a parked job waits for, and its place there: shown in this order."""
        flow = self.flows[job.id]
        kind, name = (
            (b"after:", flow.after.encode())
            if flow.after is not None
            else (b"task:", flow.task.encode())
            if flow.task is not None
            else (b"", job.lock or b"")
        )
        return b"%b%d:%b|" % (kind, len(name), name), job.place

    def fill(self, taker: Taker, got: list[Job], count: int) -> None:
        """Before the line comes what was set aside and this worker knows."""
        known = [j for j in self.aside() if self.flows[j.id].task in self.knows[taker.worker]]
        for job in known:
            if len(got) < count:
                self.flows[job.id].task = None
                self.line_up(job, CALLED[0])
                if not job.crashes and self.take_one(job):
                    got.append(job)
        super().fill(taker, got, count)

    def call_next(self, lock: bytes) -> None:
        """Of those who are parked, only these wait for a lock."""
        others = {j.id for j in self.of(State.PARKED) if self.parks_as(j)[0][:1].isalpha()}
        parked = [j for j in self.of(State.PARKED) if j.lock == lock and j.id not in others]
        if parked:
            self.line_up(min(parked, key=lambda j: j.place), "unlock")

    def delivery(self, job: Job) -> Delivery:
        """Show also how the group ended that the job followed."""
        return super().delivery(job)._replace(tally=self.flows[job.id].tally)

    # Notes

    def progress(self, receipt: Receipt, fraction: float, said: str) -> bool:
        """Note how far a job has come."""
        return self._note(receipt, fraction=fraction, text=said, at=self.ms)

    def log(self, receipt: Receipt, line: str) -> bool:
        """Add a line to the log of a job."""
        kept = self.notes(receipt.id).log
        return self._note(receipt, log=(*kept, (self.ms, line))[-100:])

    def once(self, receipt: Receipt, effect: str) -> bool | None:
        """Note an effect, the first time."""
        kept = self.notes(receipt.id).once
        if effect in kept and self.holds(receipt):
            return False
        return self._note(receipt, once=tuple(sorted((*kept, effect)))) or None

    def _note(self, receipt: Receipt, **news: Any) -> bool:
        if self.holds(receipt):
            self.flows[receipt.id].notes = replace(self.notes(receipt.id), **news)
        return self.holds(receipt)

    # Looking

    def notes(self, job_id: str) -> Notes:
        """What a job told about itself, as long as it is there."""
        return self.flows[job_id].notes if job_id in self.flows else Notes()

    def result(self, job_id: str) -> Outcome | None:
        """How a job ended; None if it has not."""
        if job_id in self.jobs and self.jobs[job_id].state is not State.DEAD:
            return None
        outcome, until = self.outcomes.get(job_id, (Outcome(job_id, "unknown"), 0))
        return outcome if until > self.ms else Outcome(job_id, "unknown")

    def stranded(self) -> dict[str, int]:
        """Count what was set aside, by task."""
        return dict(Counter(self.flows[job.id].task or "" for job in self.aside()))

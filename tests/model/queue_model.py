"""The reference model of a queue: what limpet must do, in plain Python, without a server.

It is the definition of correct. Its operations have the names, arguments and answers of the
functions in `limpet.commands`; `send` puts the envelope around them: the time in microseconds,
and for numbered requests the lane and the number. A request that its lane sent before is
answered again and changes nothing.

What it leaves out on purpose: the bound on the work of one call (worlds in tests are small) and
the wake-up token (an invariant of the server's state, see `invariants`).
"""

from dataclasses import dataclass, replace
from typing import Any

from limpet.commands.push import NewJob, PushAnswer
from limpet.commands.take import Taken, Taker
from limpet.states import State
from limpet.values import Claim, Delivery, Pushed, Receipt
from tests.model.crew import Crew, positions_of
from tests.model.moves import Job

SUPERSEDED = "superseded"
UNNUMBERED = {"tend", "beat", "renew", "pause", "unpause"}
MEMORY_MS = 3_600_000


@dataclass(frozen=True, slots=True)
class Remembered:
    """The last request of a lane: its number, when it came, its answer."""

    seq: int
    at_ms: int
    answer: Any


@dataclass(frozen=True, slots=True)
class Abandoned:
    """The answer to a request that was given up, and what that returned."""

    returned: int


class QueueModel(Crew):
    """One queue: send it requests, look at its jobs."""

    def __init__(self, queue: str = "model") -> None:
        super().__init__(queue)
        self.memory: dict[str, Remembered] = {}

    def send(
        self, us: int, name: str, *args: Any, lane: str = "", seq: int = 0, **named: Any
    ) -> Any:
        """Carry out a request at a time, once; raises WorkerLost as a command does."""
        self.us, self.ms = us, us // 1000
        if name == "abandon":
            return self._abandon(lane, seq)
        last = self.memory.get(lane) if name not in UNNUMBERED else None
        if last and seq <= last.seq:
            return self.again(last.answer) if seq == last.seq else SUPERSEDED
        answer = getattr(self, name)(*args, **named)
        if lane and name not in UNNUMBERED:
            self.memory[lane] = Remembered(seq, self.ms, answer)
        return answer

    def again(self, answer: Any) -> Any:
        """Give an answer once more; deliveries that are over by now are left out."""
        match answer:
            case Taken():
                kept = [d for d in answer.deliveries if self.holds(d.receipt)]
                return replace(answer, deliveries=kept)
            case [Delivery(), *_]:
                return [d for d in answer if self.holds(d.receipt)]
            case Delivery() if not self.holds(answer.receipt):
                return None
            case Claim(delivery=Delivery() as shown) if not self.holds(shown.receipt):
                return Claim("NONE")
        return answer

    def copy(self) -> "QueueModel":
        """Copy the whole queue."""
        twin = super().copy()
        assert isinstance(twin, QueueModel)
        twin.memory = dict(self.memory)
        return twin

    # Queueing

    def push(self, jobs: list[NewJob]) -> PushAnswer:
        """Queue jobs, left to right."""
        born, self.exists = not self.exists, True
        before, count = self.mint(len(jobs)), len(jobs)
        made = [
            self._push_one(new, before + n, -(before + count + 1 - n))
            for n, new in enumerate(jobs, 1)
        ]
        return PushAnswer(made, born)

    def _push_one(self, new: NewJob, seq: int, front_place: int) -> Pushed:
        job_id = new.id or f"{self.last_ms}-{seq}"
        due = new.at_ms if new.at_ms is not None else self.ms + (new.delay_ms or 0)
        twin = self.jobs.get(self.marks.get(new.unique, "")) if new.unique is not None else None
        if job_id in self.jobs:
            return self._keep(job_id)
        if twin:
            return self._replace(twin, new, due) if new.twin == "replace" else self._keep(twin.id)
        place = front_place if new.front else seq
        job = Job(job_id, new.payload, place, self.ms if new.id else self.last_ms)
        job.unique, job.mode, job.lock, job.limit = new.unique, new.mode, new.lock, new.limit or 1
        self.jobs[job_id] = job
        self.mark(job)
        self.move(job, "push", State.SCHEDULED if due > self.ms else State.WAITING)
        job.due, job.returned = due, new.front
        return Pushed(self.queue, job_id)

    def _keep(self, job_id: str) -> Pushed:
        """The job in the way stays as it is."""
        self.counters["refused"] += 1
        return Pushed(self.queue, job_id, created=False)

    def _replace(self, twin: Job, new: NewJob, due: int) -> Pushed:
        """The job in the way gets the newer payload and time, unless it runs already."""
        if twin.state is State.RUNNING:
            return self._keep(twin.id)
        twin.payload = new.payload
        if twin.state is State.SCHEDULED and (new.at_ms, new.delay_ms) != (None, None):
            twin.due = due
        return Pushed(self.queue, twin.id, created=False, replaced=True)

    # Ending deliveries

    def ack_and_pop(self, taker: Taker, receipts: list[Receipt], count: int) -> Taken:
        """End jobs as done and take new ones."""
        refused = self.refusal(taker.worker, tended=False)
        not_acked = self._finish(receipts)
        taken = refused or self.hand_out(taker, count)
        return replace(taken, not_acked=not_acked)

    def ack(self, receipts: list[Receipt]) -> list[str]:
        """End jobs as done; answers the ids really acked."""
        return _accepted(receipts, self._finish(receipts))

    def _finish(self, receipts: list[Receipt]) -> frozenset[int]:
        good, refused = self.sort_out(receipts)
        for receipt in good:
            job = self.jobs[receipt.id]
            if self.end_delivery(job):
                self.move(job, "ack", None)
                self.counters["completed"] += 1
            else:
                refused |= positions_of(receipts, receipt)
        return refused

    def release(self, receipts: list[Receipt], delay_ms: int | None) -> list[str]:
        """Give jobs back to their place, or for later; answers the ids really released."""
        good, refused = self.sort_out(receipts)
        for receipt in good:
            job = self.jobs[receipt.id]
            if not self.end_delivery(job):
                refused |= positions_of(receipts, receipt)
            elif delay_ms is None:
                self.put_back(job, "release")
            else:
                self.put_off(job, "release", self.ms + delay_ms)
        return _accepted(receipts, refused)

    def fail(self, receipt: Receipt, message: bytes, dead_limit: int) -> bool:
        """End a job in failure."""
        if not self.holds(receipt) or not self.end_delivery(self.jobs[receipt.id]):
            return False
        self.bury(self.jobs[receipt.id], "fail", message.decode(), dead_limit)
        return True

    def retry(self, receipt: Receipt, delay_ms: int, message: bytes) -> bool:
        """Schedule a job for another attempt."""
        if not self.holds(receipt) or not self.end_delivery(self.jobs[receipt.id]):
            return False
        job = self.jobs[receipt.id]
        job.retries += 1
        job.error = message.decode()
        self.put_off(job, "retry", self.ms + delay_ms)
        return True

    def _abandon(self, lane: str, seq: int) -> int:
        """Give up a request whose reply never came: what it handed out goes back to its place."""
        last = self.memory.get(lane)
        if last and seq < last.seq:
            return 0
        if last and seq == last.seq and isinstance(last.answer, Abandoned):
            return last.answer.returned
        given = handed_out(self.again(last.answer)) if last and seq == last.seq else []
        for delivery in given:
            if self.end_delivery(self.jobs[delivery.id]):
                self.put_back(self.jobs[delivery.id], "release")
        if lane:
            self.memory[lane] = Remembered(seq, self.ms, Abandoned(len(given)))
        return len(given)

    # Managing

    def cancel(self, ids: list[str], payload: bytes | None) -> int:
        """Cancel jobs by id, if they still have that payload; answers how many."""
        told = removed = 0
        found = [self.jobs[job_id] for job_id in dict.fromkeys(ids) if job_id in self.jobs]
        for job in [job for job in found if payload in (None, job.payload)]:
            if job.state is State.RUNNING:
                told += not job.told
                job.told = True
            elif job.state not in {None, State.DEAD}:
                self.evict(job, "cancel")
                removed += 1
        self.counters["cancelled"] += removed
        return told + removed

    def pause(self) -> None:
        """Stop handing jobs out."""
        self.paused = True

    def unpause(self) -> None:
        """Hand jobs out again."""
        self.paused = False

    def revive(self, ids: list[str], count: int) -> list[str]:
        """Give dead jobs another life at the end of the line, unless a twin lives."""
        newest = [job.id for job in reversed(self.dead())][:count]
        revived = []
        for job in [self.jobs[job_id] for job_id in ids or newest if job_id in self.jobs]:
            if job.state is State.DEAD and (job.unique is None or job.unique not in self.marks):
                self.move(job, "revive", State.WAITING)
                self.mark(job)
                job.place = self.mint(1) + 1
                job.crashes = job.retries = 0
                job.error = job.reason = None
                revived.append(job.id)
        return revived

    def purge(self, ids: list[str], count: int) -> int:
        """Forget dead jobs, by id or the oldest; answers how many."""
        chosen = ids or [job.id for job in self.dead()[:count]]
        dead = [self.jobs[job_id] for job_id in dict.fromkeys(chosen) if job_id in self.jobs]
        gone = [job for job in dead if job.state is State.DEAD]
        for job in gone:
            self.move(job, "purge", None)
        return len(gone)

    def drop(self) -> bool:
        """Forget all but the clock, the memory of requests and the living workers."""
        self.advance()
        there, self.exists, self.paused = self.exists, False, False
        for worker in self.expired():
            del self.workers[worker]
        self.jobs, self.marks, self.failures = {}, {}, []
        self.counters.clear()
        return there


def handed_out(answer: Any) -> list[Delivery]:
    """The deliveries that a request handed out, whatever kind of request it was."""
    match answer:
        case Claim(state="READY", delivery=Delivery() as one) | (Delivery() as one):
            return [one]
        case Taken(deliveries=given) | [*given]:
            return [d for d in given if isinstance(d, Delivery)]
    return []


def _accepted(receipts: list[Receipt], refused: frozenset[int]) -> list[str]:
    return list(dict.fromkeys(r.id for n, r in enumerate(receipts, 1) if n not in refused))

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
from limpet.commands.workers import Beat, Tended
from limpet.errors import WorkerLost
from limpet.options import WorkerOptions
from limpet.states import State
from limpet.values import Claim, Delivery, Pushed, Receipt
from tests.model.moves import DEAD_ALREADY, Job, Moves, Worker

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


class QueueModel(Moves):
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
        id = new.id or f"{self.last_ms}-{seq}"
        twin = self.jobs.get(self.marks.get(new.unique, "")) if new.unique is not None else None
        due = new.at_ms if new.at_ms is not None else self.ms + (new.delay_ms or 0)
        if id in self.jobs or twin:
            if id in self.jobs or new.twin != "replace" or twin.state is State.RUNNING:
                self.counters["refused"] += 1
                return Pushed(self.queue, id if id in self.jobs else twin.id, created=False)
            twin.payload = new.payload
            if twin.state is State.SCHEDULED and (new.at_ms, new.delay_ms) != (None, None):
                twin.due = due
            return Pushed(self.queue, twin.id, created=False, replaced=True)
        place = front_place if new.front else seq
        job = Job(id, new.payload, place, self.ms if new.id else self.last_ms)
        job.unique, job.mode, job.lock, job.limit = new.unique, new.mode, new.lock, new.limit or 1
        self.jobs[id] = job
        self.mark(job)
        self.move(job, "push", State.SCHEDULED if due > self.ms else State.WAITING)
        job.due, job.returned = due, new.front
        return Pushed(self.queue, id)

    # Taking

    def pop(self, taker: Taker, count: int, *, tended: bool = False) -> Taken:
        """Take up to `count` jobs."""
        return self._refusal(taker.worker, tended) or self._hand_out(taker, count)

    def ack_and_pop(self, taker: Taker, receipts: list[Receipt], count: int) -> Taken:
        """End jobs as done and take new ones."""
        refused = self._refusal(taker.worker, tended=False)
        not_acked = self._finish(receipts)
        taken = refused or self._hand_out(taker, count)
        return replace(taken, not_acked=not_acked)

    def claim(self, taker: Taker, timeout_ms: int, *, tended: bool = False) -> Claim | None:
        """Take one job, or see what the oldest running one does."""
        refused = self._refusal(taker.worker, tended)
        if refused:
            return None if refused.tend else Claim("NONE")
        taken = self._hand_out(taker, 1).deliveries or None
        if taken:
            return Claim("READY", taken[0])
        aged = self._aged(timeout_ms)
        if aged:
            return Claim("TIMEDOUT", self.delivery(aged[0]))
        return Claim("PROCESSING" if self.running() else "NONE")

    def recover(self, worker: str, count: int, older_ms: int) -> list[Delivery]:
        """Take over deliveries that are at least that old, oldest first."""
        self._demand(worker)
        return self._take_over(worker, self._aged(older_ms)[:count])

    def resume(self, worker: str, receipt: Receipt, timeout_ms: int) -> Delivery | None:
        """Take over one timed-out delivery."""
        self._demand(worker)
        job = self.jobs[receipt.id] if self.holds(receipt) else None
        if job is None or job.told or self.ms - job.delivered_at < timeout_ms:
            return None
        return self._take_over(worker, [job])[0]

    def _refusal(self, worker: str, tended: bool) -> Taken | None:
        """Why this worker gets nothing now; calling proves that a slow one lives."""
        self.advance()
        self._demand(worker)
        if worker in self.expired():
            self.renew_lease(worker)
        if not tended and self._overdue():
            return Taken(tend=True)
        return Taken() if self.paused else None

    def _demand(self, worker: str) -> None:
        if self.is_lost(worker):
            raise WorkerLost(worker)

    def _overdue(self) -> bool:
        return self.due_in() == 0 or bool(self.expired())

    def _hand_out(self, taker: Taker, count: int) -> Taken:
        jobs, draining = self.take(taker, count)
        given = self.grant(taker.worker, jobs) if jobs else []
        return Taken(given, self.due_in(), draining=draining)

    def _aged(self, older_ms: int) -> list[Job]:
        """Running jobs delivered at least so long ago, up to the first younger hand-out."""
        found = []
        for job in self.running():
            if self.ms - job.delivered_at < older_ms:
                break
            found += [] if job.told else [job]
        return found

    def _take_over(self, worker: str, jobs: list[Job]) -> list[Delivery]:
        if not jobs:
            return []
        for job in jobs:
            job.deliveries += 1
            job.started_at = job.started_at or job.delivered_at
            self.move(job, "recover", State.RUNNING)
        self.counters["recovered"] += len(jobs)
        return self.grant(worker, jobs)

    # Ending deliveries

    def ack(self, receipts: list[Receipt]) -> list[str]:
        """End jobs as done; answers the ids really acked."""
        return _accepted(receipts, self._finish(receipts))

    def _finish(self, receipts: list[Receipt]) -> frozenset[int]:
        good, refused = self._sort_out(receipts)
        for receipt in good:
            job = self.jobs[receipt.id]
            if self.end_delivery(job):
                self.move(job, "ack", None)
                self.counters["completed"] += 1
            else:
                refused |= _positions(receipts, receipt)
        return refused

    def release(self, receipts: list[Receipt], delay_ms: int | None) -> list[str]:
        """Give jobs back to their place, or for later; answers the ids really released."""
        good, refused = self._sort_out(receipts)
        for receipt in good:
            job = self.jobs[receipt.id]
            if not self.end_delivery(job):
                refused |= _positions(receipts, receipt)
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

    def _sort_out(self, receipts: list[Receipt]) -> tuple[list[Receipt], frozenset[int]]:
        """The valid receipts, each once, and the positions (from 1) of the stale ones."""
        good = [receipt for receipt in dict.fromkeys(receipts) if self.holds(receipt)]
        return good, frozenset(n for n, r in enumerate(receipts, 1) if not self.holds(r))

    # Workers

    def start_work(self, worker: str, options: WorkerOptions, host: str, pid: int) -> bool:
        """Register a worker; answers whether the queue is new."""
        born, self.exists = not self.exists, True
        known = self.stride if self.workers and self.stride else options.stride_ms
        self.stride = min(known, options.stride_ms)
        self.advance()
        self.workers[worker] = Worker(options.lease_ms, 0)
        self.renew_lease(worker)
        return born

    def stop_work(self, worker: str, limit: int = 100) -> tuple[bool, int]:
        """Leave a queue and give back what is held; answers (finished, returned)."""
        returned = self._hand_back(worker, limit, lambda job: self.put_back(job, "release"))
        finished = not self.running(worker)
        if finished:
            self.workers.pop(worker, None)
        return finished, returned

    def fail_worker(self, worker: str) -> bool:
        """Declare a worker dead; answers whether it served the queue."""
        if worker not in self.workers:
            return False
        self.workers[worker].lease_end = DEAD_ALREADY
        return True

    def _hand_back(self, worker: str, limit: int, each: Any) -> int:
        jobs = self.running(worker)[:limit]
        for job in jobs:
            if self.end_delivery(job):
                each(job)
        return len(jobs)

    def beat(self, worker: str) -> Beat:
        """Renew the lease; see whether there is something to tend."""
        self.advance()
        told = tuple(sorted(job.id for job in self.running() if job.told))
        if self.is_lost(worker):
            return Beat(True, False, -1, told)
        self.renew_lease(worker)
        due = self.due_in()
        ends = [w.lease_end - self.tick + 1 for w in self.workers.values()]
        next_in = int(max(min([*ends, *([due] if due >= 0 else []), 1_000_000]), -1))
        return Beat(False, self._overdue(), next_in, told)

    def renew(
        self, worker: str, receipts: list[Receipt]
    ) -> tuple[frozenset[int], frozenset[int]]:
        """Renew the lease; answers positions of lost and of cancelled receipts."""
        self.advance()
        self._demand(worker)
        self.renew_lease(worker)
        good, stale = self._sort_out(receipts)
        told = [_positions(receipts, r) for r in good if self.jobs[r.id].told]
        return stale, frozenset().union(*told)

    def tend(self, crash_limit: int, dead_limit: int, limit: int = 100) -> Tended:
        """Bring in due jobs, and return what one dead worker holds."""
        self.advance()
        due = sorted(
            (job for job in self.of(State.SCHEDULED) if (job.due or 0) <= self.ms),
            key=lambda job: (job.due, job.id),
        )[:limit]
        before = self.mint(len(due))
        for place, job in enumerate(due, before + 1):
            self.move(job, "due", State.WAITING)
            job.place = place
        returned = 0
        if self.expired():
            returned = self._sweep(self.expired()[0], crash_limit, dead_limit, limit)
        return Tended(len(due), returned, len(due) == limit or bool(self.expired()))

    def _sweep(self, worker: str, crash_limit: int, dead_limit: int, limit: int) -> int:
        def crashed(job: Job) -> None:
            job.crashes += 1
            job.booked = None
            if crash_limit and job.crashes >= crash_limit:
                self.bury(job, "return", f"its worker died {job.crashes} times", dead_limit)
            else:
                self.counters["recovered"] += 1
                self.put_back(job, "return")

        self.workers[worker].lease_end = DEAD_ALREADY
        returned = self._hand_back(worker, limit, crashed)
        if not self.running(worker):
            del self.workers[worker]
        return returned

    def _abandon(self, lane: str, seq: int) -> int:
        """Give up a request whose reply never came: what it handed out goes back to its place."""
        last = self.memory.get(lane)
        if last and seq < last.seq:
            return 0
        if last and seq == last.seq and isinstance(last.answer, Abandoned):
            return last.answer.returned
        answer = self.again(last.answer) if last and seq == last.seq else None
        match answer:
            case Taken(deliveries=given) | [*given]:
                pass
            case Claim(state="READY", delivery=Delivery() as one) | (Delivery() as one):
                given = [one]
            case _:
                given = []
        given = [d for d in given if isinstance(d, Delivery)]
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
        found = [self.jobs[id] for id in dict.fromkeys(ids) if id in self.jobs]
        for job in [job for job in found if payload in (None, job.payload)]:
            if job.state is State.RUNNING:
                told += not job.told
                job.told = True
            elif job.state is not State.DEAD:
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
        for job in [self.jobs[id] for id in ids or newest if id in self.jobs]:
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
        dead = [self.jobs[id] for id in dict.fromkeys(chosen) if id in self.jobs]
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


def _positions(receipts: list[Receipt], wanted: Receipt) -> frozenset[int]:
    return frozenset(n for n, receipt in enumerate(receipts, 1) if receipt == wanted)


def _accepted(receipts: list[Receipt], refused: frozenset[int]) -> list[str]:
    return list(dict.fromkeys(r.id for n, r in enumerate(receipts, 1) if n not in refused))

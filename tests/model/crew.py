"""How the reference model treats workers: start and stop, signs of life, keeping house."""

from typing import Any

from limpet.commands.workers import Beat, Tended
from limpet.options import WorkerOptions
from limpet.states import State
from limpet.values import Receipt
from tests.model.moves import DEAD_ALREADY, Job, Worker
from tests.model.taking import Taking


class Crew(Taking):
    """Start and stop of work, heartbeat, renewal, tending."""

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
        return Beat(False, self.overdue(), next_in, told)

    def renew(self, worker: str, receipts: list[Receipt]) -> tuple[frozenset[int], frozenset[int]]:
        """Renew the lease; answers positions of lost and of cancelled receipts."""
        self.advance()
        self.demand(worker)
        self.renew_lease(worker)
        good, stale = self.sort_out(receipts)
        told = [positions_of(receipts, r) for r in good if self.jobs[r.id].told]
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

    def sort_out(self, receipts: list[Receipt]) -> tuple[list[Receipt], frozenset[int]]:
        """The valid receipts, each once, and the positions (from 1) of the stale ones."""
        good = [receipt for receipt in dict.fromkeys(receipts) if self.holds(receipt)]
        return good, frozenset(n for n, r in enumerate(receipts, 1) if not self.holds(r))


def positions_of(receipts: list[Receipt], wanted: Receipt) -> frozenset[int]:
    """Where (from 1) a receipt stands among those shown."""
    return frozenset(n for n, receipt in enumerate(receipts, 1) if receipt == wanted)

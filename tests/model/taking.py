"""How the reference model hands jobs out: who gets what, and who gets nothing."""

from collections.abc import Iterable

from limpet.commands.take import Taken, Taker
from limpet.errors import WorkerLost
from limpet.states import State
from limpet.values import Claim, Delivery, Receipt
from tests.model.moves import Job, Moves


class Taking(Moves):
    """Pop, claim, recover and resume."""

    def pop(self, taker: Taker, count: int, *, tended: bool = False) -> Taken:
        """Take up to `count` jobs."""
        return self.refusal(taker.worker, tended=tended) or self.hand_out(taker, count)

    def claim(self, taker: Taker, timeout_ms: int, *, tended: bool = False) -> Claim | None:
        """Take one job, or see what the oldest running one does."""
        refused = self.refusal(taker.worker, tended=tended)
        if refused:
            return None if refused.tend else Claim("NONE")
        taken = self.hand_out(taker, 1).deliveries or None
        if taken:
            return Claim("READY", taken[0])
        aged = self._aged(timeout_ms)
        if aged:
            return Claim("TIMEDOUT", self.delivery(aged[0]))
        return Claim("PROCESSING" if self.running() else "NONE")

    def recover(self, worker: str, count: int, older_ms: int) -> list[Delivery]:
        """Take over deliveries that are at least that old, oldest first."""
        self.demand(worker)
        return self._take_over(worker, self._aged(older_ms)[:count])

    def resume(self, worker: str, receipt: Receipt, timeout_ms: int) -> Delivery | None:
        """Take over one timed-out delivery."""
        self.demand(worker)
        job = self.jobs[receipt.id] if self.holds(receipt) else None
        if job is None or job.told or self.ms - job.delivered_at < timeout_ms:
            return None
        return self._take_over(worker, [job])[0]

    def refusal(self, worker: str, *, tended: bool) -> Taken | None:
        """Why this worker gets nothing now; calling proves that a slow one lives."""
        self.advance()
        self.demand(worker)
        if worker in self.expired():
            self.renew_lease(worker)
        if not tended and self.overdue():
            return Taken(tend=True)
        return Taken() if self.paused else None

    def demand(self, worker: str) -> None:
        """Refuse a worker that was declared dead."""
        if self.is_lost(worker):
            raise WorkerLost(worker)

    def overdue(self) -> bool:
        """Is there a scheduled job to bring in, or a dead worker to clear away?"""
        return self.due_in() == 0 or bool(self.expired())

    def hand_out(self, taker: Taker, count: int) -> Taken:
        """Give a worker what it may have."""
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

    def grant(self, worker: str, jobs: Iterable[Job]) -> list[Delivery]:
        """Give jobs to a worker under a new fence, shared by them."""
        self.last_fence = max(self.us, self.last_fence + 1)
        given = list(jobs)
        for nth, job in enumerate(given):
            job.fence, job.nth, job.worker = self.last_fence, nth, worker
            job.delivered_at = self.ms
        return [self.delivery(job) for job in given]

    def delivery(self, job: Job) -> Delivery:
        """Show a running job as its worker sees it."""
        assert job.fence is not None
        return Delivery(
            self.queue,
            job.id,
            job.payload,
            Receipt(job.id, job.fence),
            job.enqueued_at,
            job.started_at or job.delivered_at,
            job.delivered_at,
            job.deliveries + 1,
            job.crashes,
            job.retries,
            job.lock,
        )

    def take(self, taker: Taker, count: int) -> tuple[list[Job], bool]:
        """Choose what a worker gets; also answers whether it must run empty first."""
        trials = [job for job in self.running(taker.worker) if job.crashes]
        if taker.burden == "alone" or any(_last_chance(job, taker) for job in trials):
            return [], True
        got: list[Job] = []
        if not trials and taker.burden != "suspect":
            got, word = self._take_suspect(taker)
            if word:
                return got, word == "draining"
        self.fill(taker, got, count)
        return got, False

    def fill(self, taker: Taker, got: list[Job], count: int) -> None:
        """Fill up from the line."""
        for job in [job for job in self.line() if not job.crashes]:
            if len(got) < count and self.take_one(job):
                got.append(job)

    def _take_suspect(self, taker: Taker) -> tuple[list[Job], str]:
        for job in [job for job in self.line() if job.crashes]:
            alone = _last_chance(job, taker)
            busy = taker.burden != "none" or self.running(taker.worker)
            if alone and busy:
                if job.booked != taker.worker and job.booked in self.workers:
                    return [], ""
                job.booked = taker.worker
                return [], "draining"
            if self.take_one(job):
                return [job], "alone" if alone else ""
        return [], ""

    def take_one(self, job: Job) -> bool:
        """Hand a job of the line out, or park it if its lock has no room; answers which."""
        if not self.has_room(job):
            self.move(job, "park", State.PARKED)
            return False
        self.move(job, "pop", State.RUNNING)
        job.fence = 0  # it holds its lock from here on; `grant` gives the number
        if job.mode == "waiting":
            self.unmark(job)
        return True


def _last_chance(job: Job, taker: Taker) -> bool:
    """One more death of its worker and this job is given up."""
    return taker.crash_limit > 0 and job.crashes > 0 and job.crashes >= taker.crash_limit - 1

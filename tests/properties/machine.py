"""The state machine: all operations in any order, on a real server and on the model.

Every action ends in `Pair`, which compares the answers and the whole worlds and looks at all
invariants after each request.
"""

from dataclasses import replace
from typing import Any

from hypothesis.stateful import rule

from limpet.commands.push import NewJob
from limpet.commands.take import Taken
from limpet.options import WorkerOptions
from limpet.states import State
from tests.model.pair import Request
from tests.model.world import differences, model_world
from tests.properties.actions import MS, OPTIONS, actions
from tests.properties.stage import Stage

MANY_JOBS = 25


class QueueMachine(Stage):
    """Everything that can happen to a queue; the methods are the actions of actions.py."""

    @rule(action=actions())
    def step(self, action: tuple[Any, ...]) -> None:
        """Let one thing happen."""
        name, *args = action
        self.asked = False
        getattr(self, name)(*args)
        type(self).steps += self.asked

    # Queueing

    def push_plain(self, payloads: list[bytes], lane: str) -> None:
        """Queue plain jobs."""
        many = len(self.pair.model.jobs) > MANY_JOBS
        self.do("push", [NewJob(p) for p in payloads][: 1 if many else None], lane=lane)

    def push(self, specs: list[tuple[Any, ...]], lane: str) -> None:
        """Queue jobs of all kinds."""
        many = len(self.pair.model.jobs) > MANY_JOBS
        self.do("push", [self.new_job(spec) for spec in specs][: 1 if many else None], lane=lane)

    # Taking

    def pop(self, who: int, count: int, burden: str, tended: int) -> None:
        """Take jobs."""
        worker = self.worker(who)
        self.do("pop", self.taker(worker, burden), count, tended=tended == 1, lane=worker)

    def tend_and_pop(self, who: int, count: int) -> None:
        """Take jobs as a worker does: keep house if told so, then ask again."""
        worker = self.worker(who)
        taken = self.do("pop", self.taker(worker), count, lane=worker)
        if isinstance(taken, Taken) and taken.tend:
            self.tend(100)
            self.do("pop", self.taker(worker), count, tended=True, lane=worker)

    def ack_and_pop(self, who: int, numbers: list[int], count: int, burden: str) -> None:
        """End jobs and take others."""
        worker = self.worker(who)
        taker = self.taker(worker, burden)
        self.do("ack_and_pop", taker, self.chosen(numbers), count, lane=worker)

    def claim(self, who: int, burden: str, timeout_ms: int, tended: int) -> None:
        """Have one look."""
        worker = self.worker(who)
        self.do("claim", self.taker(worker, burden), timeout_ms, tended=tended == 1, lane=worker)

    def recover(self, who: int, count: int, older_ms: int) -> None:
        """Take over old deliveries."""
        worker = self.worker(who)
        self.do("recover", worker, count, older_ms, lane=worker)

    def resume(self, who: int, n: int, timeout_ms: int) -> None:
        """Take over one delivery."""
        worker = self.worker(who)
        self.do("resume", worker, self.receipt(n), timeout_ms, lane=worker)

    # Ending deliveries; receipts may be stale, double, or another worker's

    def ack(self, who: int, numbers: list[int]) -> None:
        """End jobs as done."""
        self.do("ack", self.chosen(numbers), lane=self.worker(who))

    def fail(self, who: int, n: int, message: bytes) -> None:
        """End a job in failure."""
        self.do("fail", self.receipt(n), message, self.dead_limit, lane=self.worker(who))

    def release(self, who: int, numbers: list[int], delay_ms: int | None) -> None:
        """Give jobs back."""
        self.do("release", self.chosen(numbers), delay_ms, lane=self.worker(who))

    def retry(self, who: int, n: int, delay_ms: int) -> None:
        """Schedule a job for another attempt."""
        self.do("retry", self.receipt(n), delay_ms, b"try again", lane=self.worker(who))

    # Workers

    def start_work(self, who: int, options: WorkerOptions) -> None:
        """Register a worker."""
        self.register(who, options)

    def stop_work(self, who: int, limit: int) -> None:
        """Let a worker leave."""
        worker = self.worker(who)
        self.do("stop_work", worker, limit, lane=worker)

    def fail_worker(self, who: int) -> None:
        """Declare a worker dead."""
        self.do("fail_worker", self.worker(who), lane="p1")

    def die(self, who: int, limit: int) -> None:
        """Let a worker fall silent until its lease is over and its jobs return."""
        busy = sorted({job.worker for job in self.pair.model.running() if job.worker})
        worker = busy[who % len(busy)] if busy else self.worker(who)
        for _ in range(8):
            self.pair.advance((self.pair.model.stride or 1000) * MS)
            for other in [name for name in self.pair.model.workers if name != worker]:
                self.do("beat", other)
            if worker in self.pair.model.expired():
                break
        self.tend(limit)

    def kill_again(self, who: int, times: int) -> None:
        """Let the next job kill one worker after the other."""
        for n in range(who, who + times):
            self.start_work(n, OPTIONS[0])
            worker = self.worker(n)
            self.do("pop", self.taker(worker), 1, tended=True, lane=worker)
            self.do("fail_worker", worker, lane="p1")
            self.tend(100)

    def beat(self, who: int) -> None:
        """Give a sign of life."""
        self.do("beat", self.worker(who))

    def renew(self, who: int, numbers: list[int]) -> None:
        """Renew a lease and show receipts."""
        self.do("renew", self.worker(who), self.chosen(numbers))

    def tend(self, limit: int) -> None:
        """Keep house."""
        self.do("tend", self.crash_limit, self.dead_limit, limit)

    # Managing

    def cancel(self, numbers: list[int], payload: bytes | None) -> None:
        """Cancel jobs."""
        self.do("cancel", self.ids(numbers), payload, lane="p2")

    def cancel_and_push(self, specs: list[tuple[Any, ...]], lane: str) -> None:
        """Cancel jobs and push them once more."""
        jobs = [self.new_job(spec) for spec in specs]
        self.do("cancel", [job.id or "9-9" for job in jobs], None, lane=lane)
        self.do("push", jobs, lane=lane)

    def wake_and_cancel(self, numbers: list[int]) -> None:
        """Cancel jobs that were called back to the line, after somebody woke up for them."""
        called = [job.id for job in self.pair.model.line() if job.returned]
        self.take_token()
        self.do("cancel", [called[n % len(called)] for n in numbers if called], None, lane="p2")

    def revive(self, numbers: list[int], count: int) -> None:
        """Give dead jobs another life."""
        self.do("revive", self.ids(numbers, State.DEAD), count, lane="p1")

    def purge(self, numbers: list[int], count: int) -> None:
        """Forget dead jobs."""
        self.do("purge", self.ids(numbers, State.DEAD), count, lane="p1")

    def pause(self, really: int) -> None:
        """Stop handing out, not too often."""
        if really == 3:
            self.do("pause")

    def unpause(self) -> None:
        """Hand out again."""
        self.do("unpause")

    def drop(self, really: int) -> None:
        """Drop the queue, not too often."""
        if really == 5:
            self.do("drop", lane="p1")

    def audit(self, name: str) -> None:
        """Look for inconsistencies: there are none, and a repair changes nothing."""
        self.asked = True
        self.pair.audit(name)

    def look(self, state: State, start: int, count: int) -> None:
        """Look at everything that is shown."""
        self.asked = True
        self.pair.look("stats")
        self.pair.look("inspect", state, start, count)
        self.pair.look("inspect", State.WAITING, 0, 30)
        self.pair.look("job", self.ids([count])[0])
        self.pair.look("failures", max(start, 0), count)
        self.pair.look("locks", max(start, 0), count)
        self.pair.check("look")

    # Time and faults

    def pass_time(self, us: int) -> None:
        """Let time pass, and keep house."""
        self.pair.advance(us)
        self.tend(100)

    def jump(self, us: int, who: int) -> None:
        """Let the clock jump, sometimes back."""
        self.pair.advance(us)
        self.beat(who)

    def flush_scripts(self, who: int) -> None:
        """Let the server forget its scripts."""
        self.client.script_flush()
        self.beat(who)

    def take_token(self) -> None:
        """Wake up without popping."""
        self.asked = True
        self.pair.take_token()

    def send_again(self, n: int) -> None:
        """Send an earlier request again: one that was answered has no second effect."""
        request = self.history[-1 - n % len(self.history)] if self.history else None
        last = self.pair.model.memory.get(request.lane) if request else None
        known = request is not None and last is not None and request.seq <= last.seq
        if request is None or (known and not self.pair.remembers(request.lane)):
            return
        before = model_world(self.pair.model)
        self.send(request)
        if known:
            assert not differences(before, model_world(self.pair.model))

    def abandon(self, n: int, arrived: int) -> None:
        """Give up a request whose reply got lost, or that may still arrive."""
        if not self.history:
            return
        request = self.history[-1 - n % len(self.history)]
        if not arrived:
            self.pair.seqs[request.lane] += 1
            request = replace(request, seq=self.pair.seqs[request.lane])
        if self.pair.remembers(request.lane) or request.seq == self.pair.seqs[request.lane]:
            given_up = Request("abandon", (), {}, request.lane, request.seq)
            self.history = [*self.history, request, given_up]
            self.send(given_up)

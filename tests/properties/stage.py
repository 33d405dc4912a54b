"""The stage of the state machine: a queue beside its model, and how actions choose from them."""

from typing import Any, ClassVar

import redis
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize

from limpet.commands.push import NewJob
from limpet.commands.take import Taker
from limpet.options import WorkerOptions
from limpet.states import State
from limpet.values import Receipt
from tests.model.pair import Pair, Request
from tests.model.queue_model import handed_out
from tests.properties.actions import MS, OPTIONS, THEMES, Theme

WORKERS = ("w1", "w2", "w3")


class Stage(RuleBasedStateMachine):
    """One queue, three workers, two producers, and everything that can happen to them."""

    client: ClassVar[redis.Redis]
    #: Actions that asked the server something and were compared, over all runs.
    steps: ClassVar[int] = 0

    @initialize(
        theme=st.sampled_from(THEMES),
        crew=st.sampled_from((3, 3, 2, 1, 0)),
        crash_limit=st.sampled_from((3, 3, 2, 0)),
        dead_limit=st.sampled_from((2, 2, 0)),
    )
    def begin(self, theme: Theme, crew: int, crash_limit: int, dead_limit: int) -> None:
        """Start with an empty server, and with some workers."""
        self.client.flushall()
        self.pair = Pair(self.client)
        self.pair.mixed_modes = True
        self.theme, self.crash_limit, self.dead_limit = theme, crash_limit, dead_limit
        self.receipts = [Receipt("1-1", 1)]
        self.history: list[Request] = []
        self.asked = False
        for _ in range(crew):
            self.register(0, OPTIONS[0])

    # Sending, and choosing what to send

    def do(self, name: str, *args: Any, lane: str = "", **named: Any) -> Any:
        """Send a new request and keep it, to send it again some time."""
        self.pair.seqs[lane] += 1
        request = Request(name, args, named, lane, self.pair.seqs[lane])
        if lane:
            self.history = [*self.history[-20:], request]
        return self.send(request)

    def send(self, request: Request) -> Any:
        """Send a request and keep the receipts it brought."""
        self.asked = True
        answer = self.pair.send(request)
        found = handed_out(answer)
        self.receipts = [*self.receipts, *(d.receipt for d in found)][-12:]
        return answer

    def receipt(self, n: int) -> Receipt:
        """A receipt: of a running job, or now and then one that may be stale."""
        valid = [Receipt(job.id, job.fence or 0) for job in self.pair.model.running()]
        known = valid if valid and n % 5 < 4 else self.receipts
        return known[n % len(known)]

    def chosen(self, numbers: list[int]) -> list[Receipt]:
        """Some receipts."""
        return [self.receipt(n) for n in numbers]

    def worker(self, n: int) -> str:
        """A living worker, or now and then any."""
        alive = [name for name in WORKERS if not self.pair.model.is_lost(name)]
        return alive[n % len(alive)] if alive and n < 11 else WORKERS[n % len(WORKERS)]

    def taker(self, worker: str, burden: str = "none") -> Taker:
        """Describe who takes."""
        return Taker(worker, burden, self.crash_limit)  # type: ignore[arg-type]

    def ids(self, numbers: list[int], state: State | None = None) -> list[str]:
        """The ids of some jobs (of a state), or of none."""
        known = sorted(j.id for j in self.pair.model.jobs.values() if state in (None, j.state))
        return [known[n % len(known)] if known and n < 11 else "9-9" for n in numbers]

    def new_job(self, spec: tuple[Any, ...]) -> NewJob:
        """Make a job in the theme of this run."""
        payload, mark, lock, when, job_id, front, replacing = spec
        theme = self.theme
        unique, mode = theme.marks[mark % len(theme.marks)] or (None, None)
        key, limit = theme.locks[lock % len(theme.locks)] or (None, None)
        kind, ms = theme.whens[when % len(theme.whens)] or (None, 0)
        return NewJob(
            payload,
            unique=unique,
            mode=mode,
            twin="replace" if replacing and unique else None,
            lock=key,
            limit=limit,
            delay_ms=ms if kind == "delay" else None,
            at_ms=self.pair.us // MS + ms if kind == "at" else None,
            front=theme.fronts[front % len(theme.fronts)],
            id=theme.ids[job_id % len(theme.ids)],
        )

    def register(self, who: int, options: WorkerOptions) -> None:
        """Register a worker that is not there, or one of them once more."""
        lost = [name for name in WORKERS if name not in self.pair.model.workers]
        worker = lost[who % len(lost)] if lost else self.worker(who)
        self.do("start_work", worker, options, "host", 1, lane=worker)

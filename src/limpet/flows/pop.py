"""Taking jobs when one round trip is not enough: housekeeping, several queues, waiting."""

from collections.abc import Callable
from dataclasses import dataclass

from limpet.commands import finish, take, workers
from limpet.commands.base import Command
from limpet.commands.take import Burden, Taken, Taker
from limpet.errors import BackendError
from limpet.flows.base import Flow, Rest, Wait, Woken
from limpet.keys import QueueKeys
from limpet.options import MAX_BATCH, Policy
from limpet.values import Claim, Delivery, Receipt

#: The longest single wait on the server; it must stay below the socket timeout of waiting.
MAX_WAIT_MS = 15_000
#: How long a worker that must run empty first looks away before it asks again.
DRAIN_MS = 100


@dataclass(frozen=True, slots=True)
class Source:
    """A queue to take from, with what the scripts need to know of its policy."""

    keys: QueueKeys
    policy: Policy


@dataclass(frozen=True, slots=True)
class Asker:
    """The worker that asks; its burden is looked up before each call, and after each wait."""

    worker: str
    burden: Callable[[], Burden]

    def taker(self, source: Source) -> Taker:
        """Say who takes from this queue."""
        return Taker(self.worker, self.burden(), source.policy.crash_limit)


def tend(source: Source) -> Flow[None]:
    """Keep house until nothing is left to do, a bounded batch at a time."""
    while True:
        policy = source.policy
        tended = yield workers.tend(source.keys, policy.crash_limit, policy.dead_limit)
        if not tended.more:
            return


def pop_one(source: Source, asker: Asker, count: int, early: Taken | None = None) -> Flow[Taken]:
    """Take from one queue, keeping house first if the server asks for it.

    `early` is the answer of a first look that was taken already.
    """
    taken: Taken = early or (yield _look(source, asker, count))
    if taken.tend:
        yield from tend(source)
        taken = yield _look(source, asker, count, tended=True)
    while taken.more and not taken.deliveries:
        taken = yield _look(source, asker, count, tended=True)
    return taken


def _look(source: Source, asker: Asker, count: int, *, tended: bool = False) -> Command[Taken]:
    return take.pop(source.keys, asker.taker(source), min(count, MAX_BATCH), tended=tended)


def pop_line(
    sources: list[Source], asker: Asker, count: int, early: Taken | None = None
) -> Flow[Taken]:
    """Take from several queues strictly in order: all it can from the first, then the next."""
    found: list[Delivery] = []
    due, draining = -1, False
    for source in sources:
        if early is None and asker.burden() == "alone":
            return Taken(found, due, draining=True)
        try:
            taken = yield from pop_one(source, asker, count - len(found), early)
        except BackendError:
            if not found:
                raise
            break  # what was taken must reach the caller; the next call meets the error again
        found += taken.deliveries
        draining = draining or taken.draining
        due = min((d for d in (due, taken.due_in_ms) if d >= 0), default=-1)
        if len(found) >= count or draining:
            break
    return Taken(found, due, draining=draining)


def pop(
    sources: list[Source], asker: Asker, count: int, wait_ms: int, early: Taken | None = None
) -> Flow[list[Delivery]]:
    """Take up to `count` jobs; wait for the first one if there is none."""
    left_ms, line, vain = wait_ms, sources, 0
    while True:
        taken = yield from pop_line(line, asker, count, early)
        if taken.deliveries or left_ms <= 0:
            return taken.deliveries
        # Who waits for one queue only can say in advance what is to be done when it calls.
        then = _look(sources[0], asker, count) if len(sources) == 1 else None
        woken = yield _wait(sources, taken, left_ms, then)
        left_ms -= woken.waited_ms
        line, early = _called(sources, woken), woken.answer
        if early is not None and _is_too_much(sources[0], asker.burden(), early.deliveries):
            receipts = [delivery.receipt for delivery in early.deliveries]
            yield finish.release(sources[0].keys, receipts, None)
            early = Taken(draining=True)
        if woken.key is None and woken.waited_ms >= MAX_WAIT_MS and left_ms > 0:
            # Nobody called for long. The heartbeat looks after all queues, so one look will do.
            vain += 1
            line = [sources[vain % len(sources)]]


def _is_too_much(source: Source, burden: Burden, found: list[Delivery]) -> bool:
    """Tell whether a worker, with what it holds by now, must not have these jobs.

    The server was told before the wait, and the worker may have taken from other queues since.
    """
    crashes = max((delivery.crashes for delivery in found), default=0)
    last_chance = crashes > 0 and 0 < source.policy.crash_limit <= crashes + 1
    if burden == "alone":
        return bool(found)
    return burden != "none" and (last_chance or (burden == "suspect" and crashes > 0))


def _wait(
    sources: list[Source], taken: Taken, left_ms: int, then: Command[Taken] | None
) -> Wait | Rest:
    if taken.draining:
        return Rest(min(left_ms, DRAIN_MS))
    until_due = taken.due_in_ms + 1 if taken.due_in_ms >= 0 else left_ms
    keys = tuple(source.keys["wake"] for source in sources)
    return Wait(keys, max(min(left_ms, until_due, MAX_WAIT_MS), 1), then)


def _called(sources: list[Source], woken: Woken) -> list[Source]:
    """Who was woken by a queue looks there; who was not looks everywhere again."""
    return [s for s in sources if s.keys["wake"] == woken.key] or sources


def ack_and_pop(
    source: Source, asker: Asker, receipts: list[Receipt], count: int, wait_ms: int
) -> Flow[Taken]:
    """End jobs and take new ones in one step, then wait if there were none."""
    asked = min(count, MAX_BATCH)
    taken: Taken = yield take.ack_and_pop(source.keys, asker.taker(source), receipts, asked)
    if taken.deliveries or (wait_ms <= 0 and not taken.tend):
        return taken
    found = yield from pop([source], asker, count, wait_ms, taken)
    return Taken(found, not_acked=taken.not_acked)


def claim(source: Source, asker: Asker, timeout_ms: int) -> Flow[Claim]:
    """One look: take a job, or say what the running ones do."""
    found: Claim | None = yield take.claim(source.keys, asker.taker(source), timeout_ms)
    if found is None:
        yield from tend(source)
        found = yield take.claim(source.keys, asker.taker(source), timeout_ms, tended=True)
    return found or Claim("NONE")

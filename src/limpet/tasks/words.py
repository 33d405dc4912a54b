"""Why a job is where it is, in words. The first reason is the headline; the others follow."""

import shlex
from collections.abc import Callable
from datetime import UTC, datetime
from typing import NamedTuple

from limpet.states import State
from limpet.tasks.standing import Explanation, Holder, Standing
from limpet.values import JobView, Outcome, task_of

#: Position in line is looked for so far.
REACH = 10_000
#: Fewer than these are written with a digit after the point.
_FEW = 10
_UNITS = (("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1000))


class Reason(NamedTuple):
    """Why a job does not run, and what can be done about it."""

    said: str
    step: str | None = None


class Said(NamedTuple):
    """Where a job is, why, and what else is worth knowing."""

    where: str
    reasons: list[Reason]
    more: list[str]


def explain(standing: Standing, crash_limit: int = 0) -> Explanation:
    """Say why a job is where it is, and what to do so that it runs."""
    state = standing.job.state
    said = _waiting(standing, crash_limit) if state is State.WAITING else _SAY[state](standing)
    reasons = [reason.said for reason in said.reasons]
    return Explanation(
        standing.job.queue,
        standing.job.id,
        state.value,
        ": ".join([said.where, *reasons[:1]]),
        (*reasons[1:], *said.more),
        next((reason.step for reason in said.reasons if reason.step), None),
    )


def explain_end(queue: str, outcome: Outcome) -> Explanation:
    """Say how a job ended."""
    headline = f"ended as {outcome.word} at {moment(outcome.at)}"
    return Explanation(queue, outcome.id, outcome.word, headline)


# -- one function per state -----------------------------------------------------------------


def _waiting(standing: Standing, crash_limit: int) -> Said:
    job = standing.job
    if standing.position == 0:
        step = f"mend it: limpet repair {shlex.quote(job.queue)}"
        return Said("is in no line", [Reason("something was deleted by hand", step)], [])
    reasons = [*_halts(standing), *_strange(standing), *_suspect(standing, crash_limit)]
    if standing.held >= standing.limit:
        reasons.append(Reason(f"{_lock(standing)}, and it will be parked when its turn comes"))
    return Said(f"waits {_where(standing)}", reasons, [*_busy(standing), *_past(standing)])


def _where(standing: Standing) -> str:
    of = f"of {standing.line:,}"
    if standing.position < 0:
        return f"behind position {REACH:,} {of}"
    about = "about " if standing.guess else ""
    return f"at {about}position {min(standing.position, standing.line):,} {of}"


def _scheduled(standing: Standing) -> Said:
    job = standing.job
    left_ms = (job.at or 0) - standing.now_ms
    more = [f"its last error: {job.reason}"] if job.reason else []
    if left_ms > 0:
        more += [f"as of now, {halt.said}" for halt in _halts(standing)]
        return Said(f"is scheduled for {moment(job.at)}, in {age(left_ms)}", [], more)
    halts = _halts(standing) or [Reason("the next look of a worker brings it in line")]
    return Said(f"was due {age(-left_ms)} ago", halts, more)


def _parked(standing: Standing) -> Said:
    halts = _halts(standing)
    if standing.follows:
        return Said("is parked", [_group(standing), *halts], _calling_off(standing))
    if standing.task is not None:
        return Said("is parked", [_aside(standing), *halts], _past(standing))
    said = f"parked before it for the same lock: {many(standing.before, 'job')}"
    more = [said] if standing.before else []
    return Said("is parked", [Reason(_lock(standing)), *halts], [*more, *_past(standing)])


def _running(standing: Standing) -> Said:
    job = standing.job
    where = f"has run on worker {job.worker} for {age(job.elapsed or 0)}"
    reasons = []
    if not standing.alive:
        said = f"worker {job.worker} gives no sign of life, so the job goes back to its place"
        later = "when another worker looks" if standing.workers else "once a worker starts"
        step = None if standing.workers else _start(job.queue)
        reasons.append(Reason(f"{said} {later}", step))
    if standing.told:
        reasons.append(Reason("it was cancelled, and its worker was told to end it"))
    return Said(where, reasons, _past(standing))


def _dead(standing: Standing) -> Said:
    job = standing.job
    since = age(standing.now_ms - (job.at or 0))
    where = f"has been dead for {since}, after {many(job.deliveries, 'delivery', 'deliveries')}"
    step = f"give it another life: limpet job retry {job.id} -q {shlex.quote(job.queue)}"
    return Said(where, [Reason(job.reason or "no reason was given", step)], [])


_SAY: dict[State, Callable[[Standing], Said]] = {
    State.SCHEDULED: _scheduled,
    State.PARKED: _parked,
    State.RUNNING: _running,
    State.DEAD: _dead,
}

# -- reasons --------------------------------------------------------------------------------


def _halts(standing: Standing) -> list[Reason]:
    """What stops a whole queue."""
    queue, found = standing.job.queue, []
    if standing.paused:
        step = f"let it go on: limpet queue unpause {shlex.quote(queue)}"
        found.append(Reason(f"queue {queue!r} is paused", step))
    if not standing.workers:
        silent = f" ({many(standing.silent, 'worker')} gave no sign of life for too long)"
        said = f"no worker serves queue {queue!r}{silent if standing.silent else ''}"
        found.append(Reason(said, _start(queue)))
    return found


def _strange(standing: Standing) -> list[Reason]:
    """Every worker names the tasks it knows, and this one is not among them."""
    task = task_of(standing.job.payload)
    seen_all = standing.crew and len(standing.crew) == standing.workers
    if task is None or not seen_all or any(not h.tasks or task in h.tasks for h in standing.crew):
        return []
    return [_unknown(standing, task)]


def _unknown(standing: Standing, task: str) -> Reason:
    start = _start(standing.job.queue, f"start one whose app has it: {_WORKER}")
    crew = len(standing.crew)
    whom = "no running worker" if crew == standing.workers else f"none of {crew:,} workers"
    return Reason(f"task {task!r} is known to {whom}", start)


def _aside(standing: Standing) -> Reason:
    task = standing.task or ""
    knowing = [hand.worker for hand in standing.crew if task in hand.tasks]
    if not knowing:
        return _unknown(standing, task)
    others = f" and {len(knowing) - 1:,} more" if knowing[1:] else ""
    return Reason(
        f"task {task!r} was not known to the worker that took it; known to worker"
        f" {knowing[0]}{others}: it is handed out next"
    )


def _suspect(standing: Standing, crash_limit: int) -> list[Reason]:
    crashes = standing.job.crashes
    if not crashes:
        return []
    died = f"{many(crashes, 'worker')} died with it"
    if 0 < crash_limit <= crashes + 1:
        return [Reason(f"{died}, so it has one more chance, alone: it needs a worker without jobs")]
    now = f" (running now: {standing.trials:,})" if standing.trials else ""
    return [Reason(f"{died}, so it needs a worker that runs no other such job{now}")]


def _lock(standing: Standing) -> str:
    lock = (standing.job.lock or b"").decode("utf-8", "replace")
    if standing.held < standing.limit:
        return f"lock {lock!r} has room, and the job before it takes it first"
    first = _holder(standing.holders[0], standing.now_ms) if standing.holders else "somebody"
    others = f" and {standing.held - 1:,} more" if standing.held > 1 else ""
    return f"lock {lock!r} is held by {first}{others}"


def _holder(holder: Holder, now_ms: int) -> str:
    if not holder.worker:
        return f"job {holder.id}"
    return f"job {holder.id} on worker {holder.worker} for {age(now_ms - holder.since)}"


def _group(standing: Standing) -> Reason:
    rest = f" and {standing.left - 1:,} more" if standing.left > 1 else ""
    first = standing.awaited[0] if standing.awaited else "?"
    return Reason(f"it runs after job {first}{rest}, which {_have(standing.left)} not ended")


def _have(number: int) -> str:
    return "has" if number == 1 else "have"


# -- what else is worth knowing -------------------------------------------------------------


def _calling_off(standing: Standing) -> list[str]:
    tally = standing.tally
    said = []
    if tally.done + tally.failed + tally.cancelled:
        counts = f"{tally.done:,} done, {tally.failed:,} failed, {tally.cancelled:,} cancelled"
        said.append(f"ended before it so far: {counts}")
    if standing.needs:
        said.append("it is called off unless all of them succeed")
    return said


def _busy(standing: Standing) -> list[str]:
    if not standing.workers:
        return []
    running = many(standing.running, "running job")
    return [f"queue {standing.job.queue!r} has {many(standing.workers, 'worker')} and {running}"]


def _past(standing: Standing) -> list[str]:
    job: JobView = standing.job
    said = [f"enqueued {age(standing.now_ms - job.enqueued_at)} ago"] if job.enqueued_at else []
    if job.deliveries > (job.state is State.RUNNING):
        counts = (
            many(job.deliveries, "delivery", "deliveries"),
            many(job.crashes, "crash", "crashes"),
            many(job.retries, "retry", "retries"),
        )
        said.append(f"{', '.join(counts)} so far")
    if job.reason:
        said.append(f"its last error: {job.reason}")
    return said


# -- small words ----------------------------------------------------------------------------

_WORKER = "limpet worker module:app -q"


def _start(queue: str, how: str = f"start one: {_WORKER}") -> str:
    return f"{how} {shlex.quote(queue)}"


def many(number: int, one: str, several: str = "") -> str:
    """Write a number of things."""
    return f"{number:,} {one if number == 1 else several or one + 's'}"


def age(ms: int) -> str:
    """Write a duration in the largest unit of which there are two."""
    for unit, size in _UNITS:
        if ms >= 2 * size:
            digits = 1 if ms < _FEW * size else 0
            return f"{ms / size:,.{digits}f}".removesuffix(".0") + f" {unit}"
    return f"{max(ms, 0):,} ms"


def moment(ms: int | None) -> str:
    """Write a time of the server."""
    try:
        return f"{datetime.fromtimestamp((ms or 0) / 1000, UTC):%Y-%m-%d %H:%M:%S} UTC"
    except (OverflowError, ValueError, OSError):
        return f"{ms} ms after 1970"

"""What those who only look at a queue must see, made from the model.

The functions have the names, arguments and answers of those in `limpet.commands.look`.
"""

from typing import Any

from limpet.states import State
from limpet.values import Failure, JobView, LockView, Receipt, Stats
from tests.model.moves import Job, Moves


def stats(model: Moves) -> Stats:
    """Count what is in the queue and what went through it."""
    line = model.line()
    return Stats(
        waiting=len(line),
        parked=len(model.of(State.PARKED)),
        scheduled=len(model.of(State.SCHEDULED)),
        running=len(model.running()),
        dead=len(model.dead()),
        workers=len(model.workers),
        paused=model.paused,
        oldest_ms=max(model.ms - line[0].enqueued_at, 0) if line else 0,
        **{name: count for name, count in model.counters.items() if count},
    )


def inspect(model: Moves, state: State, start: int, count: int) -> list[JobView]:
    """Show jobs of one state by position; a negative start counts from the end."""
    jobs = {
        State.WAITING: model.line(),
        State.SCHEDULED: sorted(model.of(State.SCHEDULED), key=lambda j: (j.due, j.id)),
        State.PARKED: sorted(model.of(State.PARKED), key=lambda j: (_group(j), j.place)),
        State.RUNNING: model.running(),
        State.DEAD: model.dead()[::-1],
    }[state]
    first = start + len(jobs) if start < 0 else start
    return [_view(model, job) for job in jobs[first : first + count]] if first >= 0 else []


def job(model: Moves, job_id: str) -> JobView | None:
    """Show one job, wherever it is."""
    return _view(model, model.jobs[job_id]) if job_id in model.jobs else None


def failures(model: Moves, start: int, count: int) -> list[Failure]:
    """Show the last errors, newest first."""
    return model.failures[start : start + count]


def locks(model: Moves, start: int, count: int) -> list[LockView]:
    """Show who holds which lock and how many wait for it."""
    held = sorted((job for job in model.running() if job.lock), key=lambda j: (_group(j), j.id))
    parked = [job.lock for job in model.of(State.PARKED)]
    views = [LockView(job.lock or b"", job.id, parked.count(job.lock)) for job in held]
    return views[start : start + count]


def _group(job: Job) -> bytes:
    lock = job.lock or b""
    return b"%d:%s|" % (len(lock), lock)


def _view(model: Moves, job: Job) -> JobView:
    runs = job.state is State.RUNNING
    times: dict[Any, int | None] = {
        State.SCHEDULED: job.due,
        State.RUNNING: job.delivered_at,
        State.DEAD: job.dead_at,
    }
    return JobView(
        queue=model.queue,
        id=job.id,
        payload=job.payload,
        state=job.state or State.DEAD,
        enqueued_at=job.enqueued_at,
        deliveries=job.deliveries + runs,
        crashes=job.crashes,
        retries=job.retries,
        at=times.get(job.state),
        elapsed=max(model.ms - job.delivered_at, 0) if runs else None,
        worker=job.worker,
        receipt=Receipt(job.id, job.fence or 0) if runs else None,
        unique=job.unique,
        lock=job.lock,
        reason=job.reason or job.error,
    )

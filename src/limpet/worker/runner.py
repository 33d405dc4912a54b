"""How one job is run, as a pipeline of steps over values.

    decode -> find -> inject -> (an executor performs it) -> judge -> Outcome

Each step is a function of its own; only the executor runs user code. A step before it may end
the run early with an outcome. What becomes of an outcome stands in `finish`.
"""

import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from limpet.app.context import Desk, Job
from limpet.app.task import Task
from limpet.errors import JobCancelled, JobTimeout, PayloadError
from limpet.options import MAX_MESSAGE
from limpet.tasks.codec import Codec
from limpet.tasks.message import Call, read, task_in
from limpet.tasks.steering import Reject, Retry
from limpet.values import Delivery
from limpet.worker.outcomes import (
    Cancelled,
    Done,
    Failed,
    Lost,
    Outcome,
    Rejected,
    Released,
    RetryLater,
    TimedOut,
    Unknown,
    Why,
)

DONE = Done()
#: Frames of a traceback that are told; those nearest to the error.
FRAMES = 20
_HERE = str(Path(__file__).parent)
#: A raised `Retry` without a policy behind it has no limit.
_NO_LIMIT = 1_000_000


class Run(NamedTuple):
    """A job that is ready to be performed."""

    delivery: Delivery
    task: Task[..., Any]
    job: Job
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    timeout_ms: int | None = None
    retry: Retry | None = None
    #: Whoever enqueued it wants its result.
    keep: bool = False


class Kit(NamedTuple):
    """What all runs of a worker share."""

    tasks: Mapping[str, Task[..., Any]]
    codec: Codec
    desk: Desk


def prepare(delivery: Delivery, kit: Kit) -> Run | Outcome:
    """Get a job ready: everything that comes before user code."""
    call = decode(delivery.payload, kit.codec)
    if not isinstance(call, Call):  # arguments of a task nobody here knows need not be readable
        name = task_in(delivery.payload)
        return call if name is None or name in kit.tasks else Unknown(name)
    task = find(call, kit.tasks)
    if isinstance(task, Unknown):
        return task
    return inject(delivery, call, task, kit.desk)


def decode(payload: bytes, codec: Codec) -> Call | Failed:
    """Read the call; one that cannot be read will not become readable by trying again."""
    try:
        return read(payload, codec)
    except PayloadError as error:
        return Failed(bounded(f"the payload cannot be read: {error}"), error)
    except Exception as error:  # noqa: BLE001 - a codec of the user's own may raise anything
        return Failed(bounded(f"the payload cannot be read: {told(error)}"), error)


def find(call: Call, tasks: Mapping[str, Task[..., Any]]) -> Task[..., Any] | Unknown:
    """Find the task by its name."""
    task = tasks.get(call.task)
    return Unknown(call.task) if task is None else task


def inject(delivery: Delivery, call: Call, task: Task[..., Any], desk: Desk) -> Run:
    """Make the job's context, give it to a task that asks for it, and settle its options."""
    job = Job(delivery, task.name, desk, call.previous)
    args = call.args if task.job_parameter is None else (job, *call.args)
    return Run(
        delivery,
        task,
        job,
        args,
        call.kwargs,
        task.timeout_for(call),
        task.retry_for(call),
        call.keep,
    )


# -- judging --------------------------------------------------------------------------------


def judge_value(run: Run, value: Any, encode: Callable[[Any], bytes]) -> Outcome:
    """Say what a returned value means: done, unless a result is kept and cannot be written."""
    if not run.keep:
        return DONE if value is None else Done(None, value)
    try:
        return Done(encode(value), value)
    except PayloadError as error:
        return Failed(bounded(f"the result cannot be kept: {error}"), error)
    except Exception as error:  # noqa: BLE001 - as in `decode`
        return Failed(bounded(f"the result cannot be kept: {told(error)}"), error)


def judge_error(run: Run, error: BaseException, draw: float) -> Outcome:
    """Say what an error means: another attempt or none."""
    match error:
        case Reject():
            return Rejected(bounded(error.reason), error)
        case Retry():
            return _asked(run, error, draw)
    message = told(error)
    delay_ms = _next_ms(run, error, draw)
    if delay_ms is None:
        return Failed(message, error)
    return RetryLater(delay_ms, message, error)


def judge_stop(run: Run, why: Why, draw: float) -> Outcome:
    """Say what became of a job that was told to stop, whatever it did then."""
    match why:
        case Why.CANCELLED:
            return Cancelled(JobCancelled(run.job.id, why.value))
        case Why.LOST:
            return Lost()
        case Why.RELEASED:
            return Released()
        case Why.TIMED_OUT:
            error = JobTimeout(run.job.id, (run.timeout_ms or 0) / 1000)
            delay_ms = _next_ms(run, error, draw)
            if delay_ms is None:
                return TimedOut(str(error), error)
            return RetryLater(delay_ms, str(error), error)


def _asked(run: Run, asked: Retry, draw: float) -> Outcome:
    """Say what a raised `Retry` means: it counts against the limit of the policy, if any."""
    retries = run.delivery.retries
    message = bounded(str(asked))
    if run.retry is not None and retries >= run.retry.limit:
        return Failed(bounded(f"{message}, but there were {retries} retries already"), asked)
    pace = asked if asked.delay_ms is not None or run.retry is None else run.retry
    delay_ms = pace.changed(limit=_NO_LIMIT).next_ms(retries, draw)
    return RetryLater(delay_ms or 0, message, asked)


def _next_ms(run: Run, error: BaseException, draw: float) -> int | None:
    if run.retry is None or not run.retry.covers(error):
        return None
    return run.retry.next_ms(run.delivery.retries, draw)


# -- words ----------------------------------------------------------------------------------


def told(error: BaseException) -> str:
    """Write an error with the end of its traceback, in bounded length; the error comes first."""
    try:
        first = "".join(traceback.format_exception_only(error)).strip()
        frames = traceback.format_list(_frames_of(error)[-FRAMES:])
    except Exception:  # noqa: BLE001 - an error whose text raises
        first, frames = type(error).__name__, []
    return bounded("\n".join([first, *(frame.rstrip() for frame in frames)]))


def _frames_of(error: BaseException) -> traceback.StackSummary:
    """Get the frames of an error, without those of ours that only led to the user's code."""
    stack = traceback.extract_tb(error.__traceback__)
    mine = [frame.filename.startswith(_HERE) for frame in stack]
    first = mine.index(False) if False in mine else 0
    return traceback.StackSummary.from_list(stack[first:])


def bounded(text: str) -> str:
    """Cut a message to what the server keeps."""
    raw = text.encode("utf-8", "replace")
    if len(raw) <= MAX_MESSAGE:
        return text
    return raw[: MAX_MESSAGE - 3].decode("utf-8", "ignore") + "..."

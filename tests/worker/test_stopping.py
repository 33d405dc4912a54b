"""Time limits and cancellation, as they reach each kind of job."""

import os
from collections.abc import Callable
from typing import Any

import pytest
import redis

from limpet.app.app import App
from limpet.errors import JobCancelled, JobFailed
from limpet.worker.worker import Worker
from tests.support.waiting import wait_until
from tests.worker import apps
from tests.worker.apps import gate, said, seen
from tests.worker.conftest import Working

Burst = Callable[..., int]


def stats(app: App) -> Any:
    """Count what is in the queue."""
    return app.limpet.queue("default").stats()


def is_gone(pid: int) -> bool:
    """Whether a process is gone."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


# -- time limits ----------------------------------------------------------------------------


@pytest.mark.parametrize("task", [apps.wait, apps.wait_in_thread, apps.wait_in_process])
def test_a_job_that_takes_too_long_is_stopped(app: App, burst: Burst, task: Any) -> None:
    """On the loop, in a thread and in a process; the job fails and says why."""
    job = task.using(timeout="200ms", result_ttl="1m").enqueue()

    burst()

    with pytest.raises(JobFailed, match=r"it took longer than 0\.2 s"):
        job.result(1)


def test_a_coroutine_is_cancelled_where_it_awaits(app: App, burst: Burst) -> None:
    """It can clean up as after any cancellation."""
    apps.wait.using(timeout="100ms").enqueue()

    burst()

    assert seen[1:-1] == ["begun", "cancelled"]


def test_a_thread_is_interrupted_in_its_python_code(app: App, burst: Burst) -> None:
    """By an exception that `except Exception` does not catch."""
    apps.wait_in_thread.using(timeout="100ms").enqueue()

    burst()

    assert seen[1:-1] == ["begun", "JobInterrupted"]


def test_a_process_is_killed(app: App, burst: Burst, plain: redis.Redis) -> None:
    """Nothing of it is left, and the next job gets a new one."""
    apps.wait_in_process.using(timeout="200ms").enqueue()
    job = apps.multiply.enqueue(2, 3)

    burst(concurrency=1)

    pid = int(said(plain)[0].split()[1])
    assert is_gone(pid)
    assert job.result(1)[1] != pid


def test_time_starts_when_user_code_begins(app: App, burst: Burst) -> None:
    """The start of a process is not on the job's account."""
    job = apps.multiply.using(timeout="100ms").enqueue(2, 3)

    burst()

    assert job.result(1)[0] == 6


def test_a_time_out_is_retried_where_the_policy_says_so(app: App, work: Working) -> None:
    """It is an error like others."""
    apps.wait.using(timeout="100ms", retry=1).enqueue()

    with work():
        wait_until(lambda: stats(app).scheduled == 1)
        assert stats(app).failed == 0


def test_a_thread_that_will_not_stop_keeps_its_slot(app: App, work: Working) -> None:
    """It is told; while it goes on, its job stays its own and is not run a second time."""
    apps.wait_stubbornly.using(timeout="100ms", retry=3).enqueue()
    apps.tell.enqueue("behind it")

    with work(concurrency=1):
        wait_until(lambda: "JobInterrupted" in seen)
        assert wait_until(lambda: True in seen), "job.cancelled tells it"
        assert (stats(app).running, stats(app).scheduled) == (1, 0)
        assert "behind it" not in seen

        gate.set()
        wait_until(lambda: stats(app).scheduled == 1)
        wait_until(lambda: "behind it" in seen)


def test_interrupts_at_the_last_moment_hit_nobody_else(app: App, burst: Burst) -> None:
    """Jobs that end just when their time is over: each is settled once, and no thread is lost."""
    app.enqueue_many([apps.nap.using(timeout="3ms").item(0.003) for _ in range(200)])
    app.enqueue_many([apps.nap.item(0) for _ in range(50)])

    assert burst(concurrency=8) == 0

    found = stats(app)
    assert (found.completed, found.pending) == (250, 0)
    assert found.failed <= 200


def test_a_coroutine_that_swallows_its_cancellation_is_cancelled_again(
    app: App, work: Working, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until it ends it keeps its slot, and it ends as timed out whatever it returns."""
    monkeypatch.setattr("limpet.worker.executors.loop.GRACE_S", 0.05)
    job = apps.swallow.using(timeout="50ms", result_ttl="1m").enqueue(3)

    with work(), pytest.raises(JobFailed, match="it took longer"):
        job.result(5)

    assert seen.count("swallowed") == 3


# -- cancellation ---------------------------------------------------------------------------


@pytest.mark.parametrize("task", [apps.wait, apps.wait_in_thread, apps.check_often])
def test_cancelling_reaches_a_running_job(app: App, work: Working, task: Any) -> None:
    """On the loop, in a thread, and a thread that only asks `job.check()`."""
    job = task.using(result_ttl="1m").enqueue()

    with work():
        wait_until(lambda: "begun" in seen)
        assert job.cancel()
        with pytest.raises(JobCancelled):
            job.result(5)

    assert stats(app).cancelled == 1
    assert stats(app).failed == 0


def test_cancelling_kills_a_process_job(app: App, work: Working, plain: redis.Redis) -> None:
    """At once."""
    job = apps.wait_in_process.enqueue()

    with work():
        pid = int(wait_until(lambda: said(plain))[0].split()[1])
        job.cancel()
        wait_until(lambda: is_gone(pid), within=5)
        wait_until(lambda: stats(app).cancelled == 1)


def test_a_cancelled_job_is_not_retried(app: App, work: Working) -> None:
    """Whatever its policy says about errors."""
    job = apps.wait.using(retry=5).enqueue()

    with work():
        wait_until(lambda: "begun" in seen)
        job.cancel()
        wait_until(lambda: stats(app).cancelled == 1)

    assert stats(app).scheduled == 0


def test_cancelling_one_job_leaves_its_neighbours(app: App, work: Working) -> None:
    """Only the job with that id is told."""
    first, _second = apps.wait.enqueue("first"), apps.wait.enqueue("second")

    with work():
        wait_until(lambda: len(seen) == 3)
        first.cancel()
        wait_until(lambda: stats(app).cancelled == 1)
        gate.set()
        wait_until(lambda: stats(app).completed == 1)

    assert seen.count("cancelled") == 1


def test_a_cancelled_error_of_its_own_is_an_ordinary_failure(app: App, burst: Burst) -> None:
    """A job that lets slip a CancelledError nobody sent ends in failure, and frees its slot."""
    apps.cancel_itself.enqueue()

    assert burst() == 0

    assert stats(app).failed == 1


def test_stopping_from_another_thread(app: App) -> None:
    """`stop` may be called before the worker runs, and more than once."""
    worker = Worker(app, handle_signals=False)
    worker.stop()
    worker.stop()

    assert worker.run() == 0

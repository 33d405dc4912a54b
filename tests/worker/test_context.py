"""What a job knows about itself, and what it tells."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from limpet.app.app import App
from limpet.app.context import Job, current_job
from limpet.app.desk import PACE_S, Desk
from limpet.errors import ConfigError, JobCancelled
from tests.support.waiting import wait_until
from tests.worker import apps
from tests.worker.apps import gate, seen
from tests.worker.conftest import Working

Burst = Callable[..., int]


@pytest.mark.parametrize("task", [apps.about_async, apps.about_thread, apps.about_process])
def test_a_job_knows_itself_in_every_executor(app: App, burst: Burst, task: Any) -> None:
    """Its id, queue, counts and times; what it did once; and the same as `current_job()`."""
    before = datetime.now(UTC).replace(microsecond=0)
    handle = task.enqueue()

    burst()

    found = handle.result(5)
    assert found[:7] == [handle.id, "default", task.name, 1, 0, 0, False]
    assert found[7:10] == [True, True, False], "current, once, once more"
    assert datetime.fromisoformat(found[10]) >= before
    assert found[11]


def test_async_twins_answer_the_same(app: App, burst: Burst) -> None:
    """An effect noted by one is known to the other; without a chain there is no step before."""
    handle = apps.about_async.enqueue()

    burst()

    assert handle.result(5)[12:] == [False, None]


@pytest.mark.parametrize("second", [apps.double_previous, apps.double_previous_in_process])
def test_a_step_of_a_chain_gets_the_result_before_it(app: App, burst: Burst, second: Any) -> None:
    """On the loop and in a process."""
    *_, last = app.chain([apps.add.item(2, 3), second.item()])

    burst()

    assert last.result(5) == 10


def test_progress_is_seen_while_the_job_runs(app: App, work: Working) -> None:
    """The last report gets there, however many were made; the log keeps the last lines."""
    handle = apps.report_progress.enqueue(500)

    with work():
        wait_until(lambda: "reported" in seen)
        wait_until(lambda: (shown := handle.progress()) is not None and shown.fraction == 1)
        wait_until(lambda: handle.log()[-1].text == "line 499")
        assert len(handle.log()) <= 100
        gate.set()


def test_an_effect_happens_once_over_all_deliveries(app: App, work: Working) -> None:
    """The second delivery of the job skips it."""
    apps.charge.enqueue()

    with work():
        wait_until(lambda: app.limpet.queue("default").stats().completed == 1)

    assert seen.count("charged") == 1


def test_a_detached_job_is_for_plain_calls() -> None:
    """It belongs to nothing, and its notes go nowhere."""
    job = Job.detached("t")

    job.progress(0.5)
    job.log("line")
    job.check()

    assert (job.id, job.queue, job.task, job.deliveries) == ("detached", "", "t", 1)
    assert (job.once("a"), job.once("a"), job.once("b")) == (True, False, True)
    assert (job.previous(), job.tally, job.cancelled) == (None, None, False)
    assert current_job() is None


@pytest.mark.parametrize("fraction", [-0.1, 1.1, float("nan"), True, "half"])
def test_progress_is_from_zero_to_one(fraction: Any) -> None:
    """Anything else is refused where it is said."""
    with pytest.raises(ConfigError, match="from 0 to 1"):
        Job.detached().progress(fraction)


def test_a_job_that_was_told_to_stop_can_ask() -> None:
    """The flag and the check; the first reason stays."""
    job = Job.detached()

    job.tell("timed out")
    job.tell("cancelled")

    assert job.cancelled
    with pytest.raises(JobCancelled, match="timed out"):
        job.check()


class Recorder:
    """A client that keeps what is sent."""

    def __init__(self) -> None:
        self.sent: list[Any] = []

    def queue(self, _name: str) -> "Recorder":
        """Be the queue too."""
        return self

    def progress(self, _delivery: Any, fraction: float, text: str) -> bool:
        """Keep a report."""
        self.sent.append((fraction, text))
        return True

    def log(self, _delivery: Any, line: str) -> bool:
        """Keep a line."""
        self.sent.append(line)
        return True

    def once(self, _delivery: Any, _name: str) -> None:
        """Say that the delivery is stale."""


def test_progress_is_sent_at_a_bounded_pace() -> None:
    """A thousand reports become a few; the last one is among them before the job is settled."""
    recorder = Recorder()
    desk = Desk(lambda: recorder)
    job = Job(Job.detached().delivery, "t", desk)

    for number in range(1000):
        job.progress(number / 1000)
    job.progress(1.0, "done")
    desk.flush(job)

    assert recorder.sent[-1] == (1.0, "done")
    assert len(recorder.sent) < 20, f"at most one in {PACE_S} s"


def test_an_effect_of_a_job_that_is_not_ours_is_refused() -> None:
    """The caller must not have the effect: somebody else may."""
    job = Job(Job.detached().delivery, "t", Desk(Recorder))

    with pytest.raises(JobCancelled, match="no longer ours"):
        job.once("charge")

"""Hooks around the life of a job."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from limpet.app.app import App
from limpet.app.context import Job
from limpet.app.middleware import Middleware
from limpet.errors import JobTimeout
from tests.support.waiting import wait_until
from tests.worker import apps
from tests.worker.apps import seen
from tests.worker.conftest import Working

Burst = Callable[..., int]


class Recorder(Middleware):
    """Notes what it is told; half of its hooks are async."""

    def __init__(self, name: str) -> None:
        self.name = name

    async def on_start(self, job: Job) -> None:
        """Note or raise."""
        seen.append(f"{self.name} start")

    def on_success(self, job: Job, result: Any) -> None:
        """Note or raise."""
        seen.append(f"{self.name} success {result}")

    async def on_failure(self, job: Job, error: BaseException) -> None:
        """Note or raise."""
        seen.append(f"{self.name} failure {type(error).__name__}")

    def on_retry(self, job: Job, error: BaseException, delay_s: float) -> None:
        """Note or raise."""
        seen.append(f"{self.name} retry {type(error).__name__} {delay_s}")


class Broken(Middleware):
    """Raises in every hook."""

    def on_start(self, job: Job) -> None:
        """Note or raise."""
        raise RuntimeError("hook")

    async def on_success(self, job: Job, result: Any) -> None:
        """Note or raise."""
        raise RuntimeError("hook")

    def on_failure(self, job: Job, error: BaseException) -> None:
        """Note or raise."""
        raise RuntimeError("hook")


@pytest.fixture
def outer(app: App) -> Iterator[None]:
    """Two recorders around each job of the app."""
    app.middleware = (Recorder("outer"), Recorder("inner"))
    yield
    app.middleware = ()


@pytest.mark.usefixtures("outer")
@pytest.mark.parametrize("task", [apps.add, apps.subtract])
def test_start_and_success_are_told_in_a_nested_order(app: App, burst: Burst, task: Any) -> None:
    """The first middleware is the outermost; results are told."""
    task.enqueue(2, 2)

    burst()

    result = 4 if task is apps.add else 0
    assert seen[1:-1] == [
        "outer start",
        "inner start",
        f"inner success {result}",
        f"outer success {result}",
    ]


@pytest.mark.usefixtures("outer")
def test_the_result_of_a_process_is_told_too(app: App, burst: Burst) -> None:
    """As the value that it is."""
    apps.multiply.enqueue(2, 3)

    burst()

    assert any(str(word).startswith("inner success (6, ") for word in seen)


@pytest.mark.usefixtures("outer")
def test_failures_and_retries_are_told(app: App, work: Working) -> None:
    """A retry with its delay; a failure when it is final, also of what cannot be read."""
    apps.fail_twice.enqueue()
    apps.fail.enqueue()
    app.limpet.queue("default").push(b"?")

    with work():
        wait_until(lambda: "outer success None" in seen)

    assert seen.count("outer retry ValueError 0.001") == 2
    assert seen.count("outer failure ValueError") == 1
    assert seen.count("outer failure PayloadError") == 1


@pytest.mark.usefixtures("outer")
def test_a_time_out_is_told_as_a_failure(app: App, burst: Burst) -> None:
    """With an error that is a TimeoutError."""
    apps.wait.using(timeout="50ms").enqueue()

    burst()

    assert f"outer failure {JobTimeout.__name__}" in seen
    assert issubclass(JobTimeout, TimeoutError)


def test_a_broken_hook_changes_nothing(
    app: App, burst: Burst, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is logged, and the job goes its way."""
    monkeypatch.setattr(app, "middleware", (Broken(),))
    job = apps.add.enqueue(1, 1)
    apps.fail.enqueue()

    burst()

    assert job.result(1) == 2
    assert app.limpet.queue("default").stats().failed == 1
    assert "Broken.on_start raised" in caplog.text


class Slow(Middleware):
    """Never ends its first hook."""

    async def on_start(self, job: Job) -> None:
        """Wait, without blocking the loop."""
        seen.append("waits")
        await asyncio.Event().wait()


class Quitter(Middleware):
    """Gives up by itself in its last hook."""

    async def on_success(self, job: Job, result: Any) -> None:
        """Raise what tells a task to stop, although nobody told it."""
        raise asyncio.CancelledError


@pytest.mark.parametrize("task", [apps.add, apps.subtract])
def test_a_worker_may_be_stopped_while_a_hook_runs(
    app: App, work: Working, monkeypatch: pytest.MonkeyPatch, task: Any
) -> None:
    """On the loop and in a thread: the job goes back to its place, and nothing goes wrong."""
    monkeypatch.setattr(app, "middleware", (Slow(),))
    job = task.enqueue(2, 1)
    with work(grace="50ms") as helper:
        wait_until(lambda: "waits" in seen)
        assert helper.stop() == 0

    assert job.status() == "waiting"


def test_a_hook_that_gives_up_leaves_no_job_behind(
    app: App, burst: Burst, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The job is settled all the same."""
    monkeypatch.setattr(app, "middleware", (Quitter(),))
    job = apps.add.enqueue(1, 1)

    assert burst() == 0
    assert job.result(1) == 2

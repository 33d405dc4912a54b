"""Handles: what became of a job, asked from anywhere."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from limpet import (
    App,
    ConfigError,
    JobCancelled,
    JobFailed,
    JobGone,
    JobHandle,
    Progress,
    ResultTimeout,
)
from tests.support.proxy import Proxy

Ask = Callable[..., Any]


@pytest.fixture
def enqueue(app: App, ask: Ask) -> Callable[..., JobHandle[int]]:
    """Enqueue a job whose result is kept."""

    @app.task(result_ttl="1h")
    def work(a: int = 0) -> int:
        return a

    def call(**choice: Any) -> JobHandle[int]:
        handle: JobHandle[int] = ask(work.using(**choice), "enqueue")
        return handle

    return call


def test_status_follows_the_job(app: App, ask: Ask, enqueue: Ask) -> None:
    """From its schedule or its place in line to its end."""
    queue = app.limpet.queue("default")
    seen = []
    later = enqueue(delay="1h")
    held, locked = enqueue(lock="a"), enqueue(lock="a")
    seen.append([ask(job, "status") for job in (later, held, locked)])
    (delivery,) = queue.pop(count=5)
    seen.append([ask(job, "status") for job in (held, locked)])
    queue.complete(delivery, b"1")
    (delivery,) = queue.pop(count=5)
    queue.fail(delivery, "broken")
    ask(later, "cancel")
    seen.append([ask(job, "status") for job in (held, locked, later)])
    queue.purge()

    assert seen == [
        ["scheduled", "waiting", "waiting"],
        ["running", "parked"],
        ["done", "dead", "cancelled"],
    ]
    assert ask(locked, "status") == "failed"
    assert ask(app.handle("nobody"), "status") == "unknown"


def test_a_result_is_what_the_task_returned(app: App, ask: Ask, enqueue: Ask) -> None:
    """Whoever asks, before or after the end, gets the decoded value."""
    handle = enqueue()
    queue = app.limpet.queue("default")

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(ask, handle, "result", "20s")
        (delivery,) = queue.pop()
        queue.complete(delivery, app.codec.encode({"x": (1, 2)}))

        assert waiting.result() == {"x": (1, 2)}
    assert ask(handle, "result") == {"x": (1, 2)}
    assert ask(app.handle(handle.id), "result", "5s") == {"x": (1, 2)}


def test_no_result_in_time_is_said_so(ask: Ask, enqueue: Ask) -> None:
    """The error is also a TimeoutError, names the job, and the job goes on."""
    handle = enqueue()

    with pytest.raises(ResultTimeout, match=rf"{handle.id} gave no result within 0.05 s") as caught:
        ask(handle, "result", "50ms")

    assert isinstance(caught.value, TimeoutError)
    assert caught.value.job_id == handle.id
    assert ask(handle, "status") == "waiting"


def test_a_wrong_time_is_refused(ask: Ask, enqueue: Ask) -> None:
    """The error names the option."""
    with pytest.raises(ConfigError, match="timeout"):
        ask(enqueue(), "result", "soon")


def test_a_failed_job_gives_its_error(app: App, ask: Ask, enqueue: Ask) -> None:
    """The message of the failure reaches whoever waits for the result."""
    handle = enqueue()
    (delivery,) = app.limpet.queue("default").pop()
    app.limpet.queue("default").fail(delivery, ValueError("no such user"))

    with pytest.raises(JobFailed, match="no such user") as caught:
        ask(handle, "result", "5s")

    assert (caught.value.job_id, caught.value.message) == (handle.id, "ValueError: no such user")


def test_a_cancelled_job_gives_no_result(ask: Ask, enqueue: Ask) -> None:
    """Cancelling answers whether there was something to cancel."""
    handle = enqueue()

    assert ask(handle, "cancel") is True
    assert ask(handle, "cancel") is False
    with pytest.raises(JobCancelled):
        ask(handle, "result", "5s")


def test_a_running_job_is_told(app: App, ask: Ask, enqueue: Ask) -> None:
    """It ends as cancelled when its worker obeys."""
    handle = enqueue()
    queue = app.limpet.queue("default")
    (delivery,) = queue.pop()

    assert ask(handle, "cancel") is True
    assert ask(handle, "status") == "running"
    queue.ack(delivery)

    assert ask(handle, "status") == "cancelled"


def test_nobody_waits_for_a_job_that_is_not_there(app: App, ask: Ask) -> None:
    """Without a job and without a result there is nothing to wait for, not even for ever."""
    with pytest.raises(JobGone, match="nobody"):
        ask(app.handle("nobody"), "result")


def test_results_are_off_unless_asked_for(
    make_app: Callable[..., App], proxy: Proxy, ask: Ask
) -> None:
    """Asking for a result that is never kept is an error at once, and nothing is sent."""
    app = make_app(proxy.url)

    @app.task
    def work() -> None: ...

    handle = ask(work, "enqueue")
    proxy.forget()

    with pytest.raises(ConfigError, match="result_ttl"):
        ask(handle, "result")
    assert proxy.names == []
    kept = ask(work.using(result_ttl="1m"), "enqueue")
    with pytest.raises(ResultTimeout):
        ask(kept, "result", 0)


def test_an_ack_is_a_result_of_none(app: App, ask: Ask, enqueue: Ask) -> None:
    """A job that ended without a word returned None."""
    handle = enqueue()
    queue = app.limpet.queue("default")
    queue.ack(*queue.pop())

    assert ask(handle, "result", "5s") is None


def test_progress_and_log_are_seen_while_it_runs(app: App, ask: Ask, enqueue: Ask) -> None:
    """What a job tells about itself can be asked; afterwards there is nothing."""
    handle = enqueue()
    queue = app.limpet.queue("default")
    before = (ask(handle, "progress"), ask(handle, "log"))
    (delivery,) = queue.pop()

    queue.progress(delivery, 0.4, "resizing")
    queue.log(delivery, "one")
    queue.log(delivery, "two")
    progress, lines = ask(handle, "progress"), ask(handle, "log")
    queue.complete(delivery, b"1")

    assert before == (None, [])
    assert isinstance(progress, Progress)
    assert (progress.fraction, progress.text) == (0.4, "resizing")
    assert progress.at >= delivery.delivered_at
    assert [line.text for line in lines] == ["one", "two"]
    assert ask(handle, "log") == []


def test_handles_are_equal_by_what_they_name(app: App) -> None:
    """Two handles of one job are the same, whatever app they come from."""
    assert app.handle("a", "q") == App().handle("a", "q") != app.handle("b", "q")
    assert repr(app.handle("a", "q")).startswith("JobHandle(id='a', queue='q'")
    with pytest.raises(ConfigError, match="no app"):
        JobHandle("a", "q").status()


def test_the_clients_are_made_once(app: App) -> None:
    """Many threads that come together get one client."""
    gate, found = threading.Barrier(8), []

    def get() -> None:
        gate.wait()
        found.append(app.limpet)

    threads = [threading.Thread(target=get) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(set(map(id, found))) == 1

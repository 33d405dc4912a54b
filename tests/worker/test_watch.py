"""What a worker survives, and what it notices: stalls, its own death, a silent server."""

import logging
from collections.abc import Iterator
from typing import Any

import pytest

from limpet.aio import AsyncLimpet
from limpet.app.app import App
from limpet.errors import BackendError
from limpet.worker.watchdog import EXIT_CODE, LIMIT_S, Watchdog
from limpet.worker.worker import Worker
from tests.support.proxy import Proxy
from tests.support.servers import Server
from tests.support.waiting import wait_until
from tests.worker import apps
from tests.worker.apps import gate, seen
from tests.worker.conftest import Helper, Working


def queue_of(app: App) -> Any:
    """Get the queue of the tests."""
    return app.limpet.queue("default")


def test_a_blocked_loop_keeps_its_job_for_three_leases(app: App, work: Working) -> None:
    """The heartbeat comes from a thread of its own: the job runs once, and is acked."""
    apps.block_loop.enqueue(3.1)

    with work(lease="1s", heartbeat="200ms"):
        wait_until(lambda: "went on" in seen)
        wait_until(lambda: queue_of(app).stats().completed == 1)

    assert seen.count("blocking") == 1
    assert queue_of(app).stats().recovered == 0


def test_a_stall_of_the_loop_is_reported_once_with_its_stack(
    app: App, work: Working, caplog: pytest.LogCaptureFixture
) -> None:
    """The report names the job and the line that blocks, and how long it took."""
    job = apps.block_loop.enqueue(2)

    with work():
        wait_until(lambda: "the loop goes on after" in caplog.text)

    reports = [r.getMessage() for r in caplog.records if "stands still" in r.getMessage()]
    assert len(reports) == 1
    assert f"job {job.id} of {apps.block_loop.name} blocks it" in reports[0]
    assert "_never.wait(0.01)" in reports[0]


@pytest.mark.parametrize(
    ("task", "stopped"), [(apps.wait, "cancelled"), (apps.wait_in_thread, "JobInterrupted")]
)
def test_a_worker_declared_dead_stops_its_jobs_and_starts_again(
    app: App, work: Working, caplog: pytest.LogCaptureFixture, task: Any, stopped: str
) -> None:
    """Running jobs are told, nothing is acked for them, and a new identity goes on."""
    task.enqueue()

    with work(concurrency=2) as helper:
        wait_until(lambda: "begun" in seen)
        first = helper.worker.id
        assert app.limpet.fail_worker(first)

        wait_until(lambda: stopped in seen)
        wait_until(lambda: seen.count("begun") == 2)
        assert helper.worker.id != first
        gate.set()
        wait_until(lambda: queue_of(app).stats().completed == 1)

    assert queue_of(app).stats().recovered == 1
    assert f"worker {first} was declared dead; 1 running jobs are stopped" in caplog.text


def test_a_full_worker_hears_of_its_death_too(app: App, work: Working) -> None:
    """It takes nothing while all slots are busy; its heart tells it."""
    apps.wait.enqueue()

    with work(concurrency=1) as helper:
        wait_until(lambda: "begun" in seen)
        app.limpet.fail_worker(helper.worker.id)

        wait_until(lambda: seen.count("begun") == 2)
        gate.set()
        wait_until(lambda: queue_of(app).stats().completed == 1)


def test_a_stale_ack_is_logged(app: App, work: Working, caplog: pytest.LogCaptureFixture) -> None:
    """A job that was taken away while a thread would not stop changes nothing by its end."""
    apps.wait.enqueue()

    with work() as helper:
        wait_until(lambda: "begun" in seen)
        delivery = next(iter(helper.worker._shift.bench.running)).delivery
        queue_of(app).ack(delivery)
        gate.set()
        wait_until(lambda: "not ours any more" in caplog.text)

    assert delivery.id in caplog.text
    assert queue_of(app).stats().completed == 1


def test_a_worker_that_stops_acks_nothing_twice_in_its_log(
    app: App, work: Working, caplog: pytest.LogCaptureFixture
) -> None:
    """Stopped in the middle of acking and waiting, it makes sure, and has nothing to complain."""
    apps.tell.enqueue("x")

    with work(queues="default") as helper:
        wait_until(lambda: queue_of(app).stats().completed == 1)
        helper.stop()

    assert "not ours any more" not in caplog.text
    assert queue_of(app).stats().completed == 1


@pytest.fixture
def proxy(server: Server) -> Iterator[Proxy]:
    """A line to the server that can be cut."""
    line = Proxy(server)
    yield line
    line.close()


@pytest.fixture
def behind(app: App, proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> Iterator[Helper]:
    """A worker behind the proxy, while the test talks to the server directly."""
    monkeypatch.setattr(
        app, "new_client", lambda **options: AsyncLimpet(proxy.url, timeout=1, **options)
    )
    options = {"heartbeat": "100ms", "lease": "1s", "handle_signals": False, "queues": "default"}
    helper = Helper(Worker(app, **options))
    wait_until(lambda: helper.worker._shift is not None and helper.worker._shift._signed_on)
    yield helper
    proxy.speak()
    proxy.admit()
    helper.stop(now=True)


def test_after_a_cut_the_worker_consumes_again(app: App, proxy: Proxy, behind: Helper) -> None:
    """Also after a while without any server."""
    proxy.cut()
    apps.tell.enqueue("after a cut")
    wait_until(lambda: "after a cut" in seen)

    proxy.refuse()
    apps.tell.enqueue("after a while")
    wait_until(lambda: behind.worker._shift._complaint)
    proxy.admit()

    wait_until(lambda: "after a while" in seen)


def test_after_a_silence_the_worker_consumes_again(app: App, proxy: Proxy, behind: Helper) -> None:
    """Lines that look alive and are not are given up."""
    proxy.fall_silent()
    apps.tell.enqueue("after a silence")
    wait_until(lambda: behind.worker._shift.client.link.contact.lost)
    proxy.speak()

    wait_until(lambda: "after a silence" in seen, within=30)


def test_after_a_restart_of_the_server_the_worker_consumes_again(
    app: App, work: Working, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also of one that forgot everything, the worker too."""
    fresh = Server().start()
    monkeypatch.setenv("LIMPET_URL", fresh.url)
    app.close()
    try:
        with work(queues="default") as helper:
            wait_until(lambda: queue_of(app).stats().workers == 1)
            first = helper.worker.id

            fresh.kill()
            fresh.start()
            apps.tell.enqueue("after a restart")

            wait_until(lambda: "after a restart" in seen)
            assert helper.worker.id != first
    finally:
        app.close()
        fresh.remove()


def test_a_deaf_worker_ends_with_an_error(
    proxy: Proxy, behind: Helper, caplog: pytest.LogCaptureFixture
) -> None:
    """It does not sit there: exit code 70, and the log says why."""
    behind.worker._shift._watchdog.limit_s = 1.0
    proxy.refuse()

    assert behind.join() == EXIT_CODE

    assert "no answer from the server" in caplog.text


def test_a_worker_with_acks_to_tell_waits_for_its_server(
    app: App, proxy: Proxy, behind: Helper, caplog: pytest.LogCaptureFixture
) -> None:
    """It outlasts the limit for the deaf: if it left, the job that is done would start again."""
    behind.worker._shift._watchdog.limit_s = 2.5
    apps.wait.enqueue()
    wait_until(lambda: "begun" in seen)

    proxy.refuse()
    gate.set()
    wait_until(lambda: caplog.text.count("acks wait for the server") >= 4, within=30)
    proxy.admit()

    wait_until(lambda: queue_of(app).stats().completed == 1)
    assert seen == ["opened", "begun", "ended"]
    assert behind.worker._shift is not None


def test_a_worker_that_cannot_reach_its_server_says_so_at_the_start(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the error of the connection, not with silence."""
    monkeypatch.setenv("LIMPET_URL", "redis://127.0.0.1:1")
    monkeypatch.setitem(app._client_options, "timeout", 0.3)

    with pytest.raises(BackendError, match=r"127\.0\.0\.1:1"):
        Worker(app, burst=True, handle_signals=False).run()


def test_the_watchdog_counts_only_time_in_which_the_worker_should_take() -> None:
    """A full worker is not deaf, nor is one that had an answer lately."""
    watchdog = Watchdog(lease_ms=10_000)
    assert watchdog.limit_s == LIMIT_S

    assert not watchdog.look(29, taking=True)
    assert not watchdog.look(29, taking=False)
    assert not watchdog.look(29, taking=True)
    watchdog.fed()
    assert not watchdog.look(29, taking=True)
    assert watchdog.look(1, taking=True)


def test_the_watchdog_is_patient_for_three_leases() -> None:
    """Where the lease is long."""
    assert Watchdog(lease_ms=60_000).limit_s == 180


def test_failures_are_logged_and_plain_successes_are_not(
    app: App, work: Working, caplog: pytest.LogCaptureFixture
) -> None:
    """A busy worker does not fill the disk."""
    caplog.set_level(logging.INFO)
    good, bad = apps.tell.enqueue("x"), apps.fail.enqueue()

    with work():
        wait_until(lambda: queue_of(app).stats().completed == 2)

    assert good.id not in caplog.text
    assert f"job {bad.id} of {apps.fail.name} failed: ValueError" in caplog.text

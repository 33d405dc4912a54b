"""Why a job of an app does not run, asked of the app."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from limpet import App, ConfigError, Limpet
from limpet.worker.worker import Worker
from tests.support.servers import Server
from tests.support.waiting import wait_until

Ask = Callable[..., Any]


@contextmanager
def working(app: App) -> Iterator[None]:
    """Let a worker run the tasks of an app, beside the test."""
    worker = Worker(app, handle_signals=False, grace=0)
    thread = threading.Thread(target=worker.run)
    thread.start()
    try:
        yield
    finally:
        worker.stop()
        thread.join()


def test_an_app_finds_the_queue_of_a_job(app: App, ask: Ask) -> None:
    """In the queues of its tasks, whatever they are called."""

    @app.task(name="send", queue="mail")
    def send(to: str) -> None: ...

    @app.task(name="count", queue="numbers")
    def count() -> None: ...

    send.enqueue("a")
    handle = count.using(id="my-count").enqueue()

    said = ask(app, "explain", handle.id)

    assert (said.queue, said.state) == ("numbers", "waiting")
    assert said.headline == "waits at position 1 of 1: no worker serves queue 'numbers'"


def test_an_app_looks_in_all_other_queues_too(app: App, ask: Ask, server: Server) -> None:
    """A job of somebody else is found; one that is nowhere is None."""
    with Limpet(server.url) as other:
        pushed = other.queue("elsewhere").push(b"x", id="theirs")

    assert ask(app, "explain", pushed.id).queue == "elsewhere"
    assert ask(app, "explain", pushed.id, "elsewhere").queue == "elsewhere"
    assert ask(app, "explain", pushed.id, "mail") is None
    assert ask(app, "explain", "nobody") is None


def test_of_two_jobs_with_the_same_id_none_is_guessed(app: App, ask: Ask) -> None:
    """Each queue numbers its jobs by itself; the queues are named."""

    @app.task(name="send", queue="mail")
    def send() -> None: ...

    for name in ("mail", "slow"):
        send.using(id="mine", queue=name).enqueue()

    with pytest.raises(ConfigError, match=r"in each of the queues 'mail', 'slow'; say queue="):
        ask(app, "explain", "mine")
    assert ask(app, "explain", "mine", "slow").queue == "slow"


def test_a_task_that_no_worker_knows_is_named(app: App, ask: Ask, server: Server) -> None:
    """In a rolling deploy: the job is of the new code, all workers are of the old."""

    @app.task(name="shop.send", queue="mail")
    def send() -> None: ...

    with Limpet(server.url) as old:
        old.start_worker(tasks=("shop.bill",))
        old.start_work("mail")
        handle = send.enqueue()

        said = ask(app, "explain", handle.id)

    assert said.headline.endswith("task 'shop.send' is known to no running worker")


def test_a_rolling_deploy_is_explained_from_end_to_end(
    make_app: Callable[..., App], ask: Ask
) -> None:
    """An old worker sets the job of a new task aside; a new worker runs it."""
    old, new = make_app(), make_app()

    @old.task(name="shop.bill", queue="mail")
    def bill() -> None: ...

    @new.task(name="shop.send", queue="mail", result_ttl="1h")
    def send() -> str:
        return "sent"

    def aside() -> bool:
        said = ask(new, "explain", handle.id)
        return bool(said.headline == "is parked: task 'shop.send' is known to no running worker")

    with working(old):
        handle = send.enqueue()
        wait_until(aside)
        with working(new):
            result = handle.result(timeout="10s")

    assert result == "sent"
    assert ask(new, "explain", handle.id).state == "done"

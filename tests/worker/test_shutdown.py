"""Signals and shutdown, with real processes."""

import asyncio
import signal
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
import redis

from limpet.app.app import App
from limpet.states import State
from limpet.worker.worker import Worker
from tests.support.programs import run_python
from tests.support.servers import Server
from tests.support.waiting import wait_until
from tests.worker import apps
from tests.worker.apps import gate, said, seen
from tests.worker.conftest import Working
from tests.worker.test_stopping import is_gone

if TYPE_CHECKING:
    import subprocess

Program = Callable[..., "subprocess.Popen[str]"]


def queue_of(app: App) -> Any:
    """Get the queue that programs serve."""
    return app.limpet.queue("program")


def ended(process: "subprocess.Popen[str]") -> tuple[int, str]:
    """Wait for the end of a program: its exit code, and what it wrote."""
    assert process.stderr is not None
    text = process.stderr.read()
    return process.wait(20), text


def read_until(process: "subprocess.Popen[str]", *words: str) -> str:
    """Read what a program writes until all of these words came."""
    assert process.stderr is not None
    text = ""
    while not all(word in text for word in words):
        text += process.stderr.readline()
    return text


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_lets_running_jobs_end(
    app: App, program: Program, plain: redis.Redis, number: signal.Signals
) -> None:
    """Nothing more is taken; what runs goes on and is acked; exit code 0."""
    apps.short.enqueue("first")
    process = program(concurrency=1)
    wait_until(lambda: said(plain) == ["begun first"])

    apps.short.enqueue("second")
    process.send_signal(number)
    read_until(process, "stopping")
    plain.set("gate", 1)

    assert ended(process)[0] == 0
    assert said(plain) == ["begun first", "ended first"]
    stats = queue_of(app).stats()
    assert (stats.completed, stats.waiting, stats.running) == (1, 1, 0)


def test_after_the_grace_time_the_rest_goes_back_to_the_front(
    app: App, program: Program, plain: redis.Redis
) -> None:
    """From the loop, a thread and a process; in its order, with no attempt spent; exit code 0."""
    ids = [
        apps.long_async.enqueue("a").id,
        apps.long_thread.enqueue("b").id,
        apps.long_process.enqueue("c").id,
    ]
    behind = apps.short.enqueue("behind").id
    process = program(concurrency=3, grace="200ms")
    wait_until(lambda: len(said(plain)) == 3)
    child = next(int(text.split()[2]) for text in said(plain) if text.startswith("begun c"))

    process.send_signal(signal.SIGTERM)

    assert ended(process)[0] == 0
    waiting = queue_of(app).inspect(state=State.WAITING)
    assert [job.id for job in waiting] == [*ids, behind]
    assert [(job.crashes, job.retries) for job in waiting[:3]] == [(0, 0)] * 3
    assert is_gone(child)
    assert queue_of(app).stats().running == 0


def test_a_second_signal_ends_it_at_once(app: App, program: Program, plain: redis.Redis) -> None:
    """Without waiting for the grace time; jobs go back as well."""
    job = apps.long_async.enqueue("a")
    process = program(grace="10m")
    wait_until(lambda: said(plain) == ["begun a"])

    process.send_signal(signal.SIGTERM)
    read_until(process, "stopping")
    process.send_signal(signal.SIGTERM)

    assert ended(process)[0] == 0
    assert [view.id for view in queue_of(app).inspect()] == [job.id]


def test_a_blocked_loop_does_not_keep_a_worker_alive(
    app: App, program: Program, plain: redis.Redis
) -> None:
    """Two signals end it also when a job never lets the loop go on; its jobs are given back."""
    job = apps.block_for_ever.enqueue()
    process = program(grace="10m")
    wait_until(lambda: said(plain) == ["begun"])

    process.send_signal(signal.SIGTERM)
    process.send_signal(signal.SIGINT)

    code, text = ended(process)
    assert code == 0
    assert "a job keeps the worker from ending" in text
    assert [view.id for view in queue_of(app).inspect()] == [job.id]


@pytest.mark.parametrize("number", [signal.SIGUSR1, signal.SIGTTIN])
def test_a_worker_says_what_it_is_doing(
    app: App, program: Program, plain: redis.Redis, number: signal.Signals
) -> None:
    """Every slot with its task, job, time and stack; the work is not disturbed."""
    ids = [
        apps.long_async.enqueue("a").id,
        apps.long_thread.enqueue("b").id,
        apps.long_process.enqueue("c").id,
    ]
    process = program(concurrency=5, grace=0)
    wait_until(lambda: len(said(plain)) == 3)

    process.send_signal(number)
    text = read_until(process, "slots in use", "in long_process")
    process.send_signal(signal.SIGTERM)
    code, rest = ended(process)

    text += rest
    assert code == 0
    assert "3 of 5 slots in use" in text
    for job_id in ids:
        assert job_id in text
    assert "in long_async" in text or "long_async: await" in text
    assert "long_thread: _never.wait" in text
    assert "which writes its stack to stderr" in text


def test_a_job_process_dies_with_its_worker(app: App, program: Program, plain: redis.Redis) -> None:
    """Also when the worker is killed: nobody else must meet it."""
    apps.long_process.enqueue("c")
    process = program()
    child = int(wait_until(lambda: said(plain))[0].split()[2])

    process.kill()

    wait_until(lambda: is_gone(child), within=5)


def test_stopping_in_ones_own_program_gives_the_rest_back(app: App, work: Working) -> None:
    """`stop(now=True)` from another thread; coroutines are cancelled first."""
    job = apps.wait.enqueue()

    with work(grace="10m") as helper:
        wait_until(lambda: "begun" in seen)
        assert helper.stop(now=True) == 0

    assert "cancelled" in seen
    view = app.limpet.queue("default").job(job.id)
    assert (view.state, view.crashes, view.retries) == (State.WAITING, 0, 0)


def test_a_graceful_stop_waits_for_running_jobs(app: App, work: Working) -> None:
    """And is not hurried by being called again."""
    apps.wait.enqueue()

    with work(grace="1m") as helper:
        wait_until(lambda: "begun" in seen)
        helper.worker.stop()
        helper.worker.stop()
        gate.set()
        assert helper.join() == 0

    assert "ended" in seen
    assert app.limpet.queue("default").stats().completed == 1


def test_a_worker_can_be_awaited(server: Server, app: App) -> None:
    """`arun` in a loop of one's own."""
    apps.tell.enqueue("hello")

    assert asyncio.run(Worker(app, burst=True, handle_signals=False).arun()) == 0

    assert "hello" in seen


SCRIPT = """
import os, sys
from limpet.app.app import App
from limpet.worker.worker import Worker

app = App()

@app.task(result_ttl="1m", runs_in="process")
def where(word: str) -> list:
    return [word, os.getpid()]

if __name__ == "__main__":
    job = where.enqueue("here")
    code = Worker(app, burst=True).run()
    word, pid = job.result(1)
    assert word == "here" and pid != os.getpid()
    print("fine")
    sys.exit(code)
"""


def test_a_script_can_have_tasks_that_run_in_processes(
    app: App, server: Server, tmp_path: Any
) -> None:
    """Its tasks are found although its module is `__main__`."""
    (tmp_path / "script.py").write_text(SCRIPT)

    ran = run_python("script.py", cwd=tmp_path, LIMPET_URL=server.url)

    assert (ran.returncode, ran.stdout.strip()) == (0, "fine"), ran.stderr

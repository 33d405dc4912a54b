"""A tiny app for the tests of workers: tasks that do what a test wants, and say what they did.

In the test's own process they speak through `seen` and wait for `gate`; in other processes they
write to a list on the server.
"""

import asyncio
import itertools
import os
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import redis

from limpet.app.app import App
from limpet.app.context import Job, current_job
from limpet.tasks.steering import Reject, Retry
from tests.support.waiting import wait_until

#: What tasks in this process did.
seen: list[Any] = []
#: What tasks in this process wait for.
gate = threading.Event()
_never = threading.Event()


def note(text: str) -> None:
    """Write something where a test in another process can read it."""
    with redis.Redis.from_url(os.environ["LIMPET_URL"]) as client:
        client.rpush("said", text)


def said(client: redis.Redis) -> list[str]:
    """Read what was noted."""
    return [text.decode() for text in client.lrange("said", 0, -1)]


@asynccontextmanager
async def lifespan(_: App) -> AsyncIterator[None]:
    """Note the beginning and the end of a worker."""
    seen.append("opened")
    yield
    seen.append("closed")


app = App(lifespan=lifespan)


@app.task
async def tell(what: Any) -> None:
    """Say something."""
    seen.append(what)


@app.task
def tell_from_thread(what: Any) -> None:
    """Say something, and in which thread."""
    seen.append((what, threading.current_thread().name))


@app.task(queue="high")
async def high(what: Any) -> None:
    """Say something, from another queue."""
    seen.append(what)


@app.task(queue="low")
async def low(what: Any) -> None:
    """Say something, from a third queue."""
    seen.append(what)


@app.task(result_ttl="1m")
async def add(a: int, b: int) -> int:
    """Add."""
    return a + b


@app.task(result_ttl="1m")
def subtract(a: int, b: int) -> int:
    """Subtract, in a thread."""
    return a - b


@app.task(result_ttl="1m", runs_in="process")
def multiply(a: int, b: int) -> tuple[int, int]:
    """Multiply, in a process; answers its id too."""
    return a * b, os.getpid()


@app.task(result_ttl="1m")
async def give_object() -> object:
    """Return what cannot travel."""
    return object()


@app.task
def fail(text: str = "on purpose") -> None:
    """Raise."""
    raise ValueError(text)


@app.task(retry=Retry(2, delay="1ms"))
async def fail_twice(job: Job) -> None:
    """Raise in the first two attempts."""
    seen.append(job.retries)
    if job.retries < 2:
        raise ValueError("not yet")


@app.task(retry=5, give_up_on=KeyError)
async def hopeless() -> None:
    """Raise what is not retried."""
    raise KeyError("hopeless")


@app.task(retry=5)
async def reject() -> None:
    """Give up."""
    raise Reject("there is no such address")


@app.task
async def ask_again(job: Job) -> None:
    """Ask for another attempt, once."""
    seen.append(job.retries)
    if not job.retries:
        raise Retry(delay="1ms")


@app.task
def exit_program() -> None:
    """Try to end the program."""
    raise SystemExit(3)


@app.task
async def exit_loop() -> None:
    """Try to end the program, from the loop."""
    raise SystemExit(3)


# -- tasks that take their time -------------------------------------------------------------


@app.task
async def wait(name: str = "") -> None:
    """Wait for the gate on the loop; say how it ended."""
    seen.append(f"begun {name}".strip())
    try:
        while not gate.is_set():  # noqa: ASYNC110 - the gate is for threads too
            await asyncio.sleep(0.005)
    except asyncio.CancelledError:
        seen.append("cancelled")
        raise
    seen.append("ended")


@app.task
def wait_in_thread(name: str = "") -> None:
    """Wait for the gate in a thread; say how it ended."""
    seen.append(f"begun {name}".strip())
    try:
        while not gate.is_set():
            _never.wait(0.005)
    except BaseException as error:
        seen.append(type(error).__name__)
        raise
    seen.append("ended")


@app.task
def wait_stubbornly(job: Job) -> None:
    """Wait for the gate in a thread and do not let anybody interrupt."""
    while not gate.is_set():
        try:
            wait_until(gate.is_set, within=60, step=0.005)
        except BaseException as error:  # noqa: BLE001 - being stubborn is the point
            seen.append(type(error).__name__)
            seen.append(job.cancelled)


@app.task
def check_often(job: Job) -> None:
    """Work in small steps, asking between them; nothing else stops it."""
    seen.append("begun")
    for _ in itertools.count():
        try:
            _never.wait(0.005)
        except BaseException:  # noqa: BLE001 - only `check` may end this task
            continue
        job.check()


@app.task(runs_in="process")
def wait_in_process() -> None:
    """Never end by itself; say in which process."""
    note(f"begun {os.getpid()}")
    while True:
        _never.wait(60)


@app.task(runs_in="process")
def crash() -> None:
    """Die, as native code may."""
    os.abort()


@app.task
async def block_loop(seconds: float) -> None:
    """Block the loop, as async code must not."""
    deadline = time.monotonic() + seconds
    seen.append("blocking")
    while time.monotonic() < deadline:
        _never.wait(0.01)
    seen.append("went on")


# -- tasks for programs of their own --------------------------------------------------------


@app.task(queue="program")
async def long_async(name: str) -> None:
    """Say that it began, then wait for ever."""
    note(f"begun {name}")
    await asyncio.Event().wait()


@app.task(queue="program")
def long_thread(name: str) -> None:
    """Say that it began, then sit where no interrupt comes through for a while."""
    note(f"begun {name}")
    _never.wait(600)


@app.task(queue="program", runs_in="process")
def long_process(name: str) -> None:
    """Say that it began and where, then wait for ever."""
    note(f"begun {name} {os.getpid()}")
    _never.wait(600)


@app.task(queue="program")
async def short(name: str) -> None:
    """Say that it began, wait until the gate on the server opens, say that it ended."""
    note(f"begun {name}")
    with redis.Redis.from_url(os.environ["LIMPET_URL"]) as client:
        while not client.exists("gate"):  # noqa: ASYNC110 - the gate is on the server
            await asyncio.sleep(0.01)
    note(f"ended {name}")


@app.task(queue="program")
async def block_for_ever() -> None:
    """Block the loop and never come back."""
    note("begun")
    while True:
        _never.wait(60)


# -- tasks about themselves -----------------------------------------------------------------


def about(job: Job) -> list[Any]:
    """Say what a job knows about itself."""
    job.progress(0.25, "a quarter")
    job.log("working")
    mine = current_job()
    return [
        job.id,
        job.queue,
        job.task,
        job.deliveries,
        job.retries,
        job.crashes,
        job.cancelled,
        mine is not None and mine.id == job.id,
        job.once("charge"),
        job.once("charge"),
        job.enqueued_at.isoformat(),
        job.fence > 0,
    ]


@app.task(result_ttl="1m")
async def about_async(job: Job) -> list[Any]:
    """Tell about the job on the loop."""
    await job.aprogress(0.5)
    await job.alog("async")
    return [*about(job), await job.aonce("charge"), await job.aprevious()]


@app.task(result_ttl="1m")
def about_thread(job: Job) -> list[Any]:
    """Tell about the job in a thread."""
    return about(job)


@app.task(result_ttl="1m", runs_in="process")
def about_process(job: Job) -> list[Any]:
    """Tell about the job in a process."""
    return about(job)


@app.task(result_ttl="1m")
async def double_previous(job: Job) -> int:
    """Double what the step before gave."""
    return 2 * int(await job.aprevious())


@app.task(result_ttl="1m", runs_in="process")
def double_previous_in_process(job: Job) -> int:
    """Double what the step before gave, in a process."""
    return 2 * int(job.previous())


@app.task
def report_progress(job: Job, reports: int) -> None:
    """Report progress much too often, then wait for the gate."""
    for number in range(reports):
        job.progress((number + 1) / reports)
        job.log(f"line {number}")
    seen.append("reported")
    gate.wait(30)


@app.task
async def charge(job: Job) -> None:
    """Do something once, however often the job is delivered."""
    if await job.aonce("charge"):
        seen.append("charged")
    if not job.retries:
        raise Retry(delay="1ms")


# -- tasks that do not behave ---------------------------------------------------------------


@app.task
async def swallow(times: int) -> None:
    """Go on although it was cancelled, so many times."""
    while times:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            seen.append("swallowed")
            times -= 1


@app.task
def nap(seconds: float) -> None:
    """Do nothing for a while, in a thread."""
    _never.wait(seconds)


@app.task
async def cancel_itself() -> None:
    """Let a CancelledError slip that nobody sent."""
    raise asyncio.CancelledError

"""Never run, only type-checked: tasks as users write them, and the mistakes that must not pass."""

from collections.abc import Coroutine
from typing import Any, assert_type

from limpet import App, Batch, Job, JobHandle, Middleware, Pickle, Progress, Retry, TaskItem
from limpet.app.handle import Status

app = App("redis://localhost", codec=Pickle("a secret of a test"), middleware=[Middleware()])


@app.task
def add(a: int, b: int = 0) -> int:
    """A plain function."""
    return a + b


@app.task(queue="mail", unique=("to",), lock="mail:{to}", retry=Retry(5), timeout="30s")
async def send(to: str, *, subject: str = "hi") -> str:
    """An asynchronous one."""
    return to + subject


@app.task(runs_in="process", result_ttl="1h", retry_on=(OSError,), give_up_on=KeyError)
def resize(job: Job, path: str, width: int) -> bytes:
    """One that knows its job."""
    job.progress(0.5, path)
    return bytes(width)


@app.task
async def crawl(job: Job, url: str) -> None:
    """An asynchronous one that knows its job."""
    await job.aprogress(1.0, url)


@app.task()
def nothing() -> None:
    """One without parameters."""


@app.task
def anything(*args: Any, **kwargs: Any) -> Any:
    """One that takes all there is."""


def plain_calls() -> None:
    """A task is still its function, without the job."""
    assert_type(add(1, b=2), int)
    sending, crawling = send("a", subject="x"), crawl("x")
    _ = assert_type(sending, Coroutine[Any, Any, str])
    _ = assert_type(crawling, Coroutine[Any, Any, None])
    assert_type(resize("a.png", 5), bytes)


def enqueuing() -> None:
    """A handle knows what the task returns, awaited or not."""
    assert_type(add.enqueue(1), JobHandle[int])
    assert_type(add.enqueue(a=1, b=2).result(), int)
    assert_type(send.enqueue("a"), JobHandle[str])
    assert_type(send.enqueue("a").result(timeout="5s"), str)
    assert_type(resize.enqueue("a.png", width=5), JobHandle[bytes])
    assert_type(crawl.enqueue("x"), JobHandle[None])
    assert_type(add.item(1), TaskItem[int])
    assert_type(add.enqueue(1).status(), Status)
    assert_type(add.enqueue(1).progress(), Progress | None)
    assert_type(add.enqueue(1).cancel(), bool)
    nothing.enqueue()


async def enqueuing_asynchronously() -> None:
    """The asynchronous twins have the same types."""
    assert_type(await add.aenqueue(1, 2), JobHandle[int])
    assert_type(await (await send.aenqueue("a")).aresult(), str)
    assert_type(await app.aenqueue_many([add.item(1)]), list[JobHandle[int]])
    assert_type(await app.abatch([add.item(1)]), Batch[None])
    assert_type(await app.abatch([add.item(1)], then=send.item("a")), Batch[JobHandle[str]])
    assert_type(await (await add.aenqueue(1)).acancel(), bool)


def choosing() -> None:
    """What is chosen for a push leaves the parameters as they are."""
    chosen = send.using(delay="1m", queue="slow", unique=None, lock=None, retry=2, id="x")
    assert_type(chosen.enqueue("a", subject="b"), JobHandle[str])
    assert_type(chosen.using(front=True, delay=None).item("a"), TaskItem[str])


def flows() -> None:
    """Items of one kind keep their type; those of several are what they have in common."""
    assert_type(app.enqueue_many([add.item(1), add.item(2)]), list[JobHandle[int]])
    app.enqueue_many([add.item(1), send.item("a")])
    batch = app.batch([add.item(1), send.item("a")], then=add.item(2))
    assert_type(batch, Batch[JobHandle[int]])
    assert_type(batch.then.result(timeout="5s"), int)
    assert_type(app.batch([add.item(1)]).then, None)
    assert_type(app.chain([add.item(1), resize.item("a", 1)]), list[JobHandle[Any]])


def maybe_followed(then: TaskItem[int] | None) -> None:
    """Where it is not known whether there is a follower, there may be none."""
    batch = app.batch([add.item(1)], then)
    assert_type(batch.then, JobHandle[int] | None)
    batch.then.cancel()  # type: ignore[union-attr]
    either: Batch[JobHandle[Any] | None] = app.batch([add.item(1)], then=add.item(2))
    either = app.batch([add.item(1)])
    assert_type(either.jobs, list[JobHandle[Any]])


def wrong_arguments() -> None:
    """What a call would not take, enqueue does not take either."""
    add.enqueue()  # type: ignore[call-arg]
    add.enqueue("1")  # type: ignore[arg-type]
    add.enqueue(1, 2, 3)  # type: ignore[call-arg]
    add.enqueue(1, c=2)  # type: ignore[call-arg]
    add("1")  # type: ignore[arg-type]
    add.item("1")  # type: ignore[arg-type]
    add.using(delay=1).enqueue("1")  # type: ignore[arg-type]
    send.enqueue("a", "subject")  # type: ignore[call-arg]
    send.enqueue(to=5)  # type: ignore[arg-type]
    nothing.enqueue(1)  # type: ignore[call-arg]
    resize.enqueue("a.png")  # type: ignore[call-arg]
    resize.enqueue(Job.detached(), "a.png", 5)  # type: ignore[call-arg, arg-type]
    crawl.enqueue(url=None)  # type: ignore[arg-type]


async def wrong_asynchronous_arguments() -> None:
    """The same for the twins."""
    await add.aenqueue("1")  # type: ignore[arg-type]
    await send.aenqueue()  # type: ignore[call-arg]
    await send.using(front=True).aenqueue("a", colour="red")  # type: ignore[call-arg]
    await crawl.aenqueue(Job.detached(), "x")  # type: ignore[call-arg, arg-type]


def wrong_options() -> None:
    """Options that do not exist, and values they cannot have."""
    add.using(colour="red")  # type: ignore[call-arg]
    add.using(delay=[])  # type: ignore[arg-type]
    add.using(unique=True)  # type: ignore[arg-type]
    app.task(colour="red")  # type: ignore[call-overload]
    app.task(runs_in="cloud")  # type: ignore[call-overload]
    app.task(retry="often")  # type: ignore[call-overload]
    app.batch([add])  # type: ignore[list-item]
    app.batch([add.item(1)], then=add)  # type: ignore[call-overload]
    app.batch([add.item(1)]).then.cancel()  # type: ignore[attr-defined]
    App(codec="pickle")  # type: ignore[arg-type]


def wrong_results() -> None:
    """What a task returns is known."""
    text: str = add.enqueue(1).result()  # type: ignore[assignment]
    number: int = send.enqueue("a").result()  # type: ignore[assignment]
    anything.enqueue(1, text, number, x=2)

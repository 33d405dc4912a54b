"""Enqueuing: typed calls become jobs, twins are refused, options reach the queue."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import redis

from limpet import App, Call, Duplicate, JobHandle, Middleware, Pickle, Queue, TaskItem
from limpet.tasks.message import read
from tests.support.programs import run_python
from tests.support.proxy import Proxy
from tests.support.servers import Server
from tests.support.waiting import wait_until

Ask = Callable[..., Any]


@dataclass
class Address:
    """What a task may take."""

    street: str


def calls(app: App, queue: str = "default", state: str = "waiting") -> list[Call]:
    """Read the calls that wait in a queue."""
    views = app.limpet.queue(queue).inspect(count=1000, state=state)
    return [read(view.payload, app.codec) for view in views]


def queue_of(app: App, name: str = "default") -> Queue:
    """Get the queue under the tasks."""
    return app.limpet.queue(name)


def test_a_call_becomes_a_job(app: App, ask: Ask) -> None:
    """The job carries the task's name and the arguments as they were given."""

    @app.task(name="send", queue="mail")
    def send(to: str, subject: str = "hi", *, urgent: bool = False) -> None: ...

    handle = ask(send, "enqueue", "a@example.com", urgent=True)

    assert isinstance(handle, JobHandle)
    assert (handle.queue, handle.created) == ("mail", True)
    assert calls(app, "mail") == [Call("send", ("a@example.com",), {"urgent": True})]
    (view,) = queue_of(app, "mail").inspect()
    assert (view.id, view.unique, view.lock) == (handle.id, None, None)


def test_values_travel(app: App, ask: Ask) -> None:
    """Classes of annotations, moments and bytes arrive as they left."""

    @app.task
    def move(to: list[Address], at: datetime, raw: bytes = b"") -> None: ...

    now = datetime.now(UTC)
    ask(move, "enqueue", [Address("Main")], now, raw=b"\0")

    (call,) = calls(app)
    assert (call.args, call.kwargs) == (([Address("Main")], now), {"raw": b"\0"})


def test_pickle_travels_if_asked_for(make_app: Callable[..., App], ask: Ask) -> None:
    """With a codec of its own an app sends what JSON has no form for."""
    app = make_app(codec=Pickle("a secret of a test"))

    @app.task
    def work(thing: Any) -> None: ...

    ask(work, "enqueue", {1, "x"} | {frozenset()})

    assert calls(app)[0].args == ({1, "x", frozenset()},)


@pytest.mark.parametrize("mode", ["waiting", "running"])
def test_equal_arguments_make_twins(app: App, ask: Ask, mode: Any) -> None:
    """However they are written: by position, by name, with or without defaults."""

    @app.task(unique=mode)
    def send(to: str, subject: str = "hi") -> None: ...

    first = ask(send, "enqueue", "a")
    twins = [
        ask(send, "enqueue", to="a"),
        ask(send, "enqueue", "a", "hi"),
        ask(send, "enqueue", subject="hi", to="a"),
    ]
    other = ask(send, "enqueue", "a", "ho")

    assert [(twin.id, twin.created) for twin in twins] == [(first.id, False)] * 3
    assert other.created
    queue_of(app).pop(count=2)
    assert ask(send, "enqueue", "a").created is (mode == "waiting")


def test_named_parameters_make_twins(app: App, ask: Ask) -> None:
    """Only those that are named count; `unique_while` says how long, `on_twin` what happens."""

    @app.task(unique=("user",), unique_while="running", on_twin="replace")
    def index(user: int, text: str) -> None: ...

    first = ask(index, "enqueue", 7, "old")
    second = ask(index, "enqueue", 7, "new")
    third = ask(index, "enqueue", 8, "new")

    assert (second.id, second.created, second.replaced) == (first.id, False, True)
    assert third.created
    assert [call.args for call in calls(app)] == [(7, "new"), (8, "new")]
    queue_of(app).pop(count=2)
    assert not ask(index, "enqueue", 7, "again").created


def test_twins_may_raise(app: App, ask: Ask) -> None:
    """Where strictness is asked for, the job in the way is named."""

    @app.task(unique="waiting")
    def send(to: str) -> None: ...

    first = ask(send, "enqueue", "a")

    with pytest.raises(Duplicate) as caught:
        ask(send.using(on_twin="raise"), "enqueue", "a")
    assert caught.value.job_id == first.id


def test_two_tasks_have_no_common_twins(app: App, ask: Ask) -> None:
    """The same arguments of another task are another job."""

    @app.task(unique="waiting")
    def one(a: int) -> None: ...

    @app.task(unique="waiting")
    def two(a: int) -> None: ...

    assert ask(one, "enqueue", 1).created
    assert ask(two, "enqueue", 1).created


def test_a_lock_is_made_from_arguments(app: App, ask: Ask) -> None:
    """Jobs with the same lock do not run side by side; a limit lets more of them."""

    @app.task(lock="mail:{to}")
    def send(to: str, text: str = "") -> None: ...

    @app.task(lock="db", lock_limit=2, queue="db")
    def query(a: int) -> None: ...

    for to in ("a", "a", "b"):
        ask(send, "enqueue", to)
    for number in range(3):
        ask(query, "enqueue", number)

    assert [d.lock for d in queue_of(app).pop(count=9)] == [b"mail:a", b"mail:b"]
    assert len(queue_of(app, "db").pop(count=9)) == 2


def test_one_push_may_choose_differently(app: App, ask: Ask) -> None:
    """Time, queue, place, lock and id are the push's own; the task stays as it is."""

    @app.task(lock="all", unique="waiting")
    def work(a: int) -> None: ...

    soon = datetime.now(UTC) + timedelta(hours=1)
    ask(work, "enqueue", 1)
    ask(work.using(unique=None, lock=None), "enqueue", 1)
    ask(work.using(front=True), "enqueue", 2)
    ask(work.using(delay="1m"), "enqueue", 3)
    ask(work.using(at=soon, id="mine"), "enqueue", 4)
    ask(work.using(queue="other", lock="one:{a}").using(timeout="5s"), "enqueue", 5)

    assert [call.args for call in calls(app)] == [(2,), (1,), (1,)]
    assert [call.args for call in calls(app, state="scheduled")] == [(3,), (4,)]
    locks = [view.lock for view in queue_of(app).inspect()]
    assert locks == [b"all", b"all", None]
    (other,) = queue_of(app, "other").inspect()
    assert other.lock == b"one:5"
    assert read(other.payload, app.codec).timeout_ms == 5000
    assert app.handle("mine").status() == "scheduled"


def test_a_key_of_ones_own_makes_twins(app: App, ask: Ask) -> None:
    """`key` stands for the arguments."""

    @app.task(unique="waiting")
    def work(a: int) -> None: ...

    keyed = work.using(key="today")

    assert ask(keyed, "enqueue", 1).created
    assert not ask(keyed, "enqueue", 2).created


def test_queues_have_a_say_where_the_task_has_none(make_app: Callable[..., App], ask: Ask) -> None:
    """Policies of queues are for tasks that do not speak of uniqueness or locks."""
    app = make_app(policies={"default": {"unique": "waiting", "lock": "one"}})

    @app.task
    def work(a: int) -> None: ...

    assert ask(work, "enqueue", 1).created
    assert not ask(work, "enqueue", 1).created
    assert ask(work.using(unique=None), "enqueue", 1).created
    assert [view.lock for view in queue_of(app).inspect()] == [b"one", b"one"]


def test_many_are_one_round_trip_per_thousand_and_queue(
    proxy: Proxy, make_app: Callable[..., App], ask: Ask
) -> None:
    """2,500 jobs of one queue and one of another: four pushes, handles in the given order."""
    app = make_app(proxy.url)

    @app.task
    def work(a: int) -> None: ...

    ask(work, "enqueue", 0)
    ask(work.using(queue="other"), "enqueue", 0)
    proxy.forget()
    items = [work.item(n) for n in range(2500)]
    handles = ask(app, "enqueue_many", [work.using(queue="other").item(-1), *items])

    assert proxy.names == ["EVALSHA"] * 4
    assert [handle.queue for handle in handles] == ["other"] + ["default"] * 2500
    view = queue_of(app).job(handles[7].id)
    assert view is not None
    assert read(view.payload, app.codec).args == (6,)


def test_no_items_are_no_jobs(app: App, ask: Ask) -> None:
    """An empty list is fine and sends nothing."""
    assert ask(app, "enqueue_many", []) == []


LOOPS = """
import asyncio, sys
from limpet import App

app = App(sys.argv[1])

@app.task(name="work")
def work(a: int) -> None: ...

for number in range(3):
    asyncio.run(work.aenqueue(number))
"""


def test_an_app_outlives_event_loops(app: App, server: Server, tmp_path: Path) -> None:
    """The asynchronous client works in one loop after the other, although nobody closed it."""
    done = run_python("-c", LOOPS, server.url, cwd=tmp_path)

    assert (done.returncode, done.stderr) == (0, "")
    assert [call.args for call in calls(app)] == [(0,), (1,), (2,)]


def test_a_closed_app_opens_again(app: App, ask: Ask) -> None:
    """What is used after the end opens a new client."""

    @app.task
    def work() -> None: ...

    with app:
        ask(work, "enqueue")

    assert ask(work, "enqueue").created
    assert queue_of(app).stats().waiting == 2


async def test_an_app_closes_its_clients(server: Server, plain: redis.Redis) -> None:
    """A block closes what was opened in it, in both flavours."""
    app = App(server.url)

    @app.task
    def work() -> None: ...

    async with app:
        await work.aenqueue()
        work.enqueue()
        before = connections(plain)

    assert before >= 2
    assert wait_until(lambda: connections(plain) == 0)


def connections(plain: redis.Redis) -> int:
    """Count the connections of others."""
    return len(plain.client_list()) - 1


class Listener(Middleware):
    """Remembers what is enqueued, and refuses some of it."""

    def __init__(self) -> None:
        """Remember nothing yet."""
        self.heard: list[tuple[Any, ...]] = []

    def on_enqueue(self, call: Call) -> None:
        """Hear of a call."""
        self.heard.append((call.task, call.args))
        if call.args == ("bad",):
            raise PermissionError("not that one")


def test_middleware_hears_before_anything_is_sent(make_app: Callable[..., App], ask: Ask) -> None:
    """Every call is announced; what a hook raises reaches the caller, and nothing is queued."""
    listener = Listener()
    app = make_app(middleware=listener)

    @app.task(name="t")
    def work(a: str) -> None: ...

    ask(work, "enqueue", "good")
    with pytest.raises(PermissionError):
        ask(app, "enqueue_many", [work.item("fine"), work.item("bad")])

    assert listener.heard == [("t", ("good",)), ("t", ("fine",)), ("t", ("bad",))]
    assert len(calls(app)) == 1


def test_an_item_is_a_value() -> None:
    """Making one sends nothing, not even a connection."""
    app = App("redis://localhost:1")

    @app.task
    def work(a: int) -> None: ...

    item = work.using(queue="q").item(1)

    assert isinstance(item, TaskItem)
    assert (item.queue, item.call) == ("q", Call(work.name, (1,)))

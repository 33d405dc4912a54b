"""Mistakes are told at once, with the next step, before anything is sent."""

import functools
import math
from collections.abc import Callable
from typing import Any

import pytest

from limpet import App, ConfigError, Job, Middleware, PayloadError, Pickle, Retry
from tests.support.proxy import Proxy

Ask = Callable[..., Any]


@pytest.fixture
def silent(proxy: Proxy, make_app: Callable[..., App]) -> Any:
    """An app whose line must stay silent."""
    yield make_app(proxy.url)
    assert proxy.names == []


def send(to: str, subject: str = "hi", *more: int) -> None:
    """A function as tasks have them."""


@pytest.mark.parametrize(
    ("args", "kwargs", "why"),
    [
        ((), {}, "missing a required argument: 'to'"),
        (("a",), {"to": "b"}, "multiple values for argument 'to'"),
        (("a",), {"colour": 1}, "got an unexpected keyword argument 'colour'"),
    ],
)
def test_wrong_arguments_are_a_type_error(
    silent: App, ask: Ask, args: Any, kwargs: Any, why: str
) -> None:
    """As in Python, with the name of the task in front."""
    task = silent.task(name="mail.send")(send)

    for call in (task, task.using(delay="1m")):
        with pytest.raises(TypeError, match=rf"^mail\.send: {why}"):
            ask(call, "enqueue", *args, **kwargs)
    with pytest.raises(TypeError, match=r"^mail\.send: "):
        task.item(*args, **kwargs)


@pytest.mark.parametrize("value", [object(), math.nan, {1: [object()]}])
def test_arguments_that_cannot_travel_are_named(silent: App, ask: Ask, value: Any) -> None:
    """The error says which argument it is."""
    task: Any = silent.task(send)

    with pytest.raises(PayloadError, match=r"^args\[0\]"):
        ask(task, "enqueue", value)
    with pytest.raises(PayloadError, match=r"^kwargs\['to'\]"):
        ask(task, "enqueue", to=value)


def test_too_large_arguments_are_refused(silent: App, ask: Ask) -> None:
    """More than the queue's limit is refused, also as one of many of several queues."""
    task = silent.task(send)
    large = task.using(queue="other").item("x" * 1024 * 1024)

    with pytest.raises(PayloadError, match="limit"):
        ask(silent, "enqueue_many", [task.item("x"), large])


def test_a_wrong_one_of_many_keeps_all_back(silent: App, ask: Ask) -> None:
    """Also when it is the last one, of another queue."""
    task = silent.task(send)
    wrong = task.using(queue="other", delay="1m", at=5).item("x")

    with pytest.raises(ConfigError, match="either delay or at"):
        ask(silent, "enqueue_many", [task.item("x"), wrong])


@pytest.mark.parametrize(
    ("choice", "why"),
    [
        ({"colour": "red"}, "using has no option 'colour'; there are delay, at, queue"),
        ({"name": "x"}, "no option 'name'"),
        ({"delay": "soon"}, "delay"),
        ({"delay": -1}, "delay"),
        ({"at": "tomorrow"}, "at must be"),
        ({"queue": ""}, "queue"),
        ({"id": "1-2"}, "looks like an id"),
        ({"id": "ä"}, "job id"),
        ({"unique": ("user",)}, "unique names 'user'"),
        ({"unique": ("more",)}, "any number of arguments"),
        ({"unique": "to"}, r"\('to',\)"),
        ({"lock": "x:{user}"}, "lock 'x:{user}'"),
        ({"lock": "{to.x}"}, "lock"),
        ({"on_twin": "merge"}, "on_twin"),
        ({"timeout": 0}, "timeout"),
        ({"result_ttl": "x"}, "result_ttl"),
        ({"retry": -1}, "retries"),
        ({"retry": Retry(on=OSError)}, "said at the task"),
        ({"retry": Retry(give_up_on=OSError)}, "said at the task"),
    ],
)
def test_wrong_choices_are_refused(silent: App, choice: Any, why: str) -> None:
    """Where they are made, not where the job is enqueued."""
    task: Any = silent.task(send)

    with pytest.raises(ConfigError, match=why):
        task.using(**choice)


@pytest.mark.parametrize(
    ("choice", "why"),
    [
        ({"key": "x"}, "unique='waiting' or 'running'"),
        ({"delay": "1m", "at": 5}, "either delay or at"),
        ({"delay": "1m", "front": True}, "front"),
        ({"unique": "waiting", "lock_limit": 0, "lock": "x"}, "lock_limit"),
    ],
)
def test_choices_that_do_not_fit_together_are_refused(
    silent: App, ask: Ask, choice: Any, why: str
) -> None:
    """At the latest when the job is enqueued, before it is sent."""
    task: Any = silent.task(send)

    with pytest.raises(ConfigError, match=why):
        ask(task.using(**choice), "enqueue", "a")


def test_a_lock_needs_values_with_a_text(silent: App, ask: Ask) -> None:
    """A list is no part of a lock."""
    task: Any = silent.task(lock="mail:{to}")(send)

    with pytest.raises(PayloadError, match="to: a lock cannot be made from list"):
        ask(task, "enqueue", ["a"])


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"unique": ("user",)}, "send: unique names 'user', but its parameters are to, subject"),
        ({"unique": ("more",)}, "send: unique cannot name 'more'"),
        ({"lock": "mail:{user}"}, "send: lock 'mail:{user}' may have in braces only .* to, subj"),
        ({"colour": "red"}, "tasks have no option 'colour'"),
        ({"runs_in": "loop"}, "send would block the loop"),
        ({"retry": "often"}, "retries"),
    ],
)
def test_wrong_tasks_are_refused(settings: Any, why: str) -> None:
    """When they are made: a program with a mistake does not start."""
    with pytest.raises(ConfigError, match=why):
        App().task(**settings)(send)


def test_functions_that_cannot_be_tasks_are_refused() -> None:
    """Each with its reason."""
    app: Any = App()

    async def on_loop() -> None: ...
    def local() -> None: ...
    def lazy() -> Any:
        yield 1

    def late(a: int, job: Job) -> None: ...

    with pytest.raises(ConfigError, match="runs on the loop, not in process"):
        app.task(runs_in="process")(on_loop)
    with pytest.raises(ConfigError, match="top of its module"):
        app.task(runs_in="process")(local)
    with pytest.raises(ConfigError, match="must be the first"):
        app.task(late)
    with pytest.raises(ConfigError, match="needs one: name="):
        app.task(lambda: None)
    with pytest.raises(ConfigError, match="has a yield"):
        app.task(lazy)
    with pytest.raises(ConfigError, match="is a method"):
        app.task(app.close)
    with pytest.raises(ConfigError, match="is a task already"):
        app.task(App().task(send))
    for wrong in (5, functools.partial(send, "a")):
        with pytest.raises(ConfigError, match="a task is a function"):
            app.task(wrong)
    with pytest.raises(ConfigError, match="a task is a function"):
        app.task(Job)
    assert dict(app.tasks) == {}


class Wrong(Middleware):
    """A hook that nobody would await."""

    async def on_enqueue(self, call: Any) -> None:  # type: ignore[override]
        """Come too late."""


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"codec": Pickle}, "codec"),
        ({"codec": "pickle"}, "codec"),
        ({"middleware": [5]}, "below limpet.Middleware"),
        ({"middleware": [Middleware]}, "below limpet.Middleware"),
        ({"middleware": [Wrong()]}, "Wrong.on_enqueue must be a plain def"),
        ({"lifespan": 5}, "lifespan"),
        ({"defaults": {"colour": 1}}, "no option 'colour'"),
        ({"defaults": {"timeout": "x"}}, "timeout"),
    ],
)
def test_wrong_apps_are_refused(options: Any, why: str) -> None:
    """When they are made."""
    with pytest.raises(ConfigError, match=why):
        App(**options)


def test_items_of_another_kind_are_refused(silent: App, ask: Ask) -> None:
    """A task, a payload or an item of another app is no item of this one."""
    task, other = silent.task(send), App().task(send)

    with pytest.raises(ConfigError, match=r"made by task\.item"):
        ask(silent, "enqueue_many", [task.item("a"), task])
    with pytest.raises(ConfigError, match=r"made by task\.item"):
        ask(silent, "enqueue_many", task)
    with pytest.raises(ConfigError, match="another app"):
        ask(silent, "enqueue_many", [task.item("a"), other.item("a")])


def test_only_classes_that_travel_are_registered() -> None:
    """`app.type` takes the three kinds there are."""
    with pytest.raises(ConfigError, match="dataclass"):
        App().type(int)

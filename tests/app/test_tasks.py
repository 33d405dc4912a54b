"""Tasks: made of functions, found by name, still functions."""

import asyncio
import functools
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from limpet import App, ConfigError, Job, Retry
from tests.support.programs import clean_environment

APP = App("redis://localhost:1")


@APP.task
def plain_add(a: int, b: int = 1) -> int:
    """Add two numbers."""
    return a + b


@APP.task(queue="slow", retry=3, timeout="5s", result_ttl="1h", runs_in="process")
def heavy(job: Job, text: str) -> str:
    """A task that knows its job."""
    return f"{text} {job.id} {job.task}"


@APP.task()
async def fetch(url: str) -> str:
    """A task on the loop."""
    return url.upper()


def test_a_task_is_still_its_function() -> None:
    """A plain call runs here, with the same arguments and the same result."""
    assert plain_add(1, b=2) == 3
    assert asyncio.run(fetch("a")) == "A"
    assert (plain_add.__name__, plain_add.__doc__) == ("plain_add", "Add two numbers.")


def test_a_plain_call_brings_a_job_of_its_own() -> None:
    """The parameter for the job is filled with one that belongs to no queue."""
    assert heavy("x") == "x detached tests.app.test_tasks.heavy"


def test_a_task_knows_how_it_is_run() -> None:
    """What workers ask a task: where it runs, its policy, its parameters."""
    assert (plain_add.runs_in, heavy.runs_in, fetch.runs_in) == ("thread", "process", "loop")
    assert (plain_add.is_async, fetch.is_async) == (False, True)
    assert (plain_add.job_parameter, heavy.job_parameter) == (None, "job")
    assert (plain_add.retry, heavy.retry) == (None, Retry(3))
    assert (plain_add.timeout_ms, heavy.timeout_ms) == (None, 5000)
    assert heavy.options.queue == "slow"


def test_a_wrapped_function_keeps_its_parameters() -> None:
    """Decorators under the task that say what they wrap are no obstacle."""
    app = App()

    def twice(fn: Callable[..., int]) -> Callable[..., int]:
        @functools.wraps(fn)
        def wrapper(*args: Any, **kwargs: Any) -> int:
            return 2 * fn(*args, **kwargs)

        return wrapper

    @app.task(unique=("a",))
    @twice
    def add(job: "Job", a: int) -> int:
        return a

    assert (add.name, add.job_parameter) == ("tests.app.test_tasks.add", "job")
    assert add(4) == 8


def test_tasks_are_found_by_name() -> None:
    """An app lists its tasks, and nobody can change the list."""
    assert list(APP.tasks) == [
        "tests.app.test_tasks.plain_add",
        "tests.app.test_tasks.heavy",
        "tests.app.test_tasks.fetch",
    ]
    assert APP.tasks["tests.app.test_tasks.fetch"] is fetch
    with pytest.raises(TypeError):
        APP.tasks["x"] = fetch  # type: ignore[index]


def test_a_name_taken_twice_is_told_with_both_places() -> None:
    """Two functions under one name are a mistake; the error says where both are."""
    app = App()
    app.task(name="send")(plain_add.fn)

    with pytest.raises(ConfigError, match=r"named 'send': at .*test_tasks.py:\d+ and at .*:\d+"):
        app.task(name="send")(fetch.fn)


def test_the_same_function_may_come_again() -> None:
    """A module that is loaded again replaces its tasks."""
    app = App()
    app.task(plain_add.fn)

    again = app.task(plain_add.fn)

    assert list(app.tasks.values()) == [again]


def test_things_say_what_they_are() -> None:
    """An app, a task and a choice can be told apart in a log."""
    name = "tests.app.test_tasks.fetch"

    assert repr(APP) == "<App 'app' with 3 tasks>"
    assert repr(fetch) == f"<Task {name}>"
    assert repr(fetch.using(delay="1m", queue="q")) == f"<Task {name} using delay='1m', queue='q'>"


def test_classes_can_be_made_known() -> None:
    """Those that no annotation names, with a call or as a decorator."""
    app = App()

    @app.type
    @dataclass
    class Coin:
        """Travels."""

        value: int

    @app.task
    def pay(anything: Any) -> None: ...

    assert isinstance(Coin, type)
    assert b'"value":5' in pay.item(Coin(5)).item.payload


def test_defaults_are_for_all_tasks() -> None:
    """What a task says itself goes over them."""
    app = App(defaults={"queue": "mail", "retry": 2})

    @app.task
    def one() -> None: ...

    @app.task(queue="own")
    def two() -> None: ...

    assert (one.options.queue, one.retry) == ("mail", Retry(2))
    assert (two.options.queue, two.retry) == ("own", Retry(2))


def test_a_script_and_those_who_import_it_use_one_name(tmp_path: Path) -> None:
    """`python shop.py` and a worker that imports `shop` mean the same task; so with -m."""
    (tmp_path / "shop.py").write_text(
        "from dataclasses import dataclass\nfrom limpet import App\napp = App()\n"
        "@dataclass\nclass Coin:\n    value: int\n"
        "@app.task\ndef pay(coin: Coin): ...\n"
        "print(*app.tasks, app.json.encode(Coin(1)).decode())\n"
    )

    def said(*arguments: str) -> str:
        command = [sys.executable, *arguments]
        done = subprocess.run(
            command, cwd=tmp_path, env=clean_environment(), capture_output=True, check=True
        )
        return done.stdout.decode()

    assert said("shop.py") == said("-m", "shop") == said("-c", "import shop")
    assert said("shop.py") == 'shop.pay {"$class":"shop.Coin","fields":{"value":1}}\n'


def test_importing_an_app_opens_nothing_and_loads_no_client() -> None:
    """A module with tasks is imported without the client library and its start-up time."""
    code = (
        "import sys, limpet\napp = limpet.App('redis://nowhere.invalid')\n"
        "@app.task(unique='waiting')\ndef f(a: int): ...\n"
        "assert 'redis' not in sys.modules, 'redis'\n"
        "assert 'pydantic' not in sys.modules and 'msgspec' not in sys.modules\n"
    )

    subprocess.run([sys.executable, "-c", code], check=True, env=clean_environment())


def test_policies_of_a_call_go_over_those_of_its_task() -> None:
    """Numbers come from the job, classes of errors from the task; None and 0 switch off."""
    app = App()

    @app.task(retry=Retry(5, on=OSError), timeout="5s")
    def work() -> None: ...

    def call(**choice: Any) -> Any:
        return work.using(**choice).item().call

    assert work.retry_for(call()) == Retry(5, on=OSError)
    assert work.retry_for(call(retry=2)) == Retry(2, on=OSError)
    assert work.retry_for(call(retry=Retry(9, base="9s"))) == Retry(9, base="9s", on=OSError)
    assert work.retry_for(call(retry=None)) == Retry(0, on=OSError)
    assert work.timeout_for(call()) == 5000
    assert work.timeout_for(call(timeout="9s")) == 9000
    assert work.timeout_for(call(timeout=None)) is None


def test_a_task_without_policy_takes_that_of_its_call() -> None:
    """A retry said at the push works for a task that has none."""
    assert plain_add.retry_for(plain_add.using(retry=4).item(1).call) == Retry(4)

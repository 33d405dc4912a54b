"""Options of tasks are checked where they are said."""

from typing import Any

import pytest

from limpet.errors import ConfigError
from limpet.tasks.options import TaskOptions, task_options
from limpet.tasks.steering import Retry


def test_a_task_that_says_nothing_promises_nothing() -> None:
    """No retry, no timeout, no result, no lock; the queue named default."""
    options = TaskOptions()

    assert (options.queue, options.policy, options.timeout_ms) == ("default", None, None)
    assert (options.unique, options.lock, options.result_ttl) == (None, None, None)


def test_later_layers_go_over_earlier_ones() -> None:
    """Defaults of the app are under the options of the task."""
    options = task_options({"queue": "a", "retry": 3}, {"queue": "b", "timeout": "5s"})

    assert (options.queue, options.policy, options.timeout_ms) == ("b", Retry(3), 5000)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"colour": "red"}, "no option 'colour'; there are name, queue"),
        ({"policy": 1}, "no option 'policy'"),
        ({"name": ""}, "name"),
        ({"name": 7}, "name"),
        ({"name": "x" * 201}, "name"),
        ({"name": "a\nb"}, "name"),
        ({"queue": ""}, "queue"),
        ({"queue": 7}, "queue"),
        ({"unique": "user_id"}, r"\('user_id',\)"),
        ({"unique": ()}, "tuple"),
        ({"unique": ("a", 5)}, "tuple"),
        ({"unique": ["a"]}, "tuple"),
        ({"unique": True}, "tuple"),
        ({"unique_while": "always"}, "unique_while"),
        ({"on_twin": "merge"}, "on_twin"),
        ({"lock": b"x"}, "lock"),
        ({"lock_limit": 0}, "lock_limit"),
        ({"retry": "x"}, "retries"),
        ({"retry": -1}, "retries"),
        ({"retry_on": "x"}, "on must be"),
        ({"give_up_on": 5}, "give_up_on must be"),
        ({"timeout": 0}, "timeout must be longer"),
        ({"timeout": "x"}, "timeout"),
        ({"result_ttl": -1}, "result_ttl"),
        ({"runs_in": "cloud"}, "runs_in"),
    ],
)
def test_wrong_options_are_refused(wrong: dict[str, Any], why: str) -> None:
    """The error says which one and what it may be."""
    with pytest.raises(ConfigError, match=why):
        task_options(wrong)

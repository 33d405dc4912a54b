"""Arguments are bound as Python binds them; unique and lock name parameters."""

import uuid
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given

from limpet.errors import ConfigError, PayloadError
from limpet.tasks import signature
from limpet.tasks.codec import JSON
from limpet.tasks.signature import Shape, shape_of
from tests.tasks.values import VALUES


class Context:
    """Stands for the job."""


def send(to: str, subject: str = "hi", *, urgent: bool = False) -> None:
    """A function as tasks have them."""


def spread(first: int, *rest: int, **more: int) -> None:
    """A function that takes anything."""


def print_of(*args: Any, unique: Any = "waiting", **kwargs: Any) -> bytes:
    """Make the fingerprint of a call of `send`."""
    shape = shape_of(send, "send", Context)
    return signature.fingerprint(shape, unique, shape.bind(args, kwargs), JSON())


@given(VALUES, VALUES, VALUES)
def test_fingerprints_do_not_know_how_arguments_were_written(a: Any, b: Any, c: Any) -> None:
    """By position or by name, in any order: one call, one fingerprint."""
    forms = {
        print_of(a, b, urgent=c),
        print_of(a, subject=b, urgent=c),
        print_of(urgent=c, subject=b, to=a),
        print_of(subject=b, to=a, urgent=c),
    }

    assert len(forms) == 1


@given(VALUES)
def test_defaults_do_not_matter(to: Any) -> None:
    """A default that is written out is the same as one that is not."""
    assert print_of(to) == print_of(to, "hi") == print_of(to, "hi", urgent=False)


@given(VALUES, VALUES)
def test_chosen_names_alone_make_twins(one: Any, other: Any) -> None:
    """What is not named does not matter, what is named does; the order of names does not."""
    assert print_of("a", one, unique=("to",)) == print_of("a", other, unique=("to",))
    assert print_of(one, other, unique=("to", "subject")) == print_of(
        one, other, unique=("subject", "to")
    )
    assert print_of("a", unique=("to",)) != print_of("b", unique=("to",))


def test_two_tasks_have_no_twins_among_each_other() -> None:
    """The name of the task is part of the fingerprint."""
    shapes = [shape_of(send, name, Context) for name in ("a", "b")]
    prints = [signature.fingerprint(s, "waiting", s.bind(("x",), {}), JSON()) for s in shapes]

    assert prints[0] != prints[1]


def test_spread_arguments_count() -> None:
    """Twins of a function that takes anything have all of it equal."""
    shape = shape_of(spread, "spread", Context)

    def of(*args: Any, **kwargs: Any) -> bytes:
        return signature.fingerprint(shape, "waiting", shape.bind(args, kwargs), JSON())

    assert of(1, 2, x=1, y=2) == of(1, 2, y=2, x=1)
    assert of(1, 2) != of(1, 3)
    assert of(1, x=1) != of(1, x=2)


@pytest.mark.parametrize(
    ("args", "kwargs"), [((), {}), ((1, 2, 3), {}), ((1,), {"to": 1}), ((1,), {"colour": 1})]
)
def test_wrong_arguments_name_the_task(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """They are a TypeError, as in a call, with the name in front."""
    with pytest.raises(TypeError, match=r"^shop\.send: "):
        shape_of(send, "shop.send", Context).bind(args, kwargs)


# -- the parameter for the job ----------------------------------------------------------------


def test_the_job_is_found_by_its_annotation() -> None:
    """The class itself, or its name as text; also with a module in front."""

    def by_class(job: Context, a: int) -> None: ...
    def by_name(task: "Context", a: int) -> None: ...
    def unresolved(job: "elsewhere.Context", a: int) -> None: ...  # type: ignore[name-defined]  # noqa: F821

    found = [shape_of(fn, "t", Context) for fn in (by_class, by_name, unresolved)]

    assert [shape.job_parameter for shape in found] == ["job", "task", "job"]
    assert all(shape.named == ["a"] for shape in found)


def test_another_class_of_the_same_name_is_not_the_job() -> None:
    """A name that can be resolved counts by what it is."""

    class Shape:
        """Has the name of another class."""

    def task(first: "Shape") -> None: ...

    assert shape_of(task, "t", Shape).job_parameter is None


def test_the_job_comes_first() -> None:
    """Anywhere else it is a mistake, and said so."""

    def second(a: int, job: Context) -> None: ...
    def twice(job: Context, again: Context) -> None: ...

    for fn in (second, twice):
        with pytest.raises(ConfigError, match="t: the parameter for the Context must be the first"):
            shape_of(fn, "t", Context)


# -- names and templates ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fn", "names", "why"),
    [
        (send, ("user",), "names 'user', but its parameters are to, subject, urgent"),
        (spread, ("rest",), "'rest', which takes any number"),
        (spread, ("more",), "'more', which takes any number"),
    ],
)
def test_unique_must_name_parameters(fn: Callable[..., Any], names: Any, why: str) -> None:
    """A wrong name is told with the right ones."""
    with pytest.raises(ConfigError, match=f"t: unique.* {why}"):
        signature.check_names(shape_of(fn, "t", Context), names)


@pytest.mark.parametrize(
    "template",
    [
        "",
        "{user}",
        "{}",
        "{0}",
        "{to.name}",
        "{to[0]}",
        "{to!r}",
        "{to:>5}",
        "{",
        "}",
        "{to",
        "{rest}",
    ],
)
def test_wrong_locks_are_refused(template: str) -> None:
    """Only names of parameters may stand in braces: no attributes, no formats."""

    def task(to: str, *rest: str) -> None: ...

    with pytest.raises(ConfigError, match="lock"):
        signature.check_lock(shape_of(task, "t", Context), template)


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("all", "all"),
        ("mail:{to}", "mail:a"),
        ("{to}{to}/{subject}", "aa/7"),
        ("{{{to}}}", "{a}"),
        ("{urgent}", "False"),
    ],
)
def test_locks_are_filled(template: str, text: str) -> None:
    """Defaults count; double braces are braces."""
    shape = shape_of(send, "t", Context)
    signature.check_lock(shape, template)

    assert signature.lock_text(template, shape.bind(("a", 7), {})) == text


def test_locks_take_simple_values_only() -> None:
    """What has no text of its own is refused; an id of any kind is fine."""
    name = uuid.uuid4()

    assert signature.lock_text("{a}", {"a": name}) == str(name)
    assert signature.lock_text("{a}", {"a": None}) == "None"
    for value in ([1], {"x": 1}, object(), b"x"):
        with pytest.raises(PayloadError, match="a: a lock cannot be made from"):
            signature.lock_text("{a}", {"a": value})


def test_a_shape_without_parameters_says_so() -> None:
    """The list of parameters in errors is never empty air."""
    with pytest.raises(ConfigError, match="its parameters are none"):
        signature.check_names(shape_of(lambda: None, "t", Context), ("x",))
    assert isinstance(shape_of(send, "t", Context), Shape)

"""What to take next: pure decisions, stepped by hand."""

import pytest

from limpet.errors import ConfigError
from limpet.worker.fetch import Asking, ByWeight, InOrder, Lines, lines_of


def drive(asking: Asking, stock: dict[str, int]) -> list[tuple[str, int]]:
    """Answer an asking from a stock of jobs; tells what was taken where."""
    taken = []
    try:
        name, count = next(asking)
        while True:
            got = min(count, stock[name])
            stock[name] -= got
            taken.append((name, got))
            name, count = asking.send(got)
    except StopIteration:
        return taken


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("high,low", Lines(("high", "low"))),
        (" high , low ", Lines(("high", "low"))),
        (["high", "low"], Lines(("high", "low"))),
        ("high=3,low=1", Lines(("high", "low"), (3, 1))),
        ("high=3,low", Lines(("high", "low"), (3, 1))),
        ({"high": 3, "low": 1}, Lines(("high", "low"), (3, 1))),
    ],
)
def test_queues_are_read_as_users_write_them(given: object, wanted: Lines) -> None:
    """Text, lists and mappings; with weights or without."""
    assert lines_of(given) == wanted


@pytest.mark.parametrize(
    ("given", "word"),
    [
        ("", "at least one"),
        ([], "at least one"),
        ("a,a", "twice"),
        ("a=x", "a=3"),
        ("a=0", "from 1"),
        ({"a": True}, "from 1"),
        ("{a}", "queue"),
        (7, "not int"),
    ],
)
def test_wrong_queues_are_refused_with_the_rule(given: object, word: str) -> None:
    """Each mistake is a ConfigError that says what is right."""
    with pytest.raises(ConfigError, match=word):
        lines_of(given)


def test_lines_are_written_as_they_are_read() -> None:
    """What is shown can be typed."""
    assert str(lines_of("high=3,low")) == "high=3,low=1"
    assert str(lines_of("high,low")) == "high,low"


def test_strict_order_asks_the_next_only_for_what_is_left() -> None:
    """The second queue gets what the first could not fill."""
    stock = {"high": 3, "low": 100}

    assert drive(InOrder(("high", "low")).asking(10), stock) == [("high", 3), ("low", 7)]


def test_strict_order_stops_when_all_slots_are_filled() -> None:
    """The second queue is not asked at all."""
    assert drive(InOrder(("high", "low")).asking(2), {"high": 5, "low": 5}) == [("high", 2)]


@pytest.mark.parametrize("free", [1, 2, 7, 20])
def test_weights_hold_over_time(free: int) -> None:
    """With work in both, three of one are taken for one of the other, whatever is free."""
    plan = ByWeight({"high": 3, "low": 1})
    stock = {"high": 10_000, "low": 10_000}

    taken = [entry for _ in range(400) for entry in drive(plan.asking(free), stock)]

    high = sum(count for name, count in taken if name == "high")
    low = sum(count for name, count in taken if name == "low")
    assert high + low == 400 * free
    assert abs(high - 3 * low) <= 4


def test_nobody_starves_by_weight() -> None:
    """A queue of weight one beside one of a thousand gets its turn."""
    plan = ByWeight({"heavy": 1000, "light": 1})
    stock = {"heavy": 10_000, "light": 10}

    taken = [entry for _ in range(1100) for entry in drive(plan.asking(1), stock)]

    assert sum(count for name, count in taken if name == "light") >= 1


def test_an_empty_queue_costs_the_others_nothing() -> None:
    """All slots are filled from whoever has work."""
    plan = ByWeight({"high": 3, "low": 1})

    assert sum(count for _, count in drive(plan.asking(8), {"high": 0, "low": 20})) == 8
    assert sum(count for _, count in drive(plan.asking(1), {"high": 0, "low": 20})) == 1


def test_a_queue_without_work_gains_no_credit() -> None:
    """After a long pause it gets its share, not all that it missed."""
    plan = ByWeight({"high": 3, "low": 1})
    stock = {"high": 0, "low": 1000}
    for _ in range(100):
        drive(plan.asking(4), stock)

    stock = {"high": 1000, "low": 1000}
    taken = [entry for _ in range(10) for entry in drive(plan.asking(4), stock)]

    low = sum(count for name, count in taken if name == "low")
    assert 8 <= low <= 12

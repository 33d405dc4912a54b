"""The arithmetic of the benchmarks: medians, spreads, percentiles, noise."""

from pathlib import Path

import pytest

from benchmarks.book import Book
from benchmarks.cores import Quiet
from benchmarks.stats import percentile, summary


def test_samples_are_summed_up() -> None:
    """The median stands between the lowest and the highest; the spread is relative to it."""
    found = summary([30.0, 10.0, 20.0])

    assert found is not None
    assert (found.median, found.low, found.high, found.count) == (20.0, 10.0, 30.0, 3)
    assert found.spread == 1.0


def test_no_samples_have_no_summary() -> None:
    """Nothing measured is nothing, not zero."""
    assert summary([]) is None
    assert percentile([], 0.5) is None


@pytest.mark.parametrize(("part", "expected"), [(0.0, 1), (0.5, 50), (0.99, 99), (1.0, 100)])
def test_percentiles_are_samples(part: float, expected: int) -> None:
    """A percentile is the smallest sample with at least that part at or below it."""
    assert percentile([float(n) for n in range(100, 0, -1)], part) == expected


def test_a_book_survives_being_saved(tmp_path: Path) -> None:
    """What is read again equals what was written."""
    book = Book(facts={"rounds": 3}, repeated=2)
    book.note("drain", "limpet", 1.0, None, 2.0)
    book.trouble["rq"] = "no"

    book.save(tmp_path / "new" / "book.json")

    assert Book.load(tmp_path / "new" / "book.json") == book
    assert book.samples == {"drain": {"limpet": [1.0, 2.0]}}


def test_the_best_leaves_out_those_not_measured() -> None:
    """Highest or lowest median, among those asked about; None if nobody has samples."""
    book = Book()
    book.note("m", "a", 1.0)
    book.note("m", "b", 3.0)
    book.note("m", "c")

    assert book.best("m", ["a", "b", "c"]) == ("b", 3.0)
    assert book.best("m", ["a", "b", "c"], least=True) == ("a", 1.0)
    assert book.best("m", ["c"]) is None


@pytest.mark.parametrize(
    ("mine", "other", "expected"),
    [([1.0, 9.0, 4.0], [1.0, 3.0, 2.0], 2.0), ([9.0], [1.0, 3.0], 4.5), ([], [1.0], None)],
)
def test_samples_are_related_in_pairs(
    mine: list[float], other: list[float], expected: float | None
) -> None:
    """The median of their ratios; where they do not pair, the ratio of the medians."""
    book = Book()
    book.note("m", "mine", *mine)
    book.note("n", "other", *other)

    assert book.ratio(("m", "mine"), ("n", "other")) == expected


def test_noise_is_measured_against_the_best(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slower loop is a deviation; a faster one becomes the new reference."""
    times = iter([2.0] * 8 + [3.0, 1.0, 2.0])
    monkeypatch.setattr("benchmarks.cores.spin", lambda: next(times))

    quiet = Quiet()

    assert [quiet.deviation() for _ in range(3)] == [0.5, 0.0, 1.0]

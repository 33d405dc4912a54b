"""The bars of the benchmarks are judged as they are written."""

import pytest

from benchmarks.bars import Bar, evaluate
from benchmarks.book import Book


def find(book: Book, what: str, bar: str) -> Bar:
    """Find one bar by the beginnings of its texts."""
    return next(
        row for row in evaluate(book) if row.what.startswith(what) and row.bar.startswith(bar)
    )


def test_nothing_measured_is_neither_met_nor_missed() -> None:
    """An empty book has all bars, and no verdicts."""
    rows = evaluate(Book())

    assert len(rows) > 15
    assert {row.met for row in rows} == {None}


@pytest.mark.parametrize(("mine", "met"), [(1500.0, True), (1499.0, False)])
def test_a_ratio_is_held_against_the_fastest_peer(mine: float, *, met: bool) -> None:
    """Fifteen times the fastest is met exactly from there on; the peer is named."""
    book = Book()
    book.note("drain async", "limpet", mine)
    book.note("drain async", "arq", 50.0)
    book.note("drain async", "saq", 100.0)

    row = find(book, "drain, async", ">= 15 x")

    assert row.met is met
    assert "saq: 100/s" in row.measured


@pytest.mark.parametrize(("total", "met"), [(148.0, True), (149.0, False)])
def test_memory_is_judged_without_the_payload(total: float, *, met: bool) -> None:
    """120 bytes beside the payload are allowed, not one more."""
    book = Book()
    book.note("memory queued", "limpet", total)
    book.note("payload bytes", "limpet", 28.0)

    assert find(book, "memory per queued", "<= payload").met is met


def test_a_peer_that_may_lose_jobs_is_no_measure_of_memory() -> None:
    """It keeps less because it promises less."""
    book = Book()
    book.note("memory queued", "limpet", 150.0)
    book.note("memory queued", "huey", 100.0)
    book.note("memory queued", "taskiq", 180.0)

    assert find(book, "memory per queued", "below").met is True


def test_latency_takes_the_better_kind() -> None:
    """A queue is judged by the better of its sync and its async jobs."""
    book = Book()
    book.note("latency sync", "bare", 1.0)
    book.note("latency sync", "limpet", 5.0)
    book.note("latency async", "limpet", 1.5)

    assert find(book, "latency, idle worker, p50", "<= 1.5").met is True


def test_flatness_compares_the_biggest_with_the_smallest() -> None:
    """What lies between does not matter."""
    book = Book()
    for size, cost in (("1", 1.0), ("100", 9.0), ("1,000", 1.4)):
        book.note("queues: push", size, cost)

    row = find(book, "flat: push, 1,000 queues", "<= 1.3")

    assert (row.met, row.measured) == (False, "1.40 x")

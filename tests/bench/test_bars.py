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
    """A queue is judged by the better of its sync and its async jobs, each beside bare lists."""
    book = Book()
    for kind, mine in (("sync", 5.0), ("async", 1.5)):
        book.note(f"latency {kind} p50", "bare", 1.0)
        book.note(f"latency {kind} p50", "limpet", mine)

    assert find(book, "latency, idle worker, p50", "<= 1.5").met is True


def test_what_was_taken_side_by_side_is_compared_pair_by_pair() -> None:
    """A round in which the whole machine was slow does not change the ratio."""
    book = Book()
    book.note("enqueue one", "limpet", 90.0, 45.0, 9.0)
    book.note("enqueue one", "bare", 100.0, 50.0, 100.0)

    row = find(book, "enqueue one by one", ">= 0.85")

    assert (row.met, row.measured) == (True, "0.90 x")


def test_bulk_is_judged_by_the_faster_bare_loop_and_tells_of_the_other() -> None:
    """One payload made beforehand is the stricter measure."""
    book = Book()
    book.note("enqueue bulk", "limpet", 30.0)
    book.note("enqueue bulk", "bare", 100.0)
    book.note("enqueue bulk, made", "bare", 50.0)

    row = find(book, "enqueue bulk", ">= 0.4")

    assert row.met is False
    assert row.measured == "0.30 x (0.60 x one that writes its payloads)"


def test_flatness_compares_the_biggest_with_a_small_one_beside_it() -> None:
    """What lies between does not matter, nor what a small one cost at another time."""
    book = Book()
    for size, cost, small in (("1", 1.0, 1.0), ("100", 9.0, 1.0), ("1,000", 2.8, 2.0)):
        book.note("queues: push", size, cost)
        book.note("queues, small beside: push", size, small)

    row = find(book, "flat: push, queues", "<= 1.3")

    assert (row.met, row.measured) == (False, "1.40 x (1,000 queues)")

"""Tables, charts and the page of a run."""

import tomllib
from pathlib import Path
from xml.etree import ElementTree as ET

from benchmarks.bars import Bar, evaluate
from benchmarks.book import Book
from benchmarks.places import HISTORY, WHYS
from benchmarks.report import story, tables
from benchmarks.report.charts import bar_chart, line_chart
from benchmarks.report.page import page, write


def a_book() -> Book:
    """Make a book of a small run."""
    book = Book(facts={"versions": {"rq": {"rq": "2.12"}}})
    for name, rate in (("limpet", 40_000.0), ("rq", 150.0)):
        book.note("drain sync", name, rate, rate * 1.1)
        book.note("memory queued", name, 150.0)
    for step in ("push", "pop + ack"):
        for size, cost in (("1,000", 2.0), ("10,000", 2.2)):
            book.note(f"backlog: {step}", size, cost)
            book.note(f"backlog, small beside: {step}", size, 2.0)
    book.trouble["celery"] = "its worker ended by itself: no"
    return book


def test_a_table_is_markdown() -> None:
    """A head, a rule and a line per row."""
    assert tables.table(["a", "b"], [["1", "2"]]) == "| a | b |\n| --- | --- |\n| 1 | 2 |"


def test_numbers_are_short() -> None:
    """Three digits, thousands apart, and a dash for what was not measured."""
    found = [tables.number(value) for value in (None, 0.125, 12.34, 1234.5)]

    assert found == ["-", "0.12", "12.3", "1,234"]


def test_verdicts_are_words() -> None:
    """Missed stands out."""
    rows = [Bar("a", "b", "c", met) for met in (True, False, None)]

    text = tables.bars(rows)

    words = [line.split(" | ")[3].removesuffix(" |") for line in text.splitlines()[2:]]
    assert words == ["met", "**missed**", "not measured"]


def test_charts_are_drawings() -> None:
    """Each is well-formed, says what it is, and has a mark per value; names are escaped."""
    bars = ET.fromstring(bar_chart("Speed", [("limpet", 9e4), ("a<b", 3.0)], "limpet"))
    lines = ET.fromstring(line_chart("Cost", {"push": [("1", 1.0), ("2", 1.5)]}))

    space = "{http://www.w3.org/2000/svg}"
    assert [rect.get("class") for rect in bars.iter(f"{space}rect")] == ["m", "b"]
    assert "a<b" in [text.text for text in bars.iter(f"{space}text")]
    assert lines.get("aria-label") == "Cost"
    assert len(list(lines.iter(f"{space}polyline"))) == 1


def test_a_chart_of_nothing_is_still_one() -> None:
    """Nothing measured draws an empty picture, no error."""
    assert bar_chart("Speed", [("a", 0.0)], "a").startswith("<svg")


def test_a_page_says_who_is_missing_and_why() -> None:
    """A peer that failed has its reason beside its setting."""
    text = page(a_book())

    assert "given up: its worker ended by itself: no" in text
    assert "| limpet | 42,000 ±5% |" in text
    assert "rq 2.12" in text


def test_versions_and_settings_stand_beside_the_figures() -> None:
    """The name of a queue carries its version; its setting follows the table."""
    text = page(a_book())

    assert "| RQ 2.12 | 158 ±5% |" in text
    assert text.index("| RQ 2.12 |") < text.index("`SimpleWorker`") < text.index("## Latency")


def test_a_flat_cost_is_shown_beside_that_of_a_small_queue() -> None:
    """For each size the cost, and how many times that of the small queue it is."""
    assert "| 10,000 | 2.20 | 1.10 | 2.20 | 1.10 |" in page(a_book())


def test_a_missed_bar_has_its_reason() -> None:
    """One line for those missed; met ones and those without a text are left out."""
    rows = [Bar("a", "b", "1", met=False), Bar("c", "d", "1", met=True), Bar("e", "f", "1", None)]

    text = story.why(rows, {row.key: f"because of {row.what}" for row in rows})

    assert text.splitlines()[2:] == ["- a, b: because of a"]
    assert story.why(rows, {}) == ""


def test_every_reason_is_about_a_bar() -> None:
    """A bar that is renamed must not leave its reason behind."""
    known = {bar.key for bar in evaluate(Book())}

    assert set(tomllib.loads(WHYS.read_text("utf-8"))) == known


def test_what_was_tried_is_told(tmp_path: Path) -> None:
    """Kept and dropped in tables of their own; nothing tried, nothing said."""
    file = tmp_path / "history.toml"
    file.write_text(
        '[[tried]]\nwhat = "x"\nbefore = 1\nafter = 2.5\nunit = "us"\nkept = true\n'
        '[[tried]]\nwhat = "y"\nbefore = 1\nafter = 3\nunit = "us"\nkept = false\nnote = "no"\n'
    )

    text = story.history(story.read_history(file))

    assert "Kept:\n\n| what" in text
    assert "| x | 1.00 | 2.50 | us |  |" in text
    assert text.index("Dropped") < text.index("| y | 1.00 | 3.00 | us | no |")
    assert story.history(story.read_history(HISTORY)[:0]) == ""


def test_a_page_shows_only_charts_that_exist(tmp_path: Path) -> None:
    """Every picture the page shows was written beside it."""
    write(a_book(), tmp_path)

    shown = {name.partition(")")[0] for name in page(a_book()).split("](charts/")[1:]}
    assert shown == {file.name for file in (tmp_path / "charts").iterdir()}
    assert shown == {"drain-sync.svg", "memory.svg", "backlog.svg"}

"""The table says what was found, the bad things too."""

from tests.matrix.judge import Bounds, Restart, Verdict
from tests.matrix.report import HEADS, cells, line, page
from tests.matrix.rounds import Outcome, Row, chosen
from tests.matrix.scenes import Scene


def row(*outcomes: Outcome, slow: bool = False) -> Row:
    """Make a line of the table."""
    scene = Scene("F1a", "a fault", lambda _: Verdict(), Bounds(per_strike=2), slow)
    return Row(scene, list(outcomes), 3.0)


def test_the_seeds_of_a_fault_are_added_up() -> None:
    """Counts are sums, seconds are the worst; each strike allows as many starts as slots."""
    hit = Verdict(jobs=5, strikes=1, restarts=(Restart("1", 0, 0.25, 0),))
    calm = Verdict(jobs=4, strikes=1)

    found = dict(zip(HEADS, cells(row(Outcome(hit), Outcome(calm))), strict=True))

    assert (found["seeds"], found["jobs"], found["lost"]) == ("2", "9", "0")
    assert (found["extra starts seen / allowed"], found["slowest restart"]) == ("1 / 4", "0.25 s")


def test_what_went_wrong_stands_in_the_line() -> None:
    """With how many seeds it did."""
    bad = row(Outcome(Verdict(jobs=2, lost=("1",)), "lost: 1"), Outcome(Verdict(jobs=2)))

    assert "1 of 2 FAILED" in line(bad)
    assert "lost 1" in line(bad)
    assert "FAILED" not in line(row(Outcome(Verdict(jobs=2))))


def test_the_page_has_a_line_for_each_fault() -> None:
    """Those that are no part of the tests have a star."""
    text = page(
        [row(Outcome(Verdict(jobs=7))), row(Outcome(Verdict()), slow=True)], "dev.py faults"
    )

    assert "| F1a | a fault | 1 | 7 | 0 | 0 | 0 / 0 | 0 | - | - | 0 |" in text
    assert "| F1a* | a fault |" in text
    assert "in this run: nothing." in text
    assert "F1a with 1 of its seeds" in page([row(Outcome(Verdict(), "lost"))], "dev.py faults")


def test_a_fault_is_found_by_its_name_or_its_number() -> None:
    """F3 stands for all of its kind; F1 is not F10."""
    assert chosen(["F3"]) == ["F3a", "F3b", "F3c"]
    assert chosen(["F8b", "F10"]) == ["F8b", "F10"]
    assert not any(name.startswith("F1") and len(name) > 3 for name in chosen(["F1"]))
    assert {name.rstrip("abcde") for name in chosen([])} == {f"F{number}" for number in range(12)}

"""The tables of statements are written from tests, and only if nothing is missing."""

from pathlib import Path

import pytest

from tools import seeds, tables

GOOD = '''
STATEMENTS: dict[str, tuple[str, str, str]] = {
    "U1": ("says one", "`push()`", ""),
    "U2": ("says two", "`pop()`", "Not here."),
    "U-c1": ("fails", "`ack()`", ""),
}

def test_one():
    """U1, U-c1: proven."""

def test_more():
    """U1: proven again."""

def helper(): ...
'''
ONE = (
    "U1",
    "says one",
    "`push()`",
    "`test_uniqueue.py::test_one`<br>`test_uniqueue.py::test_more`",
)


def module(folder: Path, text: str) -> Path:
    """Write the tests of one system."""
    path = folder / "test_uniqueue.py"
    path.write_text(text)
    return path


def test_statements_become_rows(tmp_path: Path) -> None:
    """Each with its tests, its difference, or both; mistakes come in a table of their own."""
    module(tmp_path, GOOD)

    assert list(seeds.sections(tmp_path)) == [
        ("resque-uniqueue", seeds.SAYS, [ONE, ("U2", "says two", "`pop()`", "Not here.")]),
        (
            "resque-uniqueue: its mistakes",
            seeds.FAILS,
            [("U-c1", "fails", "`ack()`", "`test_uniqueue.py::test_one`")],
        ),
    ]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('"Not here."', '""', "U2 has neither a test nor a stated difference"),
        ("U1: proven again", "U9: proven again", "test_more` proves U9, which is not in"),
        ('"U2": (', '"U3": (', "U2 is not in STATEMENTS"),
        ("U1: proven again", "Proven again", "docstring of test_more does not begin"),
        ('"says one"', "says_one", "must be a literal"),
        ("STATEMENTS", "SAYINGS", "has no STATEMENTS"),
    ],
)
def test_what_is_missing_is_named(tmp_path: Path, old: str, new: str, reason: str) -> None:
    """Nothing is written as long as a number has no proof or a proof no number."""
    path = module(tmp_path, GOOD.replace(old, new))

    with pytest.raises(seeds.Gap, match=reason):
        seeds.rows_of(path)


def test_a_gap_is_refused_like_any_other_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """The generator tells what is missing instead of failing with a traceback."""

    def broken() -> None:
        raise seeds.Gap("U2 has no proof")

    monkeypatch.setattr(seeds, "sections", broken)

    with pytest.raises(tables.Refused, match="U2 has no proof"):
        tables.generate("seeds")

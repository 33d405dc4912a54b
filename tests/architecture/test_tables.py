"""The generated parts of the documents follow the code."""

from enum import Enum
from pathlib import Path
from types import SimpleNamespace

import pytest

from tools import tables

PAGE = "# Page\n\n<!-- begin:one -->\nold\n<!-- end:one -->\n\nafter\n"
FRESH = "# Page\n\n<!-- begin:one -->\n\nnew\n\n<!-- end:one -->\n\nafter\n"


class State(Enum):
    """Two states, for a small diagram."""

    WAITING = "waiting"
    RUNNING = "running"


MOVES = [
    SimpleNamespace(verb="push", source=None, target=State.WAITING, meaning="queued"),
    SimpleNamespace(verb="pop", source=State.WAITING, target=State.RUNNING, meaning="taken"),
    SimpleNamespace(verb="release", source=State.RUNNING, target=State.WAITING, meaning="a | b"),
    SimpleNamespace(verb="recover", source=State.RUNNING, target=State.WAITING, meaning="died"),
    SimpleNamespace(verb="ack", source=State.RUNNING, target=None, meaning="done"),
]


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a document with one generated part, and its generator."""
    monkeypatch.setitem(tables.GENERATORS, "one", lambda: "new\n")
    path = tmp_path / "docs" / "deep" / "page.md"
    path.parent.mkdir(parents=True)
    path.write_text(PAGE)
    return path


def test_a_part_is_written_between_its_marks(page: Path, tmp_path: Path) -> None:
    """What stood there is replaced; the rest of the document is not touched."""
    assert tables.main([], tmp_path) == 0

    assert page.read_text() == FRESH


def test_a_fresh_document_passes_the_check(page: Path, tmp_path: Path) -> None:
    """After writing, the check has nothing to say, and writing again changes nothing."""
    tables.main([], tmp_path)

    assert tables.main(["--check"], tmp_path) == 0
    assert tables.refresh(FRESH) == FRESH


def test_a_stale_document_fails_the_check(
    page: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is named, and left as it is."""
    assert tables.main(["--check"], tmp_path) == 1

    assert capsys.readouterr().out == "stale: docs/deep/page.md\n"
    assert page.read_text() == PAGE


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<!-- begin:nobody -->\n<!-- end:nobody -->\n", "no generator is called 'nobody'"),
        ("<!-- begin:one -->\n", "no partner"),
        ("<!-- end:one -->\n", "no partner"),
        ("<!-- begin:one -->\n<!-- end:two -->\n", "no partner"),
    ],
)
def test_a_wrong_mark_is_named(
    page: Path, tmp_path: Path, text: str, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A mark nobody can serve is an error, with the document and the reason."""
    page.write_text(text)

    assert tables.main([], tmp_path) == 1

    said = capsys.readouterr().err
    assert said.startswith("tables: page.md: ")
    assert reason in said


def test_code_that_cannot_be_imported_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A generator whose module is missing says so, without a traceback."""
    monkeypatch.setitem(tables.GENERATORS, "gone", lambda: __import__("limpet_gone").text)

    with pytest.raises(tables.Refused, match="limpet_gone"):
        tables.generate("gone")


def test_states_are_drawn() -> None:
    """One arrow per pair of states, with all its verbs; outside is the Mermaid star."""
    assert tables.state_diagram(MOVES).splitlines() == [
        "```mermaid",
        "stateDiagram-v2",
        "    [*] --> waiting: push",
        "    waiting --> running: pop",
        "    running --> waiting: release, recover",
        "    running --> [*]: ack",
        "```",
    ]


def test_states_are_listed() -> None:
    """One row per transition; a bar in a text does not break the table."""
    rows = tables.state_table(MOVES).splitlines()

    assert rows[:3] == [
        "| verb | from | to | meaning |",
        "| --- | --- | --- | --- |",
        "| `push` | (new) | waiting | queued |",
    ]
    assert rows[4] == "| `release` | running | waiting | a \\| b |"
    assert rows[6] == "| `ack` | running | (gone) | done |"

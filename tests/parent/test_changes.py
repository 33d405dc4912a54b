"""Which files changed between two looks."""

import os
from pathlib import Path

import pytest

from limpet.worker.parent.changes import Changes


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with code, and with things that are none of the user's code."""
    for name in ("a.py", "pkg/b.py", "note.txt", ".git/c.py", "venv/d.py", "node_modules/e.py"):
        (tmp_path / "code" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "code" / name).write_text("")
    (tmp_path / "code" / "venv" / "pyvenv.cfg").write_text("")
    return tmp_path / "code"


def touch(file: Path) -> None:
    """Change a file as an editor does; the time is set, for two writes may share one."""
    then = file.stat().st_mtime_ns if file.exists() else 0
    file.write_text("changed")
    os.utime(file, ns=(then + 10**9, then + 10**9))


def test_nothing_changed_at_first(folder: Path) -> None:
    """The first look finds what is there, the next one nothing new."""
    changes = Changes(folder)

    assert changes.look() == []
    assert changes.look() == []


@pytest.mark.parametrize("name", ["a.py", "pkg/b.py", "pkg/new.py"])
def test_a_change_is_told_once(folder: Path, name: str) -> None:
    """Changed or added: told at the next look, and not again."""
    changes = Changes(folder)
    changes.look()

    touch(folder / name)

    assert changes.look() == [str(folder / name)]
    assert changes.look() == []


def test_a_removed_file_is_a_change(folder: Path) -> None:
    """An import of it would fail now."""
    changes = Changes(folder)
    changes.look()

    (folder / "a.py").unlink()

    assert changes.look() == [str(folder / "a.py")]


@pytest.mark.parametrize("name", ["note.txt", ".git/c.py", "venv/d.py", "node_modules/e.py"])
def test_other_files_do_not_count(folder: Path, name: str) -> None:
    """Neither texts, nor hidden folders, nor what others wrote."""
    changes = Changes(folder)
    changes.look()

    touch(folder / name)

    assert changes.look() == []


def test_files_elsewhere_are_watched_once_they_are_named(folder: Path, tmp_path: Path) -> None:
    """To learn of a file is no change of it."""
    elsewhere = tmp_path / "app.py"
    touch(elsewhere)
    changes = Changes(folder)
    changes.look()

    assert changes.look([str(elsewhere)]) == []
    touch(elsewhere)
    assert changes.look([str(elsewhere)]) == [str(elsewhere)]


def test_a_folder_that_is_gone_stops_nobody(tmp_path: Path) -> None:
    """There is nothing to see in it."""
    assert Changes(tmp_path / "gone").look([str(tmp_path / "no.py")]) == []

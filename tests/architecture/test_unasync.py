"""The sync twin is made from the async shell, and staleness is noticed."""

import re
from pathlib import Path

import pytest

from tools import unasync

SHELL = '''"""A shell."""

from collections.abc import AsyncIterator


class AsyncQueue:
    """A queue; use it with `async with`."""

    async def __aenter__(self) -> "AsyncQueue":
        return await self.open()

    async def each(self) -> AsyncIterator[int]:
        """Give each."""
        async for one in await self.pop():
            yield one
'''
TWIN = '''"""A shell."""

from collections.abc import Iterator


class Queue:
    """A queue; use it with `with`."""

    def __enter__(self) -> "Queue":
        return self.open()

    def each(self) -> Iterator[int]:
        """Give each."""
        for one in self.pop():
            yield one
'''


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """Make a folder with one async file, and leave only the substitutions it needs."""
    used = tuple(s for s in unasync.SUBSTITUTIONS if re.search(s[0], SHELL))
    monkeypatch.setattr(unasync.Translator.__init__, "__defaults__", (used,))
    sources = tmp_path / "aio"
    sources.mkdir()
    (sources / "queue.py").write_text(SHELL)
    return sources, tmp_path / "sync"


def test_the_twin_is_the_text_without_async(folders: tuple[Path, Path]) -> None:
    """Names, syntax and docstrings lose their async; a banner says where to edit."""
    sources, twins = folders

    assert unasync.main([], (folders,)) == 0

    banner, _, text = (twins / "queue.py").read_text().partition("\n")
    assert banner == unasync.BANNER.format(source=sources / "queue.py").rstrip()
    assert text.lstrip() == TWIN


def test_a_fresh_twin_passes_the_check(folders: tuple[Path, Path]) -> None:
    """After writing, the check has nothing to say."""
    unasync.main([], (folders,))

    assert unasync.main(["--check"], (folders,)) == 0


def test_a_stale_twin_fails_the_check(
    folders: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """A missing, an old and an orphaned twin are named, and left as they are."""
    sources, twins = folders
    unasync.main([], (folders,))
    (sources / "new.py").write_text('"""New."""\n')
    (sources / "queue.py").write_text(SHELL.replace("Give each", "Give all"))
    (twins / "orphan.py").write_text(unasync.BANNER)
    capsys.readouterr()

    assert unasync.main(["--check"], (folders,)) == 1

    names = ("new.py", "orphan.py", "queue.py")
    assert capsys.readouterr().out == "".join(f"stale: {twins / name}\n" for name in names)
    assert "Give each" in (twins / "queue.py").read_text()


def test_a_twin_without_source_is_removed(folders: tuple[Path, Path]) -> None:
    """When the async file goes, so does its twin."""
    _, twins = folders
    unasync.main([], (folders,))
    (twins / "orphan.py").write_text(unasync.BANNER)

    assert unasync.main([], (folders,)) == 0

    assert [path.name for path in twins.iterdir()] == ["queue.py"]


def test_a_written_file_is_not_removed(
    folders: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """A file without the banner was written by somebody: say so and touch nothing."""
    _, twins = folders
    twins.mkdir()
    (twins / "mine.py").write_text("mine = 1\n")

    assert unasync.main([], (folders,)) == 1

    assert "is in the way" in capsys.readouterr().err
    assert [path.name for path in twins.iterdir()] == ["mine.py"]


def test_a_useless_substitution_is_an_error(tmp_path: Path) -> None:
    """A substitution that finds nothing in any file is named."""
    (tmp_path / "a.py").write_text("one = 1\n")
    translator = unasync.Translator((("one", "two"), ("never", "there")))

    with pytest.raises(unasync.Refused, match=r"(?s)find nothing.*never"):
        unasync.make_twins(((tmp_path, tmp_path / "sync"),), translator)


def test_without_async_files_there_is_nothing_to_do(tmp_path: Path) -> None:
    """No source, no twin, no complaint."""
    assert unasync.main(["--check"], ((tmp_path / "aio", tmp_path / "sync"),)) == 0

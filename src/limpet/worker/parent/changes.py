"""Which Python files were changed, added or removed: found by looking at their times."""

import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

#: Folders that hold no code of the user's own; those that begin with a dot do neither.
_STRANGE = frozenset({"__pycache__", "node_modules", "site-packages"})

Times = dict[str, int]


class Changes:
    """What changed below a folder, and among some more files, from one look to the next."""

    def __init__(self, folder: Path) -> None:
        """Prepare; the first look finds nothing changed."""
        self._folder = str(folder)
        self._seen: Times | None = None
        self._more: frozenset[str] = frozenset()

    def look(self, more: Iterable[str] = ()) -> list[str]:
        """List the files that are not as they were at the last look."""
        named = frozenset(more)
        times = {**dict(_below(self._folder)), **dict(_among(named))}
        before, self._seen = self._seen, times
        new, self._more = named - self._more, named
        if before is None:
            return []
        known = {name for name in before.keys() | times.keys() if name in before or name not in new}
        return sorted(name for name in known if before.get(name) != times.get(name))


def _among(files: Iterable[str]) -> Iterator[tuple[str, int]]:
    for file in files:
        with contextlib.suppress(OSError):
            yield file, Path(file).stat().st_mtime_ns


def _below(folder: str) -> Iterator[tuple[str, int]]:
    try:
        entries = list(os.scandir(folder))
    except OSError:  # it went away, or is not for us to read
        return
    if any(entry.name == "pyvenv.cfg" for entry in entries):
        return
    for entry in entries:
        try:
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in _STRANGE and not entry.name.startswith("."):
                    yield from _below(entry.path)
            elif entry.name.endswith(".py"):
                yield entry.path, entry.stat().st_mtime_ns
        except OSError:
            continue

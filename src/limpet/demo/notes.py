"""Notes: each process writes what it does into a file of its own, at the moment it does it.

A note is one JSON line and one write, so whatever a process noted before it was killed is there.
Times are of a clock that all processes of a machine share and nobody can set.
"""

import json
import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from limpet.errors import ConfigError

What = Literal["pushed", "started", "acking", "acked", "stale", "lost", "killed", "end"]
PRODUCER = "producer"
DIRECTOR = "director"
SUFFIX = ".jsonl"


@dataclass(frozen=True, slots=True)
class Note:
    """One thing that happened: what, when, and to which job; facts beyond that."""

    what: str
    at: float
    id: str = ""
    facts: dict[str, Any] = field(default_factory=dict)


class Notebook:
    """The notes of one process, for writing."""

    def __init__(self, folder: Path, name: str) -> None:
        """Open the file, or make it."""
        path = folder / f"{name}{SUFFIX}"
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def note(self, what: What, id: str = "", at: float | None = None, **facts: Any) -> None:
        """Write one note, of now unless another time is given."""
        when = time.monotonic() if at is None else at
        line = json.dumps({"what": what, "at": when, "id": id, **facts})
        os.write(self._file, f"{line}\n".encode())


def read(folder: Path, name: str) -> list[Note]:
    """Read the notes of one process; a last line that was cut off is none."""
    try:
        text = (folder / f"{name}{SUFFIX}").read_text("utf-8")
    except FileNotFoundError:
        return []
    whole, _, _ = text.rpartition("\n")
    return [_note(line, name) for line in whole.splitlines()]


def names(folder: Path) -> list[str]:
    """List who left notes in a folder."""
    return sorted(path.stem for path in folder.glob(f"*{SUFFIX}"))


def _note(line: str, name: str) -> Note:
    try:
        facts = json.loads(line)
        return Note(str(facts.pop("what")), float(facts.pop("at")), facts.pop("id"), facts)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ConfigError(f"{name}{SUFFIX} has a line that is no note: {line[:60]!r}") from error

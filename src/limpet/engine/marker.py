"""The marker beside the data: which engine wrote it, so that no other one misreads it."""

import json
import os
from dataclasses import dataclass
from pathlib import Path

from limpet.engine.binary import Binary, version_text
from limpet.errors import EngineError

# Valkey began as Redis 7.2 and reads what any Redis up to there wrote.
LAST_COMMON = (7, 2)


@dataclass(frozen=True, slots=True)
class Marker:
    """The engine that wrote the data last."""

    path: Path
    """Its program."""
    family: str
    version: tuple[int, int, int]

    def admit(self, binary: Binary) -> None:
        """Refuse a program that may not understand the data."""
        if not _reads(binary, self.family, self.version):
            wrote = f"{self.family} {version_text(self.version)}"
            raise EngineError(
                f"the data was written by {wrote}, which {binary} may misread: set LIMPET_ENGINE "
                f"to a {self.family}-server of that version or newer, or LIMPET_HOME to a new "
                "directory"
            )


def read(path: Path) -> Marker | None:
    """Read a marker; None if no engine ran here yet."""
    try:
        facts = json.loads(path.read_bytes())
        major, minor, patch = facts["version"].split(".")
        version = (int(major), int(minor), int(patch))
        return Marker(Path(facts["binary"]), str(facts["family"]), version)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise EngineError(
            f"cannot read {path}: delete it if you know that the same engine wrote the data"
        ) from error


def write(path: Path, binary: Binary) -> None:
    """Record the program before it touches the data."""
    if read(path) == Marker(binary.path, binary.family, binary.version):
        return
    facts = {
        "binary": str(binary.path),
        "family": binary.family,
        "version": version_text(binary.version),
    }
    draft = path.with_suffix(".draft")
    with draft.open("w", encoding="utf-8") as file:
        file.write(json.dumps(facts, indent=2) + "\n")
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def _reads(binary: Binary, family: str, version: tuple[int, int, int]) -> bool:
    if binary.family == family:
        return binary.version[:2] >= version[:2]
    return (binary.family, family) == ("valkey", "redis") and version[:2] <= LAST_COMMON

"""A server program: its family, its version, and whether limpet can use it."""

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from limpet.errors import EngineError

FLOORS = {"redis": (7, 0, 0), "valkey": (7, 2, 0)}
VERSION_WITHIN_S = 10.0

_SAYS = re.compile(r"(Redis|Valkey) server v=(\d+)\.(\d+)\.(\d+)")


@dataclass(frozen=True, slots=True)
class Binary:
    """A program that can serve."""

    path: Path
    family: str
    """`redis` or `valkey`."""
    version: tuple[int, int, int]

    def __str__(self) -> str:
        """Say family and version, such as `valkey 9.1.2`."""
        return f"{self.family} {version_text(self.version)}"


def examine(path: Path) -> Binary:
    """Ask a program what it is; refuse a stranger and anything too old."""
    found = _SAYS.search(_version_line(path))
    if found is None:
        raise EngineError(f"{path} is neither a Redis nor a Valkey server")
    family = found[1].lower()
    binary = Binary(path, family, (int(found[2]), int(found[3]), int(found[4])))
    if binary.version < FLOORS[family]:
        raise EngineError(f"{path} is {binary}, older than {version_text(FLOORS[family])}")
    return binary


def version_text(version: tuple[int, int, int]) -> str:
    """Write a version with dots."""
    return ".".join(map(str, version))


def _version_line(path: Path) -> str:
    if not os.access(path, os.X_OK):
        raise EngineError(f"{path} is not a program")
    try:
        return subprocess.run(  # noqa: S603 - the user's own choice of a program
            [path, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=VERSION_WITHIN_S,
            check=False,
        ).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        raise EngineError(f"{path} does not run: {error}") from error

"""A look at an engine from outside, for people and tools."""

import os
from dataclasses import dataclass
from pathlib import Path

from limpet.engine import locks, sockets, talk


@dataclass(frozen=True, slots=True)
class Status:
    """What is known about the engine of a home."""

    home: Path
    socket: Path
    running: bool
    in_use: bool
    """Some process, perhaps this one, is attached."""
    kept: bool
    """The server outlives its last user."""
    pid: int | None
    """None when not running or not answering."""
    version: str | None
    """Such as `valkey 9.1.2`; None when not running or not answering."""


def status(home: str | os.PathLike[str] | None = None) -> Status:
    """Look at the engine of a home, starting, stopping and creating nothing."""
    place = sockets.look(home)
    running = locks.is_held(place.server_lock)
    facts = talk.info(place.socket) if running else {}
    return Status(
        home=place.path,
        socket=place.socket,
        running=running,
        in_use=locks.is_held(place.users_lock),
        kept=place.keep.exists(),
        pid=int(facts["process_id"]) if "process_id" in facts else None,
        version=_version(facts),
    )


def _version(facts: dict[str, str]) -> str | None:
    for family in ("valkey", "redis"):
        if version := facts.get(f"{family}_version"):
            return f"{family} {version}"
    return None

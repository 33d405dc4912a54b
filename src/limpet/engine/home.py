"""The home of an engine: one private directory, and the names of what is in it."""

import os
import stat
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from limpet.errors import ConfigError, EngineError


@dataclass(frozen=True, slots=True)
class Home:
    """A data directory and where its server listens."""

    path: Path
    socket: Path

    @property
    def users_lock(self) -> Path:
        """Shared by everyone who uses the server; exclusive for the one who stops it."""
        return self.path / "users.lock"

    @property
    def server_lock(self) -> Path:
        """Held by the server process itself for as long as it lives."""
        return self.path / "server.lock"

    @property
    def log(self) -> Path:
        """What the server says."""
        return self.path / "engine.log"

    @property
    def marker(self) -> Path:
        """Which engine wrote the data."""
        return self.path / "engine.json"

    @property
    def keep(self) -> Path:
        """Present while the server shall outlive its last user."""
        return self.path / "keep"


def locate(home: str | os.PathLike[str] | None = None) -> Path:
    """Say which directory is meant, creating nothing.

    Without a name it is `LIMPET_HOME`, and without that the state directory of this user.
    """
    if home is not None:
        return _absolute(os.fspath(home))
    named = os.environ.get("LIMPET_HOME") or platformdirs.user_state_dir("limpet")
    if not Path(named).expanduser().is_absolute():
        # Counted from where each process happens to stand, it would be another queue each time.
        raise ConfigError(f"LIMPET_HOME must be an absolute path, not {named!r}")
    return _absolute(named)


def make_private(directory: Path) -> None:
    """Create a directory for this user alone, or refuse one that is not."""
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        _check_private(directory)
    except OSError as error:
        raise EngineError(
            f"cannot use {directory} ({error.strerror}): set LIMPET_HOME to another directory"
        ) from error


def _check_private(directory: Path) -> None:
    facts = directory.lstat()
    if not stat.S_ISDIR(facts.st_mode):
        raise EngineError(f"{directory} is a link: set LIMPET_HOME to a shorter path")
    if facts.st_uid != os.geteuid():
        raise EngineError(
            f"{directory} belongs to user {facts.st_uid}: set LIMPET_HOME to a directory of yours"
        )
    if facts.st_mode & 0o077:
        _close_to_others(directory)


def _close_to_others(directory: Path) -> None:
    """Take away the others' rights, but not in a directory that serves something else."""
    if any(directory.iterdir()) and not (directory / "users.lock").exists():
        raise EngineError(
            f"other users can enter {directory}: run chmod 700 on it or name an empty directory"
        )
    directory.chmod(0o700)


def _absolute(named: str) -> Path:
    if not named or "\0" in named:
        raise ConfigError(f"a home must be the path of a directory, not {named!r}")
    return Path(named).expanduser().resolve()

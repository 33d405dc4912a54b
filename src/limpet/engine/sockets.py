"""Where the server listens: in its home or, when that lies too deep, in a short directory.

A deep home notes the choice as a link named `engine.sock`, so that all processes agree on it:
XDG_RUNTIME_DIR differs between, for example, a login session and a cron job.
"""

import contextlib
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from limpet.engine.home import Home, locate, make_private
from limpet.errors import EngineError

# Linux takes 107 bytes and macOS 103.
LONGEST_BYTES = 100


def prepare(home: str | os.PathLike[str] | None = None) -> Home:
    """Make the home private and choose its socket, or refuse it."""
    path = locate(home)
    make_private(path)
    beside = path / "engine.sock"
    if _fits(beside):
        return Home(path, beside)
    noted = _noted(path) or _note(path)
    make_private(noted.parent)
    return Home(path, noted)


def look(home: str | os.PathLike[str] | None = None) -> Home:
    """Name the home and the socket as they are, changing nothing."""
    path = locate(home)
    if path.exists() and not os.access(path, os.R_OK | os.W_OK | os.X_OK):
        raise EngineError(f"{path} belongs to somebody else: set LIMPET_HOME to one of yours")
    beside = path / "engine.sock"
    return Home(path, beside if _fits(beside) else _noted(path) or beside)


def _fits(path: Path) -> bool:
    return len(os.fsencode(path)) <= LONGEST_BYTES


def _noted(path: Path) -> Path | None:
    try:
        noted = (path / "engine.sock").readlink()
    except OSError:
        return None
    # A home that was moved brings the link of its old place along, where another may live by now;
    # and the runtime directory of a session ends with the session.
    good = noted.name == _name(path) and noted.parent.parent.is_dir()
    return noted if good else None


def _note(path: Path) -> Path:
    """Write the choice down; of several processes the first one decides."""
    link, chosen = path / "engine.sock", _choose(path)
    with contextlib.suppress(FileExistsError):
        link.symlink_to(chosen)
    if _noted(path) is None:
        draft = path / f"engine.sock.{os.getpid()}"
        draft.symlink_to(chosen)
        draft.replace(link)
    return _noted(path) or chosen


def _choose(path: Path) -> Path:
    for directory in _short_directories():
        chosen = directory / _name(path)
        if _fits(chosen):
            return chosen
    raise EngineError(f"{path} is too deep for a socket: set LIMPET_HOME to a shorter path")


def _short_directories() -> Iterator[Path]:
    runtime = Path(os.environ.get("XDG_RUNTIME_DIR", ""))
    if runtime.is_absolute() and runtime.is_dir():
        facts = runtime.stat()
        if facts.st_uid == os.geteuid() and not facts.st_mode & 0o022:
            yield runtime / "limpet"
    # Not the system's choice of a temporary directory: on macOS that one is deep itself.
    yield Path("/tmp") / f"limpet-{os.geteuid()}"  # noqa: S108 - checked to be ours


def _name(path: Path) -> str:
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:16] + ".sock"

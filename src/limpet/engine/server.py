"""The server process: started in one way only, with the lock that proves it lives."""

import os
import subprocess
from pathlib import Path

from limpet.engine import find, locks, marker
from limpet.engine.binary import Binary
from limpet.engine.home import Home
from limpet.engine.steps import steps
from limpet.errors import ConfigError, EngineError

LOG_LIMIT_BYTES = 1_000_000
REAP_WITHIN_S = 1.0

_children: dict[Path, int] = {}


def start(home: Home) -> bool:
    """Start the server; False if one lives already.

    The lock is taken before anything else and inherited by the server, so a second server is
    impossible even if this process is killed on the next line.
    """
    lock = locks.take(home.server_lock)
    if lock is None:
        return False
    with lock:
        reap(home)
        binary = find.choose(marker.read(home.marker))
        try:
            marker.write(home.marker, binary)
            _spawn(home, binary, lock)
        except OSError as error:
            raise EngineError(
                f"cannot start {binary.path} in {home.path}: {error.strerror}"
            ) from error
    return True


def ended(home: Home) -> bool:
    """Tell whether no server that this process started for the home is left, and collect it."""
    pid = _children.get(home.path)
    if pid is None:
        return True
    try:
        done = os.waitpid(pid, os.WNOHANG)[0] == pid
    except ChildProcessError:  # somebody else in this process collected it
        done = True
    if done:
        _children.pop(home.path, None)
    return done


def reap(home: Home) -> None:
    """Wait for the end of a server that has given up its lock, so that no zombie stays."""
    for _ in steps(REAP_WITHIN_S):
        if ended(home):
            return


def last_words(home: Home, lines: int = 6) -> str:
    """Return the end of the log."""
    try:
        with home.log.open("rb") as log:
            log.seek(max(0, log.seek(0, os.SEEK_END) - 4096))
            return b"\n".join(log.read().splitlines()[-lines:]).decode(errors="replace")
    except OSError:
        return "(no log)"


def fsync() -> str:
    """Return when the server's writes must reach the disk: `LIMPET_FSYNC`, else every second.

    Not "always" by default, where each push waits for the disk. The price: a loss of power, or a
    kill of the server while the disk is slow, may take the last second or two.
    """
    chosen = os.environ.get("LIMPET_FSYNC", "everysec")
    if chosen not in {"always", "everysec"}:
        raise ConfigError(f"LIMPET_FSYNC must be 'always' or 'everysec', got {chosen!r}")
    return chosen


def flags(home: Home) -> list[str]:
    """Return the options of a server that is private, durable and never drops a key."""
    return [
        *("--port", "0"),
        *("--unixsocket", str(home.socket)),
        *("--unixsocketperm", "700"),
        *("--dir", str(home.path)),
        *("--appendonly", "yes"),
        *("--appendfsync", fsync()),
        # Commands, not a snapshot, at the head of the file: those every engine can read.
        *("--aof-use-rdb-preamble", "no"),
        *("--save", ""),
        *("--maxmemory-policy", "noeviction"),
        *("--daemonize", "no"),
        *("--logfile", str(home.log)),
    ]


def _spawn(home: Home, binary: Binary, lock: locks.Lock) -> None:
    _rotate(home.log)
    with home.log.open("ab") as log:
        process = subprocess.Popen(  # noqa: S603 - it was examined
            [binary.path, *flags(home)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=log,  # what it says before it has opened its log
            start_new_session=True,  # Ctrl-C in a terminal does not reach it
            pass_fds=(lock.descriptor,),
            umask=0o077,
        )
    # It may outlive this process: `ended` collects it, and Popen need not warn about it.
    process.returncode = 0
    _children[home.path] = process.pid


def _rotate(log: Path) -> None:
    if log.exists() and log.stat().st_size > LOG_LIMIT_BYTES:
        log.replace(log.with_suffix(".log.old"))

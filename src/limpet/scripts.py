"""Read a Lua file, put its includes in, and know its keys and arguments by name.

A script names its keys and arguments in two lines, `local a, b = unpack(KEYS)` and the same for
ARGV, so Python passes them by name and a wrong name fails before anything is sent.

After the line that names the keys the loader writes one size query per key (`n_waiting`,
`n_jobs`, ...). They tell a script what is empty, and they make a key of another type fail before
the first write: scripts have no rollback.
"""

import hashlib
import re
from dataclasses import dataclass
from functools import cache
from importlib import resources

from limpet.keys import KEY_TYPES, KeyType

_INCLUDE = re.compile(r"^-- @include ([\w ]+)$", re.MULTILINE)
_NAMES = re.compile(r"^( *)(?:local )?([\w, ]+) = unpack\((KEYS|ARGV)\b[^)]*\)$", re.MULTILINE)
_SIZE: dict[KeyType, str] = {
    "hash": "HLEN",
    "list": "LLEN",
    "zset": "ZCARD",
    "set": "SCARD",
    "string": "STRLEN",
}


@dataclass(frozen=True, slots=True)
class Script:
    """One atomic operation: its text, its digest, and the names it expects."""

    name: str
    text: str
    sha: str
    keys: tuple[str, ...]
    args: tuple[str, ...]


def _read(path: str) -> str:
    return resources.files("limpet").joinpath("lua", *path.split("/")).read_text("utf-8")


def _include(match: re.Match[str]) -> str:
    return "\n".join(_read(f"include/{name}.lua").rstrip() for name in match[1].split())


def _names(text: str, table: str) -> tuple[str, ...]:
    for match in _NAMES.finditer(text):
        if match[3] == table:
            return tuple(name.strip() for name in match[2].split(","))
    return ()


def _measure(text: str) -> str:
    """Write the size queries behind the line that names the keys of the one queue."""
    match = next((m for m in _NAMES.finditer(text) if m[3] == "KEYS" and not m[1]), None)
    if match is None:
        return text
    sizes = [
        f'local n_{name} = redis.call("{_SIZE[KEY_TYPES[name]]}", {name})'
        for name in _names(text, "KEYS")
        if name in KEY_TYPES
    ]
    return "\n".join([text[: match.end()], *sizes, text[match.end() :].lstrip("\n")])


@cache
def script(name: str) -> Script:
    """Load one script by its file name."""
    source = _read(f"{name}.lua")
    text = _INCLUDE.sub(_include, _measure(source))
    return Script(
        name=name,
        text=text,
        sha=hashlib.sha1(text.encode()).hexdigest(),  # noqa: S324 - the server's own digest
        keys=_names(source, "KEYS"),
        args=_names(source, "ARGV"),
    )


def all_scripts() -> tuple[str, ...]:
    """List the names of all scripts."""
    folder = resources.files("limpet").joinpath("lua")
    return tuple(sorted(f.name[:-4] for f in folder.iterdir() if f.name.endswith(".lua")))

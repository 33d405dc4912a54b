"""Read a Lua file, put its includes in, and know its keys and arguments by name.

A script names its keys and arguments in two lines, `local a, b = unpack(KEYS)` and the same for
ARGV, so Python passes them by name and a wrong name fails before anything is sent.

After the line that names the keys the loader writes one size query per key (`n_waiting`, ...). They
tell a script what is empty, and they make a key of another type fail before the first write:
scripts have no rollback. A script with a short path says itself where it needs which of them: a
line `-- @guard a b` becomes the queries of the keys named there, and only sizes used elsewhere are
asked for at the top.
"""

import hashlib
import re
from dataclasses import dataclass
from functools import cache
from importlib import resources

from limpet.keys import KEY_TYPES, KeyType

_INCLUDE = re.compile(r"^-- @include ([\w ]+)$", re.MULTILINE)
_GUARD = re.compile(r"^-- @guard ([\w ]+)$", re.MULTILINE)
_NAMES = re.compile(r"^( *)(?:local )?([\w, ]+) = unpack\((KEYS|ARGV)\b[^)]*\)$", re.MULTILINE)
_SIZES = re.compile(r"\bn_(\w+)")
_SIZE: dict[KeyType, str] = {
    "hash": "HLEN",
    "list": "LLEN",
    "zset": "ZCARD",
    "set": "SCARD",
    "string": "STRLEN",
}


@dataclass(frozen=True, slots=True, eq=False)
class Script:
    """One atomic operation: its text, its digest, and the names it expects."""

    name: str
    text: str
    sha: str
    keys: tuple[str, ...]
    args: tuple[str, ...]
    #: Whether its requests are remembered, so that sending one again has one effect.
    numbered: bool


def _read(path: str) -> str:
    return resources.files("limpet").joinpath("lua", *path.split("/")).read_text("utf-8")


def _include(match: re.Match[str]) -> str:
    return "\n".join(_read(f"include/{name}.lua").rstrip() for name in match[1].split())


def _names(text: str, table: str) -> tuple[str, ...]:
    for match in _NAMES.finditer(text):
        if match[3] == table:
            return tuple(name.strip() for name in match[2].split(","))
    return ()


def _sizes(names: list[str]) -> str:
    queries = [f'local n_{n} = redis.call("{_SIZE[KEY_TYPES[n]]}", {n})' for n in names]
    return "\n".join(queries)


def _measure(text: str) -> str:
    """Write the size queries: where they are asked for, else behind the names of the keys."""
    keys = next((m for m in _NAMES.finditer(text) if m[3] == "KEYS" and not m[1]), None)
    if keys is None:
        return text
    guarded = " ".join(_GUARD.findall(text)).split()
    known = [name for name in _names(text, "KEYS") if name in KEY_TYPES]
    sizes = set(_SIZES.findall(text))
    used = [name for name in known if not guarded or name in sizes]
    asked = _sizes([name for name in used if name not in guarded])
    text = "\n".join([text[: keys.end()], asked, text[keys.end() :].lstrip("\n")])
    return _GUARD.sub(lambda match: _sizes(match[1].split()), text)


@cache
def script(name: str) -> Script:
    """Load one script by its file name."""
    source = _read(f"{name}.lua")
    text = _measure(_INCLUDE.sub(_include, source))
    args = _names(source, "ARGV")
    return Script(
        name=name,
        text=text,
        sha=hashlib.sha1(text.encode()).hexdigest(),  # noqa: S324 - the server's own digest
        keys=_names(source, "KEYS"),
        args=args,
        numbered="lane" in args,
    )


def all_scripts() -> tuple[str, ...]:
    """List the names of all scripts."""
    folder = resources.files("limpet").joinpath("lua")
    return tuple(sorted(f.name[:-4] for f in folder.iterdir() if f.name.endswith(".lua")))

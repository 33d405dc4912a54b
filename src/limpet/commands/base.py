"""What a command is, and how one is made from a script and names."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Generic, NoReturn, TypeVar

from limpet.errors import ScriptError
from limpet.keys import QueueKeys
from limpet.scripts import Script, script

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
Reply = Any  # what the client library hands over: nested lists of bytes and int
Arg = bytes | str | int

#: Arguments that whoever sends a command puts in front: fixed time (tests), sender, request number.
ENVELOPE = ("at", "lane", "seq")


@dataclass(slots=True)
class Command(Generic[T_co]):
    """One round trip: what to send, and how to read what comes back."""

    script: Script
    keys: tuple[str, ...]
    args: tuple[Arg, ...]
    read: Callable[[Reply], T_co]
    queue: str

    @property
    def envelope(self) -> tuple[str, ...]:
        """The names of the arguments the sender adds."""
        return _envelope(self.script)


@cache
def _envelope(made: Script) -> tuple[str, ...]:
    return tuple(name for name in made.args if name in ENVELOPE)


def command(
    name: str,
    keys: QueueKeys,
    read: Callable[[Reply], T],
    *,
    tail: tuple[Arg, ...] = (),
    **named: Arg,
) -> Command[T]:
    """Make a command; a missing or an unknown argument name fails here."""
    made, full, wanted, events = _form(name, keys.queue)
    if events is not None:
        named["events"] = events
    if named.keys() != wanted.keys():
        raise TypeError(f"{name} takes {list(wanted)}, got {sorted(named)}")
    args = (*[named[arg] for arg in wanted], *tail)
    return Command(made, full, args, read, keys.queue)


@lru_cache(maxsize=4096)
def _form(name: str, queue: str) -> tuple[Script, tuple[str, ...], dict[str, None], str | None]:
    """Get a script, its keys in a queue, the arguments that its sender does not add, the events."""
    made, keys = script(name), QueueKeys(queue)
    wanted = dict.fromkeys(arg for arg in made.args if arg not in ENVELOPE)
    return made, keys.pick(made.keys), wanted, keys.events if "events" in wanted else None


def misread(name: str, reply: Reply) -> NoReturn:
    """Raise for an answer that is not in the contract of a script."""
    raise ScriptError(f"{name} answered {reply!r:.200}; please report this")


def loads(raw: bytes) -> dict[str, Any]:
    """Read JSON written by a script; texts keep their exact bytes (see `as_bytes`)."""
    try:
        value = json.loads(raw.decode("utf-8", "surrogateescape")) if raw else {}
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def number(facts: dict[str, Any], name: str, otherwise: int = 0) -> int:
    """Read a number from facts; a torn one counts as not said."""
    try:
        return int(float(facts.get(name) or otherwise))
    except (TypeError, ValueError, OverflowError):
        return otherwise


def dumps(value: dict[str, Any]) -> bytes:
    """Write JSON for a script; bytes go in as they are."""
    plain = {k: as_text(v) if isinstance(v, bytes) else v for k, v in value.items()}
    return json.dumps(plain, ensure_ascii=False).encode("utf-8", "surrogateescape")


def as_text(raw: bytes) -> str:
    """Carry any bytes inside a text."""
    return raw.decode("utf-8", "surrogateescape")


def as_bytes(text: object) -> bytes | None:
    """Get the bytes back out of such a text; what is no text counts as not said."""
    return text.encode("utf-8", "surrogateescape") if isinstance(text, str) else None


def readable(text: object) -> str | None:
    """Make a text that may carry any bytes safe to print."""
    raw = as_bytes(text)
    return None if raw is None else raw.decode("utf-8", "replace")

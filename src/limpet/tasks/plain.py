"""From Python values to what JSON can say, and back.

Only exact types travel, no kinds of them: what arrives is what left.
"""

import json
import math
from collections.abc import Callable
from typing import Any

from limpet.errors import PayloadError
from limpet.tasks.models import Kind, Types, fault_in, kind_of
from limpet.tasks.scalars import BY_TAG, BY_TYPE
from limpet.tasks.trail import Trail, refuse

#: How many containers may stand inside each other.
MAX_DEPTH = 32
_SEQUENCES: dict[str, Callable[[list[Any]], Any]] = {
    "$tuple": tuple,
    "$set": set,
    "$frozenset": frozenset,
}
_TAG_OF = {tuple: "$tuple", set: "$set", frozenset: "$frozenset"}


_FORM: dict[str, Any] = {"ensure_ascii": False, "allow_nan": False, "separators": (",", ":")}
_ENCODER = json.JSONEncoder(**_FORM)
_SORTING_ENCODER = json.JSONEncoder(**_FORM, sort_keys=True)


def dumps(plain: Any, *, ordered: bool = False) -> str:
    """Write plain JSON without spaces; ordered, its keys by code point."""
    return (_SORTING_ENCODER if ordered else _ENCODER).encode(plain)


class Writer:
    """Turns values into plain JSON."""

    def __init__(self, types: Types, *, ordered: bool = False) -> None:
        """Write classes that these types know; ordered, a value always looks the same."""
        self._types, self._ordered = types, ordered

    def write(self, value: Any, trail: Trail, depth: int = 0) -> Any:
        """Write one value; what cannot travel is refused with the way to it."""
        kind = type(value)
        if value is None or kind is bool or kind is int:
            return value
        if kind is str:
            return _whole_text(value, trail)
        if kind is float:
            if not math.isfinite(value):
                raise refuse(trail, f"{value} is not a number that JSON has")
            return value
        if kind in BY_TYPE:
            return self._scalar(value, trail)
        if depth >= MAX_DEPTH:
            raise refuse(trail, f"there are more than {MAX_DEPTH} levels; send it flatter")
        return self._container(value, trail, depth + 1)

    def _scalar(self, value: Any, trail: Trail) -> dict[str, Any]:
        scalar = BY_TYPE[type(value)]
        try:
            return {scalar.tag: scalar.write(value)}
        except ValueError as error:
            raise refuse(trail, str(error)) from None

    def _container(self, value: Any, trail: Trail, depth: int) -> Any:
        kind = type(value)
        if kind is dict:
            return self._mapping(value, trail, depth)
        if kind is list or kind is tuple:
            parts = [self.write(part, (trail, n), depth) for n, part in enumerate(value)]
            return parts if kind is list else {"$tuple": parts}
        if kind is set or kind is frozenset:
            parts = [self.write(part, (trail, f"{{{part!r:.40}}}"), depth) for part in value]
            return {_TAG_OF[kind]: sorted(parts, key=_order)}
        return self._model(value, trail, depth)

    def _mapping(self, value: dict[Any, Any], trail: Trail, depth: int) -> dict[str, Any]:
        if all(type(key) is str and not key.startswith("$") for key in value):
            return {
                _whole_text(key, trail): self.write(part, (trail, f"[{key!r:.40}]"), depth)
                for key, part in value.items()
            }
        pairs = []
        for key, part in value.items():
            step = (trail, f"[{key!r:.40}]")
            pairs.append([self.write(key, step, depth), self.write(part, step, depth)])
        return {"$map": sorted(pairs, key=lambda pair: _order(pair[0])) if self._ordered else pairs}

    def _model(self, value: Any, trail: Trail, depth: int) -> dict[str, Any]:
        cls = type(value)
        kind = kind_of(cls)
        if kind is None:
            raise refuse(trail, f"{cls.__name__} cannot travel; {_advice(cls)}")
        name = self._types.name_of(cls)
        if name is None:
            raise refuse(
                trail,
                f"the app does not know {cls.__name__};"
                f" name it in an annotation of a task, or call app.type({cls.__name__})",
            )
        return {"$class": name, "fields": self._fields(kind, value, trail, depth)}

    def _fields(self, kind: Kind, value: Any, trail: Trail, depth: int) -> dict[str, Any]:
        given = kind.write(value)
        fields = given
        if kind.tagged:
            items = given.items()
            fields = {name: self.write(part, (trail, f".{name}"), depth) for name, part in items}
        fault = fault_in(kind, value, given)
        if fault is not None:
            raise refuse(trail, f"{type(value).__name__} cannot travel: {fault}")
        return fields


class Reader:
    """Turns plain JSON into values again."""

    def __init__(self, types: Types) -> None:
        """Make only classes that these types know."""
        self._types = types

    def read(self, plain: Any, trail: Trail, depth: int = 0) -> Any:
        """Read one value; what no writer wrote is refused with the way to it."""
        if isinstance(plain, (list, dict)):
            if depth > MAX_DEPTH * 2:  # a tag takes a level of its own
                raise refuse(trail, "there are too many levels")
            if isinstance(plain, list):
                return self._parts(plain, trail, depth + 1)
            return self._object(plain, trail, depth + 1)
        if isinstance(plain, float) and not math.isfinite(plain):
            raise refuse(trail, f"{plain} is not a number that JSON has")
        return plain

    def _parts(self, plain: list[Any], trail: Trail, depth: int) -> list[Any]:
        return [self.read(part, (trail, n), depth) for n, part in enumerate(plain)]

    def _object(self, plain: dict[str, Any], trail: Trail, depth: int) -> Any:
        tag = next((key for key in plain if key.startswith("$")), None)
        if tag is None:
            return {
                key: self.read(part, (trail, f"[{key!r:.40}]"), depth)
                for key, part in plain.items()
            }
        try:
            return self._tagged(tag, plain, trail, depth)
        except PayloadError:
            raise
        except (ValueError, TypeError, ArithmeticError) as error:
            raise refuse(trail, f"{tag} cannot be read: {error}") from error

    def _tagged(self, tag: str, plain: dict[str, Any], trail: Trail, depth: int) -> Any:
        if set(plain) == {"$class", "fields"}:
            return self._model(plain["$class"], plain["fields"], trail, depth)
        if len(plain) == 1 and tag in BY_TAG:
            return BY_TAG[tag].read(plain[tag])
        if len(plain) == 1 and tag in _SEQUENCES and isinstance(plain[tag], list):
            return _SEQUENCES[tag](self._parts(plain[tag], trail, depth))
        if len(plain) == 1 and tag == "$map" and isinstance(plain[tag], list):
            pairs = self._parts(plain[tag], trail, depth)
            return dict(pairs)
        raise refuse(trail, f"nothing is known of an object with {tag!r:.40}")

    def _model(self, name: Any, fields: Any, trail: Trail, depth: int) -> Any:
        cls = self._types.find(name) if isinstance(name, str) else None
        kind = kind_of(cls)
        if cls is None or kind is None:
            raise refuse(
                trail,
                f"the app does not know the class {name!r:.100};"
                " name it in an annotation of a task, or call app.type()",
            )
        if kind.tagged:
            items = dict(fields).items()
            fields = {key: self.read(part, (trail, f".{key}"), depth) for key, part in items}
        return kind.read(cls, fields)


def _whole_text(text: str, trail: Trail) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise refuse(trail, "the text has half characters; send it as bytes") from None
    return text


def _order(plain: Any) -> str:
    return dumps(plain, ordered=True)


def _advice(cls: type) -> str:
    """Say what to send instead."""
    for base in cls.__mro__[1:]:
        if base.__name__ == "Enum":
            return "send its value"
        if base in BY_TYPE or base in (str, int, float, list, dict, *_TAG_OF):
            return f"send a plain {base.__name__}"
    return "send plain data, or make it a dataclass"

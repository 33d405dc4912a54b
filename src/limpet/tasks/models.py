"""Classes that travel: dataclasses, models of pydantic and structs of msgspec that an app knows.

Only classes that the program itself named are made from a payload; nothing is ever imported
because a payload says so.
"""

import dataclasses
import inspect
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, get_args, get_type_hints

from limpet.errors import ConfigError
from limpet.tasks.names import full_name


@dataclass(frozen=True, slots=True)
class Kind:
    """How the classes of one library are taken apart and made again."""

    write: Callable[[Any], dict[str, Any]]
    read: Callable[[type, dict[str, Any]], Any]
    #: Whether its fields are values of ours; the libraries write theirs in plain JSON.
    tagged: bool = False


def _write_fields(value: Any) -> dict[str, Any]:
    return {f.name: getattr(value, f.name) for f in dataclasses.fields(value) if f.init}


def _make(cls: type, fields: dict[str, Any]) -> Any:
    return cls(**fields)


def _write_pydantic(value: Any) -> dict[str, Any]:
    return dict(value.model_dump(mode="json", by_alias=True, round_trip=True))


def _read_pydantic(cls: Any, fields: dict[str, Any]) -> Any:
    return cls.model_validate_json(json.dumps(fields))


def _write_msgspec(value: Any) -> Any:
    return json.loads(sys.modules["msgspec"].json.encode(value))


def _read_msgspec(cls: type, fields: Any) -> Any:
    return sys.modules["msgspec"].json.decode(json.dumps(fields), type=cls)


_DATACLASS = Kind(_write_fields, _make, tagged=True)
_PYDANTIC = Kind(_write_pydantic, _read_pydantic)
_MSGSPEC = Kind(_write_msgspec, _read_msgspec)


def kind_of(cls: Any) -> Kind | None:
    """Tell how a class travels; None if it cannot.

    A library that was never imported has no classes here, so none is imported to find out.
    """
    if not isinstance(cls, type):
        return None
    if _is_below(cls, "pydantic", "BaseModel"):
        return _PYDANTIC
    if _is_below(cls, "msgspec", "Struct"):
        return _MSGSPEC
    return _DATACLASS if dataclasses.is_dataclass(cls) else None


def _is_below(cls: type, module: str, base: str) -> bool:
    found = getattr(sys.modules.get(module), base, None)
    return isinstance(found, type) and issubclass(cls, found)


def fault_in(kind: Kind, value: Any, fields: dict[str, Any]) -> str | None:
    """Say why an object would not come back as it is; None if it would."""
    cls: Any = type(value)
    if cls.__eq__ is object.__eq__:  # nobody can tell
        return None
    try:
        again = kind.read(cls, fields)
    except Exception as error:  # noqa: BLE001 - a class of the user's own may raise anything
        return f"it cannot be made again from its fields: {error}"
    return None if again == value else "made again from its fields it would be another"


class Types:
    """The classes that one app knows, by name."""

    def __init__(self) -> None:
        """Know none."""
        self._by_name: dict[str, type] = {}
        self._unread: list[Any] = []

    def add(self, cls: Any) -> None:
        """Know a class, and those in the annotations of its fields."""
        if kind_of(cls) is None:
            raise ConfigError(
                f"{cls!r} cannot travel: make it a dataclass, a pydantic model or a msgspec Struct"
            )
        name = full_name(cls)
        if self._by_name.get(name) is not cls:
            self._by_name[name] = cls
            if dataclasses.is_dataclass(cls):
                self._unread.append(cls)

    def add_from(self, annotated: Any) -> None:
        """Know the classes in a function's annotations; they are read when one is needed."""
        self._unread.append(annotated)

    def name_of(self, cls: type) -> str | None:
        """Give the name under which a class travels; None if it is not known."""
        name = full_name(cls)
        return name if self.find(name) is not None else None

    def find(self, name: str) -> type | None:
        """Find a class by its name."""
        while name not in self._by_name and self._unread:
            if not self._read_annotations():
                break
        return self._by_name.get(name)

    def _read_annotations(self) -> bool:
        """Read what was left unread; a name that is not defined yet is tried again next time.

        Threads may do this at the same time: what one has read stays listed until it is known.
        """
        before = len(self._by_name)
        for annotated in list(self._unread):
            hints = list(_hints(annotated))
            for hint in hints:
                for cls in _classes(hint):
                    self.add(cls)
            if None not in hints and annotated in self._unread:
                with suppress(ValueError):  # another thread was faster
                    self._unread.remove(annotated)
        return len(self._by_name) > before


def _hints(annotated: Any) -> Iterator[Any]:
    """Resolve annotations one by one; None for one with a name that is not defined."""
    for owner in annotated.__mro__ if isinstance(annotated, type) else (annotated,):
        for name, hint in inspect.get_annotations(owner).items():
            holder = SimpleNamespace(__annotations__={name: hint})
            try:
                yield get_type_hints(holder, globalns=_names_around(owner))[name]
            except (NameError, AttributeError, TypeError):
                yield None


def _names_around(owner: Any) -> dict[str, Any]:
    """List the names that annotations of a function or class may use."""
    if isinstance(owner, type):
        return vars(sys.modules.get(owner.__module__, SimpleNamespace()))
    found: dict[str, Any] = getattr(inspect.unwrap(owner), "__globals__", {})
    return found


def _classes(hint: Any) -> Iterator[type]:
    """List the classes that travel in an annotation, also inside `list[...]` and unions."""
    if kind_of(hint) is not None:
        yield hint
    for part in get_args(hint):
        yield from _classes(part)

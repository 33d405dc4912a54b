"""The payload of a job: which task, with which arguments. The form is documented for everybody."""

import base64
from collections.abc import Callable
from dataclasses import dataclass, field
from json.encoder import encode_basestring
from typing import Any

from limpet.errors import ConfigError, PayloadError
from limpet.tasks.codec import JSON, Codec, from_bytes, to_bytes
from limpet.tasks.names import is_name
from limpet.tasks.plain import dumps
from limpet.tasks.steering import NUMBERS, Retry

#: Values that JSON writes as they are, and how; not all floats are numbers that it has.
_WRITE: dict[type, Callable[[Any], str]] = {
    int: int.__repr__,
    bool: {True: "true", False: "false"}.__getitem__,
    type(None): {None: "null"}.__getitem__,
    str: encode_basestring,
}
_SIMPLE = frozenset(_WRITE)
_PLAIN_PARTS = frozenset({"task", "args"})


@dataclass(slots=True)  # not frozen: that takes twice as long, and there are many
class Call:
    """One call of a task, as a job carries it."""

    task: str
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    #: None: as the task says; 0: no limit.
    timeout_ms: int | None = None
    #: None: as the task says. It carries numbers only: which errors to retry, the task says.
    retry: Retry | None = None
    #: Whether its result is kept for those who ask.
    keep: bool = False
    #: In a chain: the job whose result comes before this one.
    previous: str | None = None


def write_plain(task: str, args: tuple[Any, ...]) -> bytes | None:
    """Write a call with a few simple arguments and no options, as `write` would; else None."""
    if not args:
        return dumps({"task": task}).encode()
    try:
        written = ",".join([_WRITE[type(arg)](arg) for arg in args])
        return f'{{"task":{encode_basestring(task)},"args":[{written}]}}'.encode()
    except (KeyError, ValueError):  # `write` knows more kinds, and says what is wrong
        return None


def write(call: Call, codec: Codec) -> bytes:
    """Write a call; arguments that cannot travel are refused with the way to them."""
    parts: dict[str, Any] = {"task": call.task}
    if isinstance(codec, JSON):
        parts["args"] = codec.plain(list(call.args), "args")
        parts["kwargs"] = codec.plain(call.kwargs, "kwargs")
    else:  # the name is signed with the arguments, so that nobody can give them to another task
        body = codec.encode([call.task, call.args, call.kwargs])
        parts |= {"codec": codec.name, "body": base64.b64encode(body).decode()}
    parts["options"] = _write_options(call)
    return to_bytes({name: part for name, part in parts.items() if part})


def read(payload: bytes, codec: Codec) -> Call:
    """Read a call; whatever is wrong with it is a `PayloadError`."""
    found = from_bytes(payload)
    if not isinstance(found, dict) or not is_name(found.get("task")):
        raise PayloadError('a payload must be a JSON object with the name of a task in "task"')
    short = type(codec) is JSON and found.keys() <= _PLAIN_PARTS
    if short and _are_simple(found.get("args", ())):
        return Call(found["task"], tuple(found.get("args", ())))
    args, kwargs = _read_arguments(found, codec)
    return Call(found["task"], args, kwargs, **_read_options(found.get("options", {})))


def task_in(payload: bytes) -> str | None:
    """Read the name of the task alone; None if there is none."""
    try:
        found = from_bytes(payload)
    except PayloadError:
        return None
    name = found.get("task") if isinstance(found, dict) else None
    return name if is_name(name) else None


def _are_simple(args: Any) -> bool:
    """Tell whether these arguments travel as they are."""
    return type(args) in (list, tuple) and _SIMPLE.issuperset(map(type, args))


def _read_arguments(found: dict[str, Any], codec: Codec) -> tuple[tuple[Any, ...], dict[str, Any]]:
    if found.get("codec", JSON.name) == JSON.name:
        reader = codec if isinstance(codec, JSON) else JSON()
        args = reader.value(found.get("args", []), "args")
        kwargs = reader.value(found.get("kwargs", {}), "kwargs")
    else:
        args, kwargs = _read_body(found, codec)
    if not isinstance(args, (list, tuple)):
        raise PayloadError('"args" must be a list')
    if not isinstance(kwargs, dict) or not all(isinstance(name, str) for name in kwargs):
        raise PayloadError('"kwargs" must be an object with text as keys')
    return tuple(args), kwargs


def _read_body(found: dict[str, Any], codec: Codec) -> tuple[Any, Any]:
    if found["codec"] != codec.name:
        raise PayloadError(
            f"it was written with the codec {found['codec']!r:.40}, and this app"
            f" reads {codec.name!r}; give App() the codec of those who enqueue"
        )
    try:
        body = base64.b64decode(found.get("body", ""), validate=True)
    except (ValueError, TypeError) as error:
        raise PayloadError('"body" must be base64') from error
    match codec.decode(body):
        case [str(task), args, kwargs] if task == found["task"]:
            return args, kwargs
    raise PayloadError("the body was written for another task")


def _write_options(call: Call) -> dict[str, Any]:
    retry = None
    if call.retry is not None:
        numbers = {name: getattr(call.retry, name) for name in NUMBERS}
        retry = {name: value for name, value in numbers.items() if value is not None}
    options = {
        "timeout_ms": call.timeout_ms,
        "retry": retry,
        "keep": call.keep or None,
        "previous": call.previous,
    }
    return {name: value for name, value in options.items() if value is not None}


def _read_options(options: Any) -> dict[str, Any]:
    if not isinstance(options, dict):
        raise PayloadError('"options" must be an object')
    timeout_ms, previous = options.get("timeout_ms"), options.get("previous")
    if timeout_ms is not None and (type(timeout_ms) is not int or timeout_ms < 0):
        raise PayloadError('"timeout_ms" must be a whole number of milliseconds')
    if previous is not None and not isinstance(previous, str):
        raise PayloadError('"previous" must be the id of a job')
    return {
        "timeout_ms": timeout_ms,
        "retry": _read_retry(options.get("retry")),
        "keep": options.get("keep") is True,
        "previous": previous,
    }


def _read_retry(numbers: Any) -> Retry | None:
    if numbers is None:
        return None
    if not isinstance(numbers, dict) or not numbers.keys() <= set(NUMBERS):
        raise PayloadError(f'"retry" may have {", ".join(NUMBERS)}')
    durations = ("base_ms", "longest_ms", "delay_ms")
    try:
        given = {
            name.removesuffix("_ms"): value / 1000 if name in durations else value
            for name, value in numbers.items()
        }
        return Retry(**given)
    except (ConfigError, TypeError) as error:
        raise PayloadError(f'"retry" is wrong: {error}') from error

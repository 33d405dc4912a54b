"""Single values that JSON has no form for: each is written as an object with one tag."""

import base64
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Scalar:
    """A type, its tag, and both ways; what cannot be done raises ValueError or TypeError."""

    tag: str
    type: type
    write: Callable[[Any], str | int]
    read: Callable[[Any], Any]


def _write_time(value: datetime | time) -> str:
    if value.tzinfo is not None and value.utcoffset() is None:
        raise ValueError("its zone has no fixed distance from UTC; send a datetime instead")
    return value.isoformat()


def _write_decimal(value: Decimal) -> str:
    if not value.is_finite():
        raise ValueError(f"{value} is not a number")
    return str(value)


def _read_decimal(text: str) -> Decimal:
    value = Decimal(_text(text))
    if not value.is_finite():
        raise ValueError(f"{value} is not a number")
    return value


def _read_span(microseconds: int) -> timedelta:
    if type(microseconds) is not int:
        raise TypeError("it must be a whole number of microseconds")
    return timedelta(microseconds=microseconds)


def _write_bytes(value: bytes) -> str:
    return base64.b64encode(value).decode()


def _read_bytes(text: str) -> bytes:
    return base64.b64decode(_text(text), validate=True)


def _read_uuid(text: str) -> UUID:
    return UUID(_text(text))


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("it must be text")
    return value


SCALARS = (
    Scalar("$datetime", datetime, _write_time, datetime.fromisoformat),
    Scalar("$date", date, date.isoformat, date.fromisoformat),
    Scalar("$time", time, _write_time, time.fromisoformat),
    Scalar("$timedelta", timedelta, lambda value: value // _MICROSECOND, _read_span),
    Scalar("$uuid", UUID, str, _read_uuid),
    Scalar("$decimal", Decimal, _write_decimal, _read_decimal),
    Scalar("$bytes", bytes, _write_bytes, _read_bytes),
)
BY_TYPE = {scalar.type: scalar for scalar in SCALARS}
BY_TAG = {scalar.tag: scalar for scalar in SCALARS}

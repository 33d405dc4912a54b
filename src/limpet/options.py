"""Options, checked once, at the door. Durations are seconds, timedelta, or text such as "1m"."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from limpet.errors import ConfigError, PayloadError

Duration = float | timedelta | str
Payload = bytes | bytearray | memoryview | str
UniqueMode = Literal["waiting", "running"]
OnTwin = Literal["keep", "replace", "raise"]

MAX_PAYLOAD = 1024 * 1024
MAX_MESSAGE = 8192
MAX_BATCH = 1000
#: The server counts exactly up to here.
LAST_POSITION = 2**53
_LONGEST_MS = 1e14
_LAST_MOMENT_S = 1e11
_LONGEST_NAME = 100
_UNITS_MS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_SPAN = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)")
_ID = re.compile(r"[A-Za-z0-9_.:/+=-]{1,200}")
_SERVER_ID = re.compile(r"\d+-\d+")


def milliseconds(value: Duration, what: str) -> int:
    """Turn a duration into milliseconds; `what` names it in the error."""
    if isinstance(value, timedelta):
        number = value.total_seconds() * 1000
    elif isinstance(value, str):
        number = _parse_span(value, what)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        number = value * 1000
    else:
        raise ConfigError(f"{what} must be seconds, a timedelta or text like '30s', not {value!r}")
    if not 0 <= number < _LONGEST_MS:
        raise ConfigError(f"{what} must not be negative or endless, got {value!r}")
    return round(number)


def _parse_span(text: str, what: str) -> float:
    rest = _SPAN.sub("", text).strip()
    parts = _SPAN.findall(text)
    if rest or not parts:
        raise ConfigError(f"{what} is {text!r}: write it like '500ms', '30s', '5m', '2h' or '1d'")
    return sum(float(number) * _UNITS_MS[unit] for number, unit in parts)


def moment_ms(value: float | datetime) -> int:
    """Turn a moment (an aware datetime or Unix seconds) into Unix milliseconds."""
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ConfigError(
                "at must be a datetime with a time zone, for example datetime.now(UTC)"
            )
        value = value.timestamp()
    if (
        isinstance(value, bool)
        or not isinstance(value, (int, float))
        or not 0 <= value < _LAST_MOMENT_S
    ):
        raise ConfigError(f"at must be a datetime with a time zone or Unix seconds, got {value!r}")
    return round(value * 1000)


def count_of(value: int, what: str = "count") -> int:
    """Check a number of jobs."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ConfigError(f"{what} must be a whole number of at least 1, got {value!r}")
    return value


def position_of(value: int, what: str = "start") -> int:
    """Check a position counted from zero."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= LAST_POSITION:
        raise ConfigError(f"{what} must be a whole number, not negative, got {value!r}")
    return value


def payload_bytes(payload: Payload, limit: int) -> bytes:
    """Check a payload and give it as bytes; text becomes UTF-8."""
    if isinstance(payload, str):
        try:
            payload = payload.encode()
        except UnicodeEncodeError:
            raise PayloadError("the text has half characters; push it as bytes") from None
    elif isinstance(payload, (bytearray, memoryview)):
        payload = bytes(payload)
    if not isinstance(payload, bytes):
        raise PayloadError(f"a payload must be bytes or text, not {type(payload).__name__}")
    if len(payload) > limit:
        raise PayloadError(
            f"the payload has {len(payload)} bytes, the limit is {limit};"
            " store it elsewhere and push a reference, or raise max_payload"
        )
    return payload


def key_bytes(key: Payload, what: str) -> bytes:
    """Check a unique key or a lock key and give it as bytes; long ones are kept as a digest."""
    try:
        return payload_bytes(key, MAX_PAYLOAD)
    except PayloadError as error:
        raise ConfigError(f"{what} must be bytes or text of at most {MAX_PAYLOAD} bytes") from error


def job_id(value: str) -> str:
    """Check an id chosen by the caller."""
    if not isinstance(value, str) or not _ID.fullmatch(value):
        raise ConfigError(
            f"a job id may have 1 to 200 of the characters A-Z a-z 0-9 _ . : / + = -, got {value!r}"
        )
    if _SERVER_ID.fullmatch(value):
        raise ConfigError(f"{value!r} looks like an id made by the server; choose another form")
    return value


@dataclass(frozen=True, slots=True)
class Policy:
    """How one queue treats its jobs; `Queue` takes these as keyword arguments."""

    #: None: twins are welcome; "waiting": one at a time may wait; "running": until it ended.
    unique: UniqueMode | None = None
    on_twin: OnTwin = "keep"
    #: A lock key for every job, or a function that makes one from the payload (None: no lock).
    lock: bytes | str | Callable[[bytes], bytes | str | None] | None = None
    lock_limit: int = 1
    #: After how long `claim`, `resume` and `recover` see a delivery as timed out.
    timeout: Duration = 30.0
    #: After how many deaths of its worker a job is given up; 0: never.
    crash_limit: int = 3
    #: How many dead jobs are kept; 0: none.
    dead_limit: int = 1000
    max_payload: int = MAX_PAYLOAD

    def __post_init__(self) -> None:
        """Check every option."""
        if self.unique not in (None, "waiting", "running"):
            raise ConfigError(f"unique must be None, 'waiting' or 'running', got {self.unique!r}")
        if self.on_twin not in ("keep", "replace", "raise"):
            raise ConfigError(f"on_twin must be 'keep', 'replace' or 'raise', got {self.on_twin!r}")
        if not (self.lock is None or isinstance(self.lock, bytes | str) or callable(self.lock)):
            raise ConfigError(f"lock must be a key or a function that makes one, got {self.lock!r}")
        count_of(self.lock_limit, "lock_limit")
        milliseconds(self.timeout, "timeout")
        for name in ("crash_limit", "dead_limit", "max_payload"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 0:
                raise ConfigError(f"{name} must be a whole number of at least 0, got {value!r}")


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """The heartbeat of a worker and the lease it keeps alive; lease None is a permanent one."""

    name: str = "worker"
    heartbeat: Duration = 1.0
    lease: Duration | None = 10.0
    #: Names of the tasks it knows.
    tasks: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check the two against each other."""
        fits = isinstance(self.name, str) and _ID.fullmatch(self.name)
        if not fits or len(self.name) > _LONGEST_NAME:
            raise ConfigError(f"worker name {self.name!r} may have 1 to 100 letters, digits, _ . -")
        if self.heartbeat_ms < 1:
            raise ConfigError("heartbeat must be longer than nothing")
        if self.lease is not None and self.lease_ms <= self.heartbeat_ms:
            raise ConfigError(
                f"lease ({self.lease!r}) must be longer than heartbeat ({self.heartbeat!r}),"
                " else a living worker would be declared dead"
            )

    @property
    def heartbeat_ms(self) -> int:
        """The time between two heartbeats."""
        return milliseconds(self.heartbeat, "heartbeat")

    @property
    def lease_ms(self) -> int:
        """The length of the lease; -1 for a permanent one."""
        return -1 if self.lease is None else milliseconds(self.lease, "lease")

    @property
    def stride_ms(self) -> int:
        """How far one call may move the queue clock without endangering this worker."""
        if self.lease is None:
            return 5000
        return max((self.lease_ms - self.heartbeat_ms) // 2, 1)

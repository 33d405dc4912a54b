"""Codecs: how arguments and results become bytes. JSON unless another one was asked for."""

import hashlib
import hmac
import json
import pickle
from json.scanner import make_scanner
from typing import Any, Protocol, runtime_checkable

from limpet.errors import ConfigError, PayloadError
from limpet.tasks.models import Types
from limpet.tasks.plain import Reader, Writer, dumps
from limpet.tasks.trail import start

#: A shorter secret could be guessed.
MIN_SECRET = 16


@runtime_checkable
class Codec(Protocol):
    """What an app needs of a codec; what cannot be done raises `PayloadError`."""

    @property
    def name(self) -> str:
        """The word for it in payloads."""

    def encode(self, value: Any) -> bytes:
        """Write a value."""

    def decode(self, raw: bytes) -> Any:
        """Read what `encode` wrote."""


class JSON:
    """JSON with tags for what JSON lacks; documented, so that other languages can use it."""

    name = "json"

    def __init__(self, types: Types | None = None) -> None:
        """Let these classes travel."""
        self.types = types or Types()
        self._writer, self._sorter = Writer(self.types), Writer(self.types, ordered=True)
        self._reader = Reader(self.types)

    def encode(self, value: Any) -> bytes:
        """Write a value."""
        return to_bytes(self.plain(value, "value"))

    def decode(self, raw: bytes) -> Any:
        """Read what `encode` wrote."""
        return self.value(from_bytes(raw), "value")

    def canonical(self, value: Any) -> bytes:
        """Write a value so that it always gives the same bytes: keys in order, no spaces."""
        return to_bytes(self._sorter.write(value, start("value")), ordered=True)

    def plain(self, value: Any, name: str) -> Any:
        """Turn a value into what JSON can say; errors begin with the name."""
        return self._writer.write(value, start(name))

    def value(self, plain: Any, name: str) -> Any:
        """Turn what JSON said into a value again."""
        return self._reader.read(plain, start(name))


class Pickle:
    """Any Python object, signed with a secret: nothing is read that was not written with it.

    Whoever has the secret can run code in the workers; keep it as you keep a password.
    """

    name = "pickle"

    def __init__(self, secret: bytes | str) -> None:
        """Take the secret that all programs of the app share."""
        raw = secret.encode() if isinstance(secret, str) else secret
        if not isinstance(raw, bytes) or len(raw) < MIN_SECRET:
            raise ConfigError(f"the secret of Pickle must have at least {MIN_SECRET} bytes")
        self._secret = raw

    def __repr__(self) -> str:
        """Show nothing of the secret."""
        return "Pickle(...)"

    def encode(self, value: Any) -> bytes:
        """Write a value, its signature in front."""
        try:
            body = pickle.dumps(value)
        except Exception as error:
            raise PayloadError(f"the value cannot be pickled: {error}") from error
        return self._sign(body) + body

    def decode(self, raw: bytes) -> Any:
        """Check the signature, then read."""
        signature, body = raw[:32], raw[32:]
        if not hmac.compare_digest(signature, self._sign(body)):
            raise PayloadError("the signature is wrong: it was written with another secret")
        try:
            return pickle.loads(body)  # noqa: S301 - it was signed with our secret
        except Exception as error:
            raise PayloadError(f"the value cannot be unpickled: {error}") from error

    def _sign(self, body: bytes) -> bytes:
        return hmac.digest(self._secret, body, hashlib.sha256)


def to_bytes(plain: Any, *, ordered: bool = False) -> bytes:
    """Write plain JSON as bytes."""
    try:
        return dumps(plain, ordered=ordered).encode()
    except (ValueError, TypeError) as error:
        raise PayloadError(f"the value cannot be written as JSON: {error}") from error


def from_bytes(raw: bytes) -> Any:
    """Read plain JSON; numbers that JSON does not have are refused."""
    try:
        return _read(str(raw, "utf-8"))
    except (ValueError, RecursionError) as error:
        raise PayloadError(f"this is no JSON: {error}") from error


def _read(text: str) -> Any:
    try:
        value, end = _scan(text, 0)
    except StopIteration:
        return _DECODER.decode(text)  # says what is wrong, unless it is a space
    return value if end == len(text) else _DECODER.decode(text)


def _refuse_constant(word: str) -> Any:
    raise ValueError(f"{word} is not a number that JSON has")


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)
_scan = make_scanner(_DECODER)  # type: ignore[arg-type] # it takes any decoder

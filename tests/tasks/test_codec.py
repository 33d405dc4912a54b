"""JSON with tags: what arrives is what left, and what cannot travel is named."""

import collections
import enum
import json
import math
from datetime import datetime, time
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limpet.errors import ConfigError, PayloadError
from limpet.tasks.codec import JSON, Codec, Pickle
from limpet.tasks.plain import MAX_DEPTH
from tests.tasks.values import KEYS, TEXT, VALUES

SECRET = "a secret of a test"
codec = JSON()


class Colour(enum.StrEnum):
    """A kind of text that is more than text."""

    RED = "red"


def same(one: Any, other: Any) -> bool:
    """Compare values and, other than `==`, their types and the order of keys."""
    return repr(one) == repr(other) if not isinstance(one, set | frozenset) else one == other


def shuffled(value: Any) -> Any:
    """Turn the order of all keys around."""
    if type(value) is dict:
        return {key: shuffled(part) for key, part in reversed(value.items())}
    if type(value) in (list, tuple):
        return type(value)(shuffled(part) for part in value)
    return value


@given(VALUES)
def test_what_arrives_is_what_left(value: Any) -> None:
    """Encoding and decoding gives the same value, of the same types."""
    arrived = codec.decode(codec.encode(value))

    assert arrived == value
    assert type(arrived) is type(value)


@given(st.lists(st.dictionaries(KEYS, st.integers(), max_size=5), max_size=3))
def test_keys_keep_their_order(value: Any) -> None:
    """A dict arrives with its keys in the order they had."""
    assert same(codec.decode(codec.encode(value)), value)


@given(VALUES)
def test_payloads_are_json_that_anybody_can_read(value: Any) -> None:
    """What is written is strict JSON in UTF-8, without NaN or spaces around."""

    def refuse(word: str) -> None:
        raise AssertionError(word)

    raw = codec.encode(value)

    assert json.loads(raw.decode(), parse_constant=refuse) == codec.plain(value, "x")


@given(VALUES)
def test_the_canonical_form_does_not_know_the_order_of_keys(value: Any) -> None:
    """Values that differ only in the order of their keys have one canonical form."""
    assert codec.canonical(shuffled(value)) == codec.canonical(value)
    assert codec.canonical(codec.decode(codec.encode(value))) == codec.canonical(value)


@given(VALUES, VALUES)
def test_different_values_have_different_canonical_forms(one: Any, other: Any) -> None:
    """Only equal values share a canonical form."""
    if codec.canonical(one) == codec.canonical(other):
        assert one == other


def test_the_canonical_form_tells_types_apart() -> None:
    """What Python calls equal, but other languages do not, stays different."""
    forms = {codec.canonical(value) for value in (1, 1.0, True, "1", Decimal(1), (1,), [1], {1})}

    assert len(forms) == 8


def test_zones_become_distances_from_utc() -> None:
    """A moment in a named zone arrives as the same moment."""
    summer = datetime(2026, 7, 1, 12, tzinfo=ZoneInfo("Europe/Berlin"))

    arrived = codec.decode(codec.encode(summer))

    assert arrived == summer
    assert arrived.isoformat() == "2026-07-01T12:00:00+02:00"


@pytest.mark.parametrize(
    ("value", "where"),
    [
        (math.nan, "value: nan"),
        ([1, [math.inf]], r"value\[1\]\[0\]: inf"),
        ({"a": {"b": object()}}, r"value\['a'\]\['b'\]: object"),
        (Colour.RED, "value: Colour .* send its value|send a plain str"),
        (collections.OrderedDict(a=1), "value: OrderedDict .* a plain dict"),
        (collections.namedtuple("Point", "x")(1), "value: Point .* a plain tuple"),  # noqa: PYI024
        (bytearray(b"x"), "value: bytearray"),
        (Decimal("NaN"), "value: NaN"),
        ({(1, object()): 1}, "value.*: object"),
        (time(8, tzinfo=ZoneInfo("Europe/Berlin")), "value: its zone"),
        ("\ud800", "value: .*half characters"),
        ({"\ud800": 1}, "value: .*half characters"),
        pytest.param(10**5000, "JSON", id="huge"),
    ],
)
def test_what_cannot_travel_is_named(value: Any, where: str) -> None:
    """The error says which part it is, and what to send instead."""
    with pytest.raises(PayloadError, match=where):
        codec.encode(value)


def test_depth_has_a_limit() -> None:
    """So many levels travel, one more is refused, and so is a circle."""
    value: list[Any] = []
    for _ in range(MAX_DEPTH - 1):
        value = [value]

    assert codec.decode(codec.encode(value)) == value
    with pytest.raises(PayloadError, match="levels"):
        codec.encode([value])
    value.append(value)
    with pytest.raises(PayloadError, match="levels"):
        codec.encode(value)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\xff",
        b"{",
        b"NaN",
        b"1e999",
        b"[" * 100_000,
        b"[" * 90 + b"]" * 90,
        b'{"$nothing": 1}',
        b'{"$class": "os.system", "fields": {}}',
        b'{"$class": 7, "fields": {}}',
        b'{"$datetime": 5}',
        b'{"$datetime": "soon"}',
        b'{"$uuid": []}',
        b'{"$decimal": "NaN"}',
        b'{"$decimal": 1.5}',
        b'{"$decimal": "x"}',
        b'{"$bytes": "?"}',
        b'{"$timedelta": 1.5}',
        b'{"$timedelta": 1e300}',
        b'{"$timedelta": 100000000000000000000000}',
        b'{"$set": [[1]]}',
        b'{"$set": 1}',
        b'{"$map": [[1]]}',
        b'{"$map": [1]}',
        b'{"$map": [[[], 1]]}',
        b'{"$date": "2026-11-16", "more": 1}',
    ],
)
def test_nonsense_is_refused(raw: bytes) -> None:
    """Bytes that no writer wrote are a PayloadError, never another error or an object."""
    with pytest.raises(PayloadError):
        codec.decode(raw)


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(raw: bytes) -> None:
    """Decoding gives a value or a PayloadError, nothing else."""
    try:
        codec.decode(raw)
    except PayloadError:
        return


@given(
    st.recursive(
        TEXT | st.integers(),
        lambda i: (
            st.lists(i)
            | st.dictionaries(
                st.sampled_from(
                    ["$map", "$set", "$tuple", "$class", "fields", "$bytes", "$date", "x"]
                ),
                i,
            )
        ),
    )
)
def test_any_json_is_read_or_refused(plain: Any) -> None:
    """Tags in wrong places and with wrong contents give a value or a PayloadError."""
    try:
        codec.decode(json.dumps(plain).encode())
    except PayloadError:
        return


# -- pickle, for those who ask for it --------------------------------------------------------


@given(VALUES)
def test_pickle_carries_values(value: Any) -> None:
    """With the same secret what arrives is what left."""
    assert Pickle(SECRET).decode(Pickle(SECRET).encode(value)) == value


@given(st.integers(0, 60), st.integers(1, 255))
def test_nothing_is_unpickled_without_its_signature(at: int, change: int) -> None:
    """One changed bit anywhere, in signature or body, and nothing is read."""
    raw = bytearray(Pickle(SECRET).encode(["a value of some length", 1, 2, 3, {"x": None}]))
    raw[at] ^= change

    with pytest.raises(PayloadError, match="signature"):
        Pickle(SECRET).decode(bytes(raw))


def test_another_secret_reads_nothing() -> None:
    """Whoever does not have the secret can neither write nor read."""
    with pytest.raises(PayloadError, match="secret"):
        Pickle(b"another secret of this test").decode(Pickle(SECRET).encode(1))


@pytest.mark.parametrize("secret", ["", "short", b"", None, 12345678901234567890])
def test_a_secret_that_can_be_guessed_is_refused(secret: Any) -> None:
    """Pickle without a proper secret is a ConfigError."""
    with pytest.raises(ConfigError, match="secret"):
        Pickle(secret)


def test_pickle_shows_nothing_of_its_secret() -> None:
    """A codec that lands in a log does not give its secret away."""
    assert SECRET not in repr(Pickle(SECRET))


def test_what_cannot_be_pickled_is_refused() -> None:
    """Pickle's own errors become ours, in both directions."""
    pickle = Pickle(SECRET)

    with pytest.raises(PayloadError, match="pickled"):
        pickle.encode(lambda: None)
    with pytest.raises(PayloadError, match="unpickled"):
        pickle.decode(pickle._sign(b"x") + b"x")


def test_both_are_codecs() -> None:
    """The two fit where an app takes a codec."""
    assert isinstance(JSON(), Codec)
    assert isinstance(Pickle(SECRET), Codec)

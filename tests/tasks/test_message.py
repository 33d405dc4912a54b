"""The payload of a job is read as it was written, or refused with the reason."""

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limpet.errors import PayloadError
from limpet.tasks.codec import JSON, Codec, Pickle
from limpet.tasks.message import Call, read, write
from limpet.tasks.names import is_name
from limpet.tasks.steering import Retry
from tests.tasks.values import TEXT, VALUES

CODECS = [JSON(), Pickle("a secret of a test")]

RETRIES = st.builds(
    Retry,
    st.integers(0, 100),
    base=st.integers(0, 10**6).map(lambda ms: ms / 1000),
    factor=st.floats(1, 10),
    longest=st.integers(0, 10**8).map(lambda ms: ms / 1000),
    jitter=st.booleans(),
    delay=st.none() | st.integers(0, 10**6).map(lambda ms: ms / 1000),
)
CALLS = st.builds(
    Call,
    task=TEXT.filter(is_name),
    args=st.lists(VALUES, max_size=3).map(tuple),
    kwargs=st.dictionaries(TEXT, VALUES, max_size=3),
    timeout_ms=st.none() | st.integers(0, 10**9),
    retry=st.none() | RETRIES,
    keep=st.booleans(),
    previous=st.none() | TEXT,
)


@pytest.mark.parametrize("codec", CODECS, ids=lambda codec: codec.name)
@given(call=CALLS)
def test_a_call_is_read_as_it_was_written(codec: Codec, call: Call) -> None:
    """Task, arguments and options come through every codec."""
    assert read(write(call, codec), codec) == call


def test_empty_parts_are_left_out() -> None:
    """A plain call of a task without arguments is nothing but its name."""
    assert write(Call("tick"), JSON()) == b'{"task":"tick"}'


def test_unknown_parts_are_let_through() -> None:
    """Other programs may add facts of their own; they are not in the way."""
    call = read(b'{"task":"tick","trace":"x","options":{"colour":"red"}}', JSON())

    assert call == Call("tick")


def test_an_app_with_pickle_still_reads_json() -> None:
    """Jobs of other languages reach an app whatever its own codec is."""
    assert read(b'{"task":"t","args":[1]}', CODECS[1]) == Call("t", (1,))


def test_an_app_with_json_reads_no_pickle() -> None:
    """The error names both codecs, and nothing is unpickled."""
    raw = write(Call("t", (1,)), CODECS[1])

    with pytest.raises(PayloadError, match="codec 'pickle', and this app reads 'json'"):
        read(raw, CODECS[0])


def test_a_signed_body_cannot_be_given_to_another_task() -> None:
    """Whoever can write to the server, but has no secret, cannot call another task with it."""
    parts = json.loads(write(Call("harmless", ("x",)), CODECS[1]))
    parts["task"] = "delete_everything"

    with pytest.raises(PayloadError, match="another task"):
        read(json.dumps(parts).encode(), CODECS[1])


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"hello",
        b"[]",
        b"{}",
        b'{"task": ""}',
        b'{"task": 7}',
        b'{"task": " "}',
        b'{"task": "a\\nb"}',
        b'{"task": "\\ud800"}',
        b'{"task": "' + b"x" * 201 + b'"}',
        b'{"task": "t", "args": {}}',
        b'{"task": "t", "args": "x"}',
        b'{"task": "t", "args": {"$set": [1]}}',
        b'{"task": "t", "kwargs": []}',
        b'{"task": "t", "kwargs": {"$map": [[1, 2]]}}',
        b'{"task": "t", "options": []}',
        b'{"task": "t", "options": {"timeout_ms": -1}}',
        b'{"task": "t", "options": {"timeout_ms": true}}',
        b'{"task": "t", "options": {"timeout_ms": "5s"}}',
        b'{"task": "t", "options": {"previous": 5}}',
        b'{"task": "t", "options": {"retry": 5}}',
        b'{"task": "t", "options": {"retry": {"limit": -1}}}',
        b'{"task": "t", "options": {"retry": {"limit": "x"}}}',
        b'{"task": "t", "options": {"retry": {"base_ms": "x"}}}',
        b'{"task": "t", "options": {"retry": {"base_ms": -5}}}',
        b'{"task": "t", "options": {"retry": {"on": ["Exception"]}}}',
        b'{"task": "t", "codec": 5, "body": ""}',
        b'{"task": "t", "codec": "pickle", "body": "?"}',
        b'{"task": "t", "codec": "pickle", "body": 5}',
        b'{"task": "t", "codec": "pickle"}',
    ],
)
@pytest.mark.parametrize("codec", CODECS, ids=lambda codec: codec.name)
def test_wrong_payloads_are_refused(payload: bytes, codec: Codec) -> None:
    """Whatever is wrong is a PayloadError."""
    with pytest.raises(PayloadError):
        read(payload, codec)


def test_arguments_that_cannot_travel_are_named() -> None:
    """The way to the argument is in the error."""
    with pytest.raises(PayloadError, match=r"args\[1\]\['x'\]: object"):
        write(Call("t", (1, {"x": object()})), JSON())
    with pytest.raises(PayloadError, match=r"kwargs\['to'\]: object"):
        write(Call("t", (), {"to": object()}), JSON())


def test_a_body_that_is_no_call_is_refused() -> None:
    """Signed, but not by us as a call."""
    body: Any = base64.b64encode(CODECS[1].encode("something else")).decode()

    with pytest.raises(PayloadError, match="another task"):
        read(json.dumps({"task": "t", "codec": "pickle", "body": body}).encode(), CODECS[1])

"""The published vectors hold: other languages can check themselves against them."""

import datetime as dt
import json
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from limpet.identity import unique_key
from limpet.tasks.codec import JSON
from limpet.tasks.message import Call, read, write
from limpet.tasks.steering import Retry

ROOT = Path(__file__).resolve().parents[2]
VECTORS = json.loads(Path(__file__).with_name("vectors.json").read_text("utf-8"))
PAGE = (ROOT / "docs" / "payload.md").read_text("utf-8")
NAMES: dict[str, Any] = {**vars(dt), "Decimal": Decimal, "UUID": UUID}
codec = JSON()


@pytest.mark.parametrize("vector", VECTORS["values"], ids=lambda vector: vector["python"])
def test_values(vector: dict[str, str]) -> None:
    """Each value is written as published, and read back."""
    value = eval(vector["python"], NAMES)

    assert codec.encode(value).decode() == vector["json"]
    assert codec.decode(vector["json"].encode()) == value


@pytest.mark.parametrize("vector", VECTORS["payloads"], ids=lambda vector: vector["payload"])
def test_payloads(vector: dict[str, Any]) -> None:
    """Each payload is read as the published call, and written so again."""
    call = read(vector["payload"].encode(), codec)

    assert call.task == vector["task"]
    assert codec.plain(list(call.args), "args") == vector["args"]
    assert codec.plain(call.kwargs, "kwargs") == vector["kwargs"]
    assert write(call, codec).decode() == vector["payload"]


@pytest.mark.parametrize("vector", VECTORS["fingerprints"], ids=lambda v: v["fingerprint"])
def test_fingerprints(vector: dict[str, Any]) -> None:
    """Task and arguments give the published fingerprint, and that the mark on the server."""
    arguments = codec.value(vector["arguments"], "arguments")

    found = codec.canonical([vector["task"], arguments])

    assert found.decode() == vector["fingerprint"]
    assert unique_key(found).decode() == vector["mark"]


@pytest.mark.parametrize("vector", VECTORS["backoff"], ids=lambda v: f"{v['retry']} {v['draw']}")
def test_backoff(vector: dict[str, Any]) -> None:
    """Each policy gives the published waits."""
    payload = json.dumps({"task": "t", "options": {"retry": vector["retry"]}})
    policy = read(payload.encode(), codec).retry

    assert isinstance(policy, Retry)
    waits = [policy.next_ms(n, vector["draw"]) for n in range(len(vector["waits_ms"]))]
    assert waits == vector["waits_ms"]


def test_the_page_shows_them() -> None:
    """Every value, payload and fingerprint stands on the page about payloads."""
    for vector in VECTORS["values"]:
        assert f"| `{vector['python']}` | `{vector['json']}` |" in PAGE
    for vector in VECTORS["payloads"]:
        assert vector["payload"] in PAGE
    for vector in VECTORS["fingerprints"]:
        assert vector["fingerprint"] in PAGE
        assert vector["mark"] in PAGE


def test_a_call_without_anything_is_its_name() -> None:
    """The smallest payload there is."""
    assert read(b'{"task":"tick"}', codec) == Call("tick")

"""A key of another type is in the way: the error names it, and nothing is half written."""

from typing import Any

import pytest
import redis

from limpet import BackendError, Limpet
from limpet.keys import KEYS, REGISTRY, queue_keys
from tests.faults.operations import OPERATIONS, START_US, Stage
from tests.support.servers import Server
from tests.support.snapshot import everything

#: One for each script that changes something, all of a single step.
CHOSEN = (
    *("push", "push unique", "pop", "ack", "ack and pop", "fail", "release", "retry", "recover"),
    *("resume", "claim", "cancel by id", "adopt", "revive", "purge", "drop", "stop work"),
    *("unpause", "give up a lost reply", "unschedule", "fire"),
)

pytestmark = pytest.mark.usefixtures("no_heartbeat")


def put_in_the_way(plain: redis.Redis, name: str, kind: str) -> None:
    """Put a key of another type where a key of the queue is or would be."""
    key = queue_keys("q")[name]
    plain.delete(key)
    if kind == "string":
        plain.rpush(key, "not ours")
    else:
        plain.set(key, "not ours")


def refusal(act: Any, stage: Stage, given: Any) -> BackendError | None:
    """Do it; answers the error if the server refused."""
    try:
        act(stage, given)
    except BackendError as error:
        return error
    return None


@pytest.mark.parametrize("spec", KEYS, ids=lambda spec: spec.name)
def test_a_key_of_another_type_is_named(server: Server, plain: redis.Redis, spec: Any) -> None:
    """Every operation on every key: it has no use for it, or it refuses and changes nothing."""
    met = 0
    for operation in CHOSEN:
        prepare, act = OPERATIONS[operation]
        plain.flushall()
        plain.sadd(REGISTRY, "q")
        limpet = Limpet(server.url)
        stage = Stage(limpet, plain)
        stage.link.at_us = str(START_US)
        given = prepare(stage)
        put_in_the_way(plain, spec.name, spec.type)
        before, error = everything(plain), refusal(act, stage, given)
        if error is not None:
            met += 1
            assert f"{queue_keys('q')[spec.name]} is a " in str(error), operation
            assert f"it should be a {spec.type}" in str(error), operation
            assert not error.maybe_done
            assert everything(plain) == before, operation
        plain.flushall()
        limpet.close()

    assert met  # some of them need this key

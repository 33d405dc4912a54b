"""Waiting for replicas: a push that returned is on as many of them as were asked for."""

import signal
from collections.abc import Iterator
from typing import Any

import pytest

from limpet import ConfigError, NotReplicated
from tests.support.flavours import Loop, open_limpet
from tests.support.servers import Server
from tests.support.waiting import wait_until


@pytest.fixture
def pair() -> Iterator[tuple[Server, Server]]:
    """A primary and its replica, in step."""
    primary = Server("--repl-diskless-sync-delay", "0", tcp=True).start()
    replica = Server("--replicaof", f"127.0.0.1 {primary.port}", tcp=True).start()
    with replica.client() as client:
        wait_until(lambda: client.info("replication")["master_link_status"] == "up", within=20)
    yield primary, replica
    replica.signal(signal.SIGCONT)
    replica.remove()
    primary.remove()


def test_a_push_returns_once_the_replica_has_it(
    pair: tuple[Server, Server], flavour: str, loop: Loop
) -> None:
    """What a push answered is on the replica at that moment, also with an empty script cache."""
    primary, replica = pair
    limpet: Any = open_limpet(flavour, loop, primary.url, replicas=1)
    queue = limpet.queue("q")

    first = queue.push(b"a")
    with primary.client() as client:
        client.script_flush()
    second = queue.push(b"b")

    with replica.client() as client:
        kept = client.hkeys("limpet:{q}:jobs")
    limpet.close()
    assert sorted(kept) == sorted([first.id.encode(), second.id.encode()])


def test_a_replica_that_lags_is_told(pair: tuple[Server, Server], flavour: str, loop: Loop) -> None:
    """The job is queued once, and the error names it and says how many replicas have it."""
    primary, replica = pair
    limpet: Any = open_limpet(flavour, loop, primary.url, replicas=1, timeout=1)
    queue = limpet.queue("q")
    replica.signal(signal.SIGSTOP)

    with pytest.raises(NotReplicated) as caught:
        queue.push(b"a")

    assert (caught.value.reached, caught.value.wanted) == (0, 1)
    assert [job.id for job in queue.inspect()] == caught.value.ids
    replica.signal(signal.SIGCONT)
    limpet.close()


@pytest.mark.parametrize("wrong", [-1, True, 1.5, "1"])
def test_a_wrong_number_of_replicas_is_refused(
    wrong: object, flavour: str, loop: Loop, server: Server
) -> None:
    """Replicas are counted in whole numbers, and a cluster cannot wait for them."""
    with pytest.raises(ConfigError, match="replicas"):
        open_limpet(flavour, loop, server.url, replicas=wrong)
    with pytest.raises(ConfigError, match="Sentinel"):
        open_limpet(flavour, loop, "redis+cluster://127.0.0.1:1", replicas=1)

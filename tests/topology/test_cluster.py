"""On a real cluster everything works as on one server."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import redis

from tests.concurrency.calls import Call, calls_of
from tests.support.waiting import wait_until
from tests.topology import everyday
from tests.topology.clusters import Cluster, slot_of
from tests.topology.conftest import Pair


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """Three masters for all tests of this file."""
    running = Cluster()
    yield running
    running.stop()


@pytest.fixture
def clients(cluster: Cluster, pair: Pair) -> tuple[Any, Any]:
    """Two clients of an empty cluster."""
    cluster.flush()
    return pair(cluster.url)


@pytest.mark.parametrize(
    "scenario",
    [*everyday.EVERYDAY, everyday.adopting_from_another_slot],
    ids=lambda scenario: scenario.__name__,
)
def test_everyday_work(clients: tuple[Any, Any], scenario: Callable[[Any, Any], None]) -> None:
    """Every operation works on a cluster, whichever node serves the queue."""
    scenario(*clients)


def test_the_queues_of_these_tests_live_on_different_nodes(cluster: Cluster) -> None:
    """Popping from several queues really spans nodes and slots here."""
    names = ("high", "middle", "low")

    assert len({slot_of(name) for name in names}) == 3
    assert len({cluster.owner(name).port for name in names}) > 1


def test_waiting_on_several_slots_is_quiet(cluster: Cluster, clients: tuple[Any, Any]) -> None:
    """One who waits on three queues in three slots sends at most one command a second for each."""
    one, other = clients
    names = ("high", "middle", "low")
    plains = [node.client() for node in cluster.nodes]
    call = Call(one.pop, *names, wait=30)
    wait_until(lambda: sum(int(p.info("clients")["blocked_clients"]) for p in plains) == 3)
    started, before = server_s(plains[0]), sent(plains)

    wait_until(lambda: server_s(plains[0]) - started >= 5, within=20, step=0.5)
    per_queue = (sent(plains) - before) / len(names)
    passed = server_s(plains[0]) - started
    other.queue("middle").push(b"enough")

    assert [d.queue for d in call.result()] == ["middle"]
    assert per_queue <= passed
    for plain in plains:
        plain.close()


def server_s(plain: redis.Redis) -> float:
    """Read a server's clock."""
    seconds, rest = plain.time()
    return float(seconds) + float(rest) / 1e6


def sent(plains: list[redis.Redis]) -> int:
    """Count what clients sent to all nodes."""
    return sum(calls_of(plain, "evalsha", "eval", "blpop", "sadd", "hello") for plain in plains)

"""On a real cluster everything works as on one server."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import redis

from limpet.errors import BackendError
from tests.concurrency.calls import Call, calls_of
from tests.support.flavours import Loop, open_limpet
from tests.support.servers import Server, free_port
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
    assert len({cluster.owner(name) for name in names} - {None}) > 1


def test_the_library_sends_nothing_again_by_itself(clients: tuple[Any, Any]) -> None:
    """The retries of its cluster clients are off as well."""
    one, _ = clients
    one.queue("mail").push(b"a")
    one.queue("mail").pop(count=2, wait=0.1)
    one.queue("mail").pop(wait=0.1)

    opened = getattr(one, "inner", one).link._wires._wires.values()

    assert [wire.client.retry.get_retries() for wire in opened] == [0, 0]


def test_closing_leaves_no_connection_behind(cluster: Cluster, flavour: str, loop: Loop) -> None:
    """Whatever was opened to whichever node is closed again."""
    before = connections(cluster)
    client = open_limpet(flavour, loop, cluster.url)
    for name in ("high", "middle", "low"):
        client.queue(name).push(b"a")
    client.pop("high", "middle", "low", count=3)
    client.pop("high", "middle", "low", wait=0.1)
    assert connections(cluster) > before

    client.close()

    wait_until(lambda: connections(cluster) == before)


def connections(cluster: Cluster) -> int:
    """Count the clients of all nodes."""
    return sum(
        node.ask("CLIENT", "LIST", "TYPE", "normal").count("addr=") for node in cluster.nodes
    )


def test_a_cluster_that_is_gone_is_an_error(pair: Pair) -> None:
    """If no node answers, the call ends in words after the time the caller gave."""
    one, _ = pair(f"redis+cluster://127.0.0.1:{free_port()}", timeout=0.4)

    with pytest.raises(BackendError, match="cannot be reached"):
        one.queue("mail").push(b"a")


def test_a_server_that_is_no_cluster_is_told_at_once(pair: Pair) -> None:
    """The wrong scheme is named, and not tried again and again."""
    single = Server(tcp=True).start()
    one, _ = pair(f"redis+cluster://127.0.0.1:{single.port}", timeout=30)

    with pytest.raises(BackendError, match="no cluster"):
        one.queue("mail").push(b"a")
    single.remove()


@pytest.mark.slow
def test_waiting_on_several_slots_is_quiet(cluster: Cluster, loop: Loop) -> None:
    """One who waits on three queues in three slots sends at most one command a second for each."""
    cluster.flush()
    names = ("high", "middle", "low")
    waiters = [open_limpet(flavour, loop, cluster.url) for flavour in ("sync", "async")]
    plains = [node.client() for node in cluster.nodes]
    calls = [Call(waiter.pop, *names, wait=30) for waiter in waiters]
    wait_until(lambda: sum(int(p.info("clients")["blocked_clients"]) for p in plains) == 6)
    started, before = server_s(plains[0]), sent(plains)

    wait_until(lambda: server_s(plains[0]) - started >= 5, within=20, step=0.5)
    per_queue = (sent(plains) - before) / len(names) / len(waiters)
    passed = server_s(plains[0]) - started
    for waiter in waiters:
        waiter.queue("middle").push(b"enough")

    assert [[d.queue for d in call.result()] for call in calls] == [["middle"], ["middle"]]
    assert 0 < per_queue <= passed
    for client in (*waiters, *plains):
        client.close()


def server_s(plain: redis.Redis) -> float:
    """Read a server's clock."""
    seconds, rest = plain.time()
    return float(seconds) + float(rest) / 1e6


def sent(plains: list[redis.Redis]) -> int:
    """Count what clients sent to all nodes."""
    return sum(calls_of(plain, "evalsha", "eval", "blpop", "sadd", "hello") for plain in plains)

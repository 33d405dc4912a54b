"""A slot moves to another node under load: nothing is lost and nothing is done twice."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
import redis

from tests.support.flavours import Loop, open_limpet
from tests.support.waiting import wait_until
from tests.topology.clusters import Cluster, Node, slot_of
from tests.topology.load import Load


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """Three masters for all tests of this file."""
    running = Cluster()
    yield running
    running.stop()


def move_key_by_key(cluster: Cluster, slot: int, source: Node, target: Node) -> None:
    """Move a slot as it has always been done."""
    cluster.move(slot, source, target)


def move_at_once(cluster: Cluster, slot: int, source: Node, target: Node) -> None:
    """Move a slot in one step, which newer servers can."""
    try:
        source.ask("CLUSTER", "MIGRATESLOTS", "SLOTSRANGE", slot, slot, "NODE", target.name)
    except redis.ResponseError as error:
        pytest.skip(f"this server cannot: {error}")
    wait_until(lambda: cluster.owner("mail") is target, within=20)


@pytest.mark.slow
@pytest.mark.parametrize("move", [move_key_by_key, move_at_once], ids=lambda move: move.__name__)
def test_a_slot_moves_under_load(cluster: Cluster, flavour: str, loop: Loop, move: Any) -> None:
    """To another node and back, while jobs are pushed, parked, taken and ended."""
    cluster.flush()
    with (
        Load(lambda: open_limpet(flavour, loop, cluster.url), "mail") as load,
        open_limpet(flavour, loop, cluster.url) as viewer,
    ):
        home = wait_until(lambda: cluster.owner("mail"))
        away = next(node for node in cluster.masters if node is not home)

        for source, target in ((home, away), (away, home)):
            load.flow_on()
            move(cluster, slot_of("mail"), source, target)
            assert cluster.owner("mail") is target
            load.flow_on()
        load.finish(lambda: viewer.queue("mail").stats().pending == 0)

        assert len(load.pushed) > 100
        assert Counter(load.started) == Counter(load.pushed)
        assert Counter(load.acked) == Counter(load.pushed)
        stats = viewer.queue("mail").stats()
        assert (stats.completed, stats.recovered) == (len(load.pushed), 0)
        assert viewer.queue("mail").verify().ok

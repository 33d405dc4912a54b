"""A master of the cluster is killed under load; its replica takes over and workers go on."""

from collections.abc import Iterator

import pytest

from tests.support.flavours import Loop, open_limpet
from tests.support.waiting import wait_until
from tests.topology.clusters import Cluster, queue_in
from tests.topology.load import QUICK, Load


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    """Three masters, the first of which has a replica."""
    running = Cluster(replicas=1)
    yield running
    running.stop()


@pytest.mark.slow
def test_a_master_dies_under_load(cluster: Cluster, flavour: str, loop: Loop) -> None:
    """Every job that had reached the replica is done; nobody had to do anything."""
    master, replica = cluster.masters[0], cluster.replicas[0]
    queue = queue_in(cluster, master, "q")
    with (
        Load(lambda: open_limpet(flavour, loop, cluster.url, **QUICK), queue) as load,
        open_limpet(flavour, loop, cluster.url) as viewer,
    ):
        load.flow_on()

        safe = list(load.pushed)
        with master.client() as plain:
            plain.execute_command("INCR", f"{{{queue}}}:mark")
            assert plain.wait(1, 5000) == 1
        master.kill()
        wait_until(lambda: replica.is_master, within=20)
        load.flow_on()
        load.finish(lambda: viewer.queue(queue).stats().pending == 0)

        assert len(safe) >= 30
        assert set(safe) <= set(load.acked)
        assert viewer.queue(queue).verify().ok

"""The parent on a cluster, where queues live on different nodes."""

import os
import signal
import time
from pathlib import Path

import pytest

from tests.parent.conftest import House
from tests.support.waiting import wait_until
from tests.topology.clusters import Cluster

QUEUES = ("high", "middle", "low")


@pytest.mark.slow
def test_a_death_is_seen_in_queues_on_all_nodes(tmp_path: Path) -> None:
    """Jobs of three nodes are back within half a second, and leases are kept on all of them."""
    cluster = Cluster()
    house = House(tmp_path, cluster.url)
    try:
        house.start("-q", ",".join(QUEUES), "--lease", "1s", "--heartbeat", "300ms")
        (pid,) = house.workers()
        for name in QUEUES:
            house.push("hold", name, to=name)
        for name in QUEUES:
            house.holding(name)
        house.push("spin", 2.5, to="low")
        wait_until(lambda: house.client.queue("low").stats().completed == 1, within=30)
        assert [house.client.queue(name).stats().recovered for name in QUEUES] == [0, 0, 0]

        killed_at = time.monotonic()
        os.kill(pid, signal.SIGKILL)
        for name in QUEUES:
            wait_until(
                lambda name=name: house.client.queue(name).stats().recovered == 1, step=0.002
            )
        back_s = time.monotonic() - killed_at
    finally:
        house.close()
        cluster.stop()

    assert back_s < 0.5

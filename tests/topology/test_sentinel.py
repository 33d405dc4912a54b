"""Behind sentinels everything works, and workers follow the master when it changes."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from limpet.errors import BackendError
from tests.support.flavours import Loop, open_limpet
from tests.support.servers import free_port
from tests.support.waiting import wait_until
from tests.topology import everyday
from tests.topology.conftest import Pair
from tests.topology.load import QUICK, Load
from tests.topology.sentinels import Watched


@pytest.fixture(scope="module")
def calm() -> Iterator[Watched]:
    """A master that stays the master."""
    running = Watched()
    yield running
    running.stop()


@pytest.fixture
def watched() -> Iterator[Watched]:
    """A master of one's own, to be taken away."""
    running = Watched()
    yield running
    running.stop()


@pytest.mark.parametrize(
    "scenario",
    [everyday.push_pop_ack, everyday.lock, everyday.dead_worker, everyday.several_queues],
    ids=lambda scenario: scenario.__name__,
)
def test_everyday_work(calm: Watched, pair: Pair, scenario: Callable[[Any, Any], None]) -> None:
    """The address of the sentinels is all one needs to know."""
    with calm.master.client() as plain:
        plain.flushall()

    scenario(*pair(calm.url))


@pytest.mark.slow
@pytest.mark.parametrize("how", ["the master is killed", "an operator orders it"])
def test_workers_follow_a_failover(watched: Watched, flavour: str, loop: Loop, how: str) -> None:
    """Every job that had reached the replica is done; nobody had to do anything."""
    with (
        Load(lambda: open_limpet(flavour, loop, watched.url, **QUICK), "mail") as load,
        open_limpet(flavour, loop, watched.url, timeout=40.0) as viewer,
    ):
        load.flow_on()
        safe = list(load.pushed)
        watched.mark()

        if how == "the master is killed":
            watched.master.kill()
        else:
            watched.sentinels[0].ask("FAILOVER", "mymaster")
        wait_until(watched.replica_leads, within=20)
        load.flow_on()
        load.finish(lambda: viewer.queue("mail").stats().pending == 0)

        assert len(safe) >= 30
        assert set(safe) <= set(load.acked)
        assert viewer.queue("mail").verify().ok
    with watched.replica.client() as plain:
        assert int(plain.hget("limpet:{mail}:stats", "completed") or 0) >= len(safe)


def test_closing_leaves_no_connection_behind(calm: Watched, flavour: str, loop: Loop) -> None:
    """Neither at the master nor at the sentinels."""
    before = connections(calm)
    client = open_limpet(flavour, loop, calm.url)
    client.queue("mail").push(b"a")
    client.queue("mail").pop(wait=5)
    assert connections(calm) > before

    client.close()

    wait_until(lambda: connections(calm) <= before)


def connections(watched: Watched) -> int:
    """Count the clients of the master and of the sentinels, except those these open themselves."""
    total = 0
    for server in (watched.master, *watched.sentinels):
        with server.client() as plain:
            names = [str(c["name"]) for c in plain.client_list(_type="normal")]
        total += len([name for name in names if not name.startswith("sentinel-")])
    return total


def test_a_sentinel_that_is_gone_is_skipped(calm: Watched, pair: Pair) -> None:
    """One dead sentinel in the address is no fault."""
    host, _, rest = calm.url.partition("//")[2].partition(",")
    del host
    one, _ = pair(f"redis+sentinel://127.0.0.1:{free_port()},{rest}")

    assert one.queue("mail").push(b"a").created


def test_a_service_that_nobody_knows_is_an_error(calm: Watched, pair: Pair) -> None:
    """A wrong name of the service ends in words, after the time the caller gave."""
    one, _ = pair(calm.url.replace("mymaster", "nobody"), timeout=0.3)

    with pytest.raises(BackendError, match="cannot be reached"):
        one.queue("mail").push(b"a")

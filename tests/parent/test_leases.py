"""The second heartbeat, and the return of what the dead held, without processes around it."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import redis

from limpet import Limpet
from limpet.commands import workers
from limpet.keys import queue_keys
from limpet.link.sync import Link
from limpet.options import WorkerOptions
from limpet.worker.parent.leases import Keeper
from limpet.worker.wire import Ready
from tests.support.servers import Server
from tests.support.waiting import wait_until

LEASE_MS = 400


@pytest.fixture
def client(server: Server, plain: redis.Redis) -> Iterator[Limpet]:
    """A client of the empty server."""
    with Limpet(server.url) as made:
        yield made


@pytest.fixture
def keeper() -> Iterator[Keeper]:
    """A keeper with nobody to look after."""
    made = Keeper()
    yield made
    made.close()


@pytest.fixture
def silent(client: Limpet) -> Callable[..., Ready]:
    """Register workers that have no heart of their own."""

    def register(name: str, *queues: str, lease_ms: int = LEASE_MS) -> Ready:
        options = WorkerOptions("silent", lease_ms / 4000, lease_ms / 1000)
        for queue in queues:
            client.link.send(workers.start_work(queue_keys(queue), name, options, "host", 1))
        limits = dict.fromkeys(queues, (3, 1000))
        return Ready(name, limits, client.link.target.url, None, "test", lease_ms, 1)

    return register


def alive(client: Limpet, queue: str, name: str) -> bool:
    """Whether a worker is still registered, after a look for dead ones."""
    client.queue(queue).pop()
    return name in {worker.id for worker in client.workers()}


def outlives_three_leases(client: Limpet, queue: str, name: str) -> bool:
    """Whether a worker is there as long as another one, who beats, lives three leases."""
    started = client.link.raw("TIME")

    def passed_ms() -> float:
        now = client.link.raw("TIME")
        return (now[0] - started[0]) * 1000 + (now[1] - started[1]) / 1000

    wait_until(lambda: passed_ms() > 3 * LEASE_MS or not alive(client, queue, name))
    return alive(client, queue, name)


def test_a_worker_without_a_heart_is_kept_alive(
    client: Limpet, keeper: Keeper, silent: Callable[..., Ready]
) -> None:
    """The one that is kept lives on, the other one is found dead."""
    kept, left = silent("kept", "a"), silent("left", "a")

    keeper.keep(1, kept)

    assert outlives_three_leases(client, "a", kept.worker)
    assert not alive(client, "a", left.worker)


def test_beating_goes_on_after_everybody_was_gone(
    client: Limpet, keeper: Keeper, silent: Callable[..., Ready]
) -> None:
    """The first child froze and was killed; the lease of the next one is kept as well."""
    keeper.keep(1, silent("first", "a"))
    keeper.rest(1)
    keeper.give_back(1, counts=True)
    assert keeper.settle(5.0)
    ready = silent("second", "a")

    keeper.keep(2, ready)

    assert outlives_three_leases(client, "a", ready.worker)


def test_a_damaged_queue_does_not_cost_the_lease_in_another(
    client: Limpet, keeper: Keeper, silent: Callable[..., Ready], plain: redis.Redis
) -> None:
    """One call serves all queues; if it is refused, each is tried by itself."""
    ready = silent("kept", "a", "b")
    plain.delete("limpet:{b}:scheduled")
    plain.set("limpet:{b}:scheduled", "not of limpet")

    keeper.keep(1, ready)

    assert outlives_three_leases(client, "a", ready.worker)


def test_one_that_is_to_rest_is_not_kept_alive(
    client: Limpet, keeper: Keeper, silent: Callable[..., Ready]
) -> None:
    """Killed, but its end takes long: its lease may end."""
    ready = silent("kept", "a")
    keeper.keep(1, ready)

    keeper.rest(1)

    assert not outlives_three_leases(client, "a", ready.worker)


@pytest.mark.parametrize(("counts", "recovered"), [(True, 1), (False, 0)])
def test_what_a_process_held_is_given_back_at_once(
    server: Server, client: Limpet, keeper: Keeper, *, counts: bool, recovered: int
) -> None:
    """In all its queues, with a death on the job's account or without."""
    other = Limpet(server.url, lease="1h", heartbeat="30m")
    for name in ("a", "b"):
        client.queue(name).push("x")
        other.queue(name).pop()
    assert other.worker is not None
    limits = {"a": (3, 1000), "b": (3, 1000)}
    keeper.keep(7, Ready(other.worker, limits, server.url, None, "test", 3_600_000, 1))

    keeper.give_back(7, counts=counts)

    assert keeper.settle(5.0)
    for name in ("a", "b"):
        stats = client.queue(name).stats()
        assert (stats.waiting, stats.running, stats.recovered) == (1, 0, recovered)
    other.close()


def test_whoever_is_not_known_has_nothing_to_give_back(keeper: Keeper) -> None:
    """A child that died before it worked held nothing."""
    keeper.give_back(1, counts=True)

    assert keeper.settle(0.0)


def test_a_bug_does_not_end_the_beating(
    client: Limpet, silent: Callable[..., Ready], caplog: pytest.LogCaptureFixture
) -> None:
    """All leases hang on the one thread: it says what is wrong and goes on."""
    made: list[Any] = []

    def link(ready: Ready) -> Link:
        made.append(ready)
        if len(made) == 1:
            raise ZeroDivisionError
        return Link(client.link.target)

    keeper = Keeper(link)
    ready = silent("kept", "a")
    keeper.keep(1, ready)

    assert outlives_three_leases(client, "a", ready.worker)
    assert "could not look after" in caplog.text
    keeper.close()

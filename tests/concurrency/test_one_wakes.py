"""A call wakes exactly one of those who wait, and that one calls the next if work is left.

Counted by the server: scripts sent (EVALSHA, EVAL) and waits that ended (BLPOP). Heartbeats are
minutes apart, so every script that is counted comes from a pop or from the test itself.
"""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import redis

from limpet import Limpet
from tests.concurrency.calls import Call, calls_of, wait_for_blocked
from tests.support.flavours import Loop, open_limpet
from tests.support.servers import Server
from tests.support.waiting import wait_until

SLOW: dict[str, Any] = {"heartbeat": 100, "lease": 1000}
Connect = Callable[..., Any]


@pytest.fixture
def crowd(
    flavour: str, loop: Loop, server: Server, plain: redis.Redis
) -> Iterator[Callable[..., list[Call]]]:
    """Let any number of workers wait, each with a client of its own."""
    clients: list[Any] = []
    calls: list[Call] = []

    def gather(workers: int, count: int = 1) -> list[Call]:
        clients.extend(open_limpet(flavour, loop, server.url, **SLOW) for _ in range(workers))
        calls.extend(Call(client.queue("mail").pop, count=count, wait=30) for client in clients)
        wait_for_blocked(plain, workers)
        settle(plain)
        return calls

    yield gather
    with Limpet(server.url) as producer:
        producer.queue("mail").push_many([b"go home"] * len(calls) * 10)
    for call in calls:
        call.result()
    for client in clients:
        client.close()


def scripts(plain: redis.Redis) -> int:
    """Count the scripts sent so far."""
    return calls_of(plain, "evalsha", "eval")


def settle(plain: redis.Redis) -> None:
    """Wait until the first heartbeats of all who wait are over."""
    seen = [-1]

    def is_quiet() -> bool:
        seen.append(scripts(plain))
        return seen[-1] == seen[-2]

    wait_until(is_quiet, step=0.3)


def test_one_push_wakes_one_of_many(
    crowd: Callable[..., list[Call]], plain: redis.Redis, server: Server
) -> None:
    """Of sixty who wait one wakes, takes the job, and all others sleep on."""
    calls = crowd(60)
    with Limpet(server.url) as producer:
        producer.queue("mail").push(b"first")
        wait_until(lambda: sum(call.done for call in calls) == 1)
        wait_for_blocked(plain, 59)
        scripts_before, waits_before = scripts(plain), calls_of(plain, "blpop")

        producer.queue("mail").push(b"second")
        wait_until(lambda: sum(call.done for call in calls) == 2)
        wait_for_blocked(plain, 58)

        assert scripts(plain) - scripts_before == 2
        assert calls_of(plain, "blpop") - waits_before == 1


def test_many_jobs_spread_by_chaining(
    crowd: Callable[..., list[Call]], plain: redis.Redis, server: Server
) -> None:
    """One push of a hundred jobs wakes ten workers, each of which takes ten and calls the next."""
    calls = crowd(10, 10)
    before = scripts(plain)

    with Limpet(server.url) as producer:
        producer.queue("mail").push_many([b"%d" % n for n in range(100)])

    taken = [call.result() for call in calls]
    assert [len(deliveries) for deliveries in taken] == [10] * 10
    by_fence = sorted(taken, key=lambda deliveries: deliveries[0].fence)
    assert [d.payload for ds in by_fence for d in ds] == [b"%d" % n for n in range(100)]
    assert scripts(plain) - before == 11


def test_released_jobs_spread_by_chaining(
    crowd: Callable[..., list[Call]], plain: redis.Redis, server: Server
) -> None:
    """Five jobs given back at once wake five workers."""
    with Limpet(server.url, **SLOW) as producer:
        queue = producer.queue("mail")
        queue.push_many([b"%d" % n for n in range(5)])
        mine = queue.pop(count=5)
        calls = crowd(7)

        queue.release(*mine)

        wait_until(lambda: sum(call.done for call in calls) == 5)
        wait_for_blocked(plain, 2)


def test_jobs_of_a_dead_worker_spread_by_chaining(
    crowd: Callable[..., list[Call]], plain: redis.Redis, server: Server
) -> None:
    """Suspects go to different workers, one each, without waiting for a heartbeat."""
    doomed, other = Limpet(server.url, **SLOW), Limpet(server.url, **SLOW)
    with doomed, other:
        doomed.queue("mail").push_many([b"%d" % n for n in range(5)])
        doomed.queue("mail").pop(count=5)
        calls = crowd(7)

        other.fail_worker(str(doomed.worker))

        wait_until(lambda: sum(call.done for call in calls) == 5)
        wait_for_blocked(plain, 2)

"""What goes wrong with a schedule must not cost a worker its lease, nor fill its log."""

import logging
from collections.abc import Iterator

import pytest
import redis

from limpet import Limpet
from tests.support.servers import Server
from tests.support.waiting import wait_until


@pytest.fixture
def limpet(server: Server, plain: redis.Redis) -> Iterator[Limpet]:
    """A client of an empty server that beats fast."""
    with Limpet(server.url, heartbeat="100ms", lease="2s") as client:
        yield client


def beats(plain: redis.Redis, worker: str) -> float:
    """Until when the worker has its lease."""
    return float(plain.zscore("limpet:{q}:workers", worker) or 0)


def test_a_full_server_delays_a_run_and_costs_no_lease(
    limpet: Limpet, plain: redis.Redis, caplog: pytest.LogCaptureFixture
) -> None:
    """It is told once; when there is room again, one run makes up for all that were missed."""
    queue = limpet.queue("q")
    queue.schedule("tick", b"tick", every="100ms")
    plain.config_set("maxmemory", 1)
    try:
        with caplog.at_level(logging.WARNING, "limpet"):
            worker = limpet.start_work("q")
            before = beats(plain, worker)
            wait_until(lambda: beats(plain, worker) > before + 1000)
        assert queue.len() == 0
    finally:
        plain.config_set("maxmemory", 0)

    wait_until(lambda: queue.len() == 1)

    assert limpet.worker == worker
    assert len([r for r in caplog.records if "memory" in r.getMessage()]) == 1


def test_a_schedule_that_is_not_understood_is_told_once(
    limpet: Limpet, plain: redis.Redis, caplog: pytest.LogCaptureFixture
) -> None:
    """By name, while the others fire."""
    queue = limpet.queue("q")
    queue.schedule("odd", b"odd", "0 3 * * *")
    queue.schedule("tick", b"tick", every="100ms", overlap="queue")
    record = plain.hget("limpet:{q}:schedules", "odd")
    plain.hset("limpet:{q}:schedules", "odd", record.replace(b'"UTC"', b'"Mars/Base"'))
    plain.zadd("limpet:{q}:firing", {"odd": 1})

    with caplog.at_level(logging.WARNING, "limpet"):
        limpet.start_work("q")
        wait_until(lambda: queue.len() >= 5)

    told = [r.getMessage() for r in caplog.records if "Mars/Base" in r.getMessage()]
    assert len(told) == 1
    assert "schedule 'odd' of queue 'q'" in told[0]


def test_a_key_in_the_way_does_not_stop_other_queues(
    limpet: Limpet, plain: redis.Redis, caplog: pytest.LogCaptureFixture
) -> None:
    """Where the records should be is something else: only that queue's schedules stand still."""
    limpet.queue("q").schedule("tick", b"tick", every="100ms")
    limpet.queue("other").schedule("tick", b"tick", every="100ms", overlap="queue")
    plain.delete("limpet:{q}:schedules")
    plain.set("limpet:{q}:schedules", "not ours")

    with caplog.at_level(logging.WARNING, "limpet"):
        worker = limpet.start_work("q")
        limpet.start_work("other")
        wait_until(lambda: limpet.queue("other").len() >= 3)

    assert any("limpet:{q}:schedules is a string" in r.getMessage() for r in caplog.records)
    assert limpet.worker == worker
    assert not limpet.lost

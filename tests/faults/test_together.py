"""One client used by many at once, threads or tasks: one worker, one sender per request."""

import asyncio
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import redis

from limpet import AsyncLimpet, Limpet, WorkerLost
from limpet.link.lanes import Lanes
from tests.concurrency.calls import Call
from tests.support.servers import Server
from tests.support.waiting import wait_until

CALM = {"heartbeat": 0.2, "lease": 60}


@pytest.fixture
def restless() -> Iterator[None]:
    """Let threads take turns all the time."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def at_once(count: int, work: Callable[[], Any]) -> list[Any]:
    """Do the same in many threads that start together; answers what each got or raised."""
    start = threading.Barrier(count)

    def run() -> Any:
        start.wait()
        try:
            return work()
        except WorkerLost as error:
            return error

    return [call.result(20) for call in [Call(run) for _ in range(count)]]


@pytest.mark.usefixtures("restless")
def test_no_two_requests_have_one_sender() -> None:
    """Threads that take lanes at the same moment get different ones."""
    lanes = Lanes()

    taken = at_once(16, lambda: [lanes.take().name for _ in range(500)])

    names = [name for some in taken for name in some]
    assert len(set(names)) == len(names) == 16 * 500


@pytest.mark.usefixtures("restless", "plain")
def test_threads_that_pop_first_start_one_worker(server: Server) -> None:
    """Whoever comes first: all jobs are taken by the same worker, and it lives."""
    with Limpet(server.url, **CALM) as limpet, Limpet(server.url, **CALM) as watch:
        names = [f"q{n}" for n in range(8)]
        for name in names:
            watch.queue(name).push_many([b"x"] * 2)
        turn = iter(names * 2)

        found = at_once(16, lambda: limpet.queue(next(turn)).pop()[0])

        wait_until(lambda: {*(limpet._heart.serving if limpet._heart else ())} == {*names})
        assert {view.id for view in watch.workers()} == {limpet.worker}
        assert len(limpet.ack(*found)) == 16


async def test_tasks_that_pop_first_start_one_worker(server: Server, plain: redis.Redis) -> None:
    """The same for tasks of one loop."""
    async with AsyncLimpet(server.url, **CALM) as limpet:
        for n in range(8):
            await limpet.queue(f"q{n}").push_many([b"x"] * 2)

        found = await asyncio.gather(*[limpet.queue(f"q{n % 8}").pop() for n in range(16)])

        assert {view.id for view in await limpet.workers()} == {limpet.worker}
        assert len(await limpet.ack(*[d for some in found for d in some])) == 16


@pytest.mark.usefixtures("restless", "plain")
def test_late_news_of_a_dead_worker_do_not_kill_its_successor(server: Server) -> None:
    """Many threads learn one after the other that the worker is lost; the new one goes on."""
    with Limpet(server.url, **CALM) as limpet, Limpet(server.url, **CALM) as watch:
        queue = limpet.queue("q")
        watch.queue("q").push_many([b"%d" % n for n in range(200)])
        for _ in range(5):
            queue.ack(*queue.pop())
            first = limpet.worker
            assert first
            watch.fail_worker(first)

            lost: set[str] = set()
            found = at_once(8, lambda lost=lost: pop_after_losses(queue, lost))

            assert {*lost, limpet.worker} == {first, limpet.worker}
            assert limpet.worker != first
            assert len(queue.ack(*found)) == 8
        assert watch.queue("q").stats().recovered == 0


def pop_after_losses(queue: Any, lost: set[str]) -> Any:
    """Take one job, noting the workers that were found dead on the way."""
    for _ in range(3):
        try:
            return queue.pop()[0]
        except WorkerLost as error:
            lost.add(error.worker)
    raise AssertionError("lost three times")


async def test_late_news_do_not_kill_the_successor_of_tasks_either(
    server: Server, plain: redis.Redis
) -> None:
    """The same for tasks: some are told while others have started anew."""
    async with AsyncLimpet(server.url, **CALM) as limpet:
        queue = limpet.queue("q")
        await queue.push_many([b"%d" % n for n in range(100)])
        await queue.ack(*await queue.pop())
        first = str(limpet.worker)
        await AsyncLimpet.fail_worker(limpet, first)

        lost: set[str] = set()

        async def work() -> Any:
            for _ in range(3):
                try:
                    return (await queue.pop())[0]
                except WorkerLost as error:
                    lost.add(error.worker)
            raise AssertionError("lost three times")

        found = await asyncio.gather(*[work() for _ in range(20)])

        assert lost == {first}
        assert limpet.worker != first
        assert len(await queue.ack(*found)) == 20


def test_closing_ends_a_pop_that_waits(connect: Callable[..., Any], plain: redis.Redis) -> None:
    """Whoever waits is told that the worker is gone, and does not wait for its time to pass."""
    limpet = connect(**CALM)
    call = Call(limpet.queue("q").pop, wait=60)
    wait_until(lambda: plain.info("clients")["blocked_clients"] == 1)

    limpet.close()

    with pytest.raises(WorkerLost):
        call.result(within=15)
    limpet.close()


@pytest.mark.usefixtures("restless", "plain")
def test_stopping_the_worker_under_its_callers_strands_no_job(server: Server) -> None:
    """Threads pop while another one stops the worker again and again: all jobs get done."""
    jobs = 300
    with Limpet(server.url, **CALM) as limpet, Limpet(server.url, **CALM) as watch:
        queue = limpet.queue("q")
        watch.queue("q").push_many([b"%d" % n for n in range(jobs)])

        def work() -> int:
            acked = 0
            while watch.queue("q").stats().completed < jobs:
                try:
                    acked += len(queue.ack(*queue.pop(count=3)))
                except WorkerLost:
                    continue
            return acked

        calls = [Call(work) for _ in range(4)]
        while not all(call.done for call in calls):
            limpet.stop_worker()

        assert sum(call.result() for call in calls) == jobs
        assert watch.queue("q").stats().recovered == 0
        assert watch.queue("q").verify().ok

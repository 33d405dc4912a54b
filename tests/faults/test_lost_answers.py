"""Jobs were handed out and nobody got them: they come back to their place, nobody has died.

The answer got lost until the caller gave up, or the caller was gone when it came.
"""

import asyncio
import random
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import redis
from redis.asyncio.connection import AbstractConnection

from limpet import AsyncLimpet, BackendError, Limpet
from limpet.link.lanes import Unsettled
from tests.faults.lives import load_scripts
from tests.support.proxy import Fault, Proxy
from tests.support.servers import Server
from tests.support.waiting import wait_until

#: More attempts than fit into the time of a caller.
MANY = 1000
#: Gives up soon; its heart beats too rarely to be of help unless it is called.
FAST = {"timeout": 0.2, "heartbeat": 100, "lease": 1000}
#: Takes nothing and never disturbs.
SLOW = {"heartbeat": 1000, "lease": 10_000}

Act = Callable[[Any, Any], Any]

#: Everything that hands jobs out; each is given the queue and a delivery that runs.
TAKING: dict[str, Act] = {
    "pop": lambda queue, _: queue.pop(count=2),
    "ack_and_pop": lambda queue, _: queue.ack_and_pop([], count=2),
    "claim": lambda queue, _: queue.claim(),
    "recover": lambda queue, _: queue.recover(older_than=0),
    "resume": lambda queue, running: queue.resume(running, timeout=0),
}


@pytest.fixture
def line(server: Server, plain: redis.Redis) -> Iterator[Proxy]:
    """A line whose faults hit callers, not the heartbeat and what it sends besides."""
    load_scripts(server)
    proxy = Proxy(server, uncounted=("beat", "tend", "abandon", "release", "stop_work", "holds"))
    yield proxy
    proxy.close()


@pytest.fixture
def watch(line: Proxy, connect: Callable[..., Any]) -> Any:
    """The queue as somebody with a good line sees it, who holds nothing."""
    return connect(**SLOW).queue("q")


def lose_answers(line: Proxy) -> None:
    """From now on the server does all it is asked, and no answer arrives."""
    line.arm(*[Fault(n, cut_reply=0) for n in range(MANY)])


@pytest.mark.parametrize("how", TAKING)
def test_what_a_caller_gave_up_comes_back_by_itself(
    line: Proxy, watch: Any, connect: Callable[..., Any], how: str
) -> None:
    """The worker lives and knows nothing of the jobs: its heart gives them back, uncounted."""
    queue = connect(line.url, **FAST).queue("q")
    queue.push_many([b"a", b"b"])
    (running,) = connect(**SLOW).queue("q").pop()
    queue._limpet.start_work("q")
    lose_answers(line)

    with pytest.raises(BackendError) as error:
        TAKING[how](queue, running)
    line.forget()

    wait_until(lambda: watch.stats().running == (how not in {"recover", "resume"}))
    back = watch.inspect(count=9)
    assert error.value.maybe_done
    assert [job.crashes for job in back] == [0] * len(back)
    assert watch.stats().waiting == (2 if how in {"recover", "resume"} else 1)
    assert watch.verify().ok


@pytest.mark.usefixtures("no_heartbeat")
@pytest.mark.parametrize("how", TAKING)
def test_the_next_call_gives_it_back_too(
    line: Proxy, watch: Any, connect: Callable[..., Any], how: str
) -> None:
    """Also without a heartbeat, nothing is taken before what was lost is back in its place."""
    queue = connect(line.url, **FAST).queue("q")
    queue.push_many([b"a", b"b"])
    (running,) = connect(**SLOW).queue("q").pop()
    queue._limpet.start_work("q")
    lose_answers(line)
    with pytest.raises(BackendError):
        TAKING[how](queue, running)
    line.forget()

    found = queue.pop(count=9)

    wanted = [b"a", b"b"] if how in {"recover", "resume"} else [b"b"]
    assert [d.payload for d in found] == wanted
    assert [d.crashes for d in found] == [0] * len(found)
    assert watch.verify().ok


def test_a_request_that_comes_after_it_was_given_up_takes_nothing(
    line: Proxy, watch: Any, plain: redis.Redis, connect: Callable[..., Any]
) -> None:
    """A copy of the request that was held up on its way does nothing when it arrives at last."""
    queue = connect(line.url, **FAST).queue("q")
    queue.push(b"a")
    queue._limpet.start_work("q")
    line.arm(*[Fault(n, cut_request=0) for n in range(MANY)])
    with pytest.raises(BackendError):
        queue.pop()
    late = line.seen[-1]
    line.forget()
    # Not only taken up by the heart, but done: the server remembers that it was given up.
    wait_until(lambda: b"abandoned" in b" ".join(plain.hvals("limpet:{q}:sessions")))

    answer = line.replay(late)

    assert b"abandoned" in answer
    assert (watch.stats().waiting, watch.stats().running) == (1, 0)


def test_what_was_found_in_the_first_queue_is_not_lost_with_the_second(
    line: Proxy, watch: Any, connect: Callable[..., Any]
) -> None:
    """If a later queue cannot be asked, the caller gets what there was before it."""
    limpet = connect(line.url, **FAST)
    watch.push(b"a")
    connect(**SLOW).queue("low").push(b"b")
    limpet.start_work("q")
    limpet.start_work("low")
    line.arm(*[Fault(n, cut_reply=0) for n in range(1, MANY)])

    found = limpet.pop("q", "low", count=5)
    line.forget()

    assert [d.payload for d in found] == [b"a"]
    wait_until(lambda: limpet.queue("low").stats().waiting == 1)


async def _settled(condition: Callable[[], bool]) -> None:
    deadline = asyncio.get_running_loop().time() + 20
    while not condition():
        assert asyncio.get_running_loop().time() < deadline, "not true within 20 s"
        await asyncio.sleep(0.01)


async def test_a_task_cancelled_between_two_queues_gives_back_what_it_had(
    line: Proxy, server: Server
) -> None:
    """The first queue has answered, the second one is being asked: nobody will see the job."""
    async with AsyncLimpet(line.url, **{**FAST, "timeout": 20}) as limpet:
        watch = Limpet(server.url, **SLOW)
        watch.queue("high").push(b"a")
        await limpet.start_work("high")
        await limpet.start_work("low")
        asked = asyncio.Event()
        loop = asyncio.get_running_loop()
        told = lambda: loop.call_soon_threadsafe(asked.set)  # noqa: E731
        line.arm(Fault(1, before=told, drop_reply=True))

        task = asyncio.create_task(limpet.pop("high", "low", count=2))
        await asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

        await _settled(lambda: watch.queue("high").stats().waiting == 1)
        (again,) = await limpet.queue("high").pop()
        assert (again.deliveries, again.crashes) == (2, 0)
        watch.close()


@pytest.mark.parametrize("queues", [["q"], ["q", "r"]])
async def test_a_call_that_nobody_hears_is_passed_on(
    line: Proxy, server: Server, queues: list[str]
) -> None:
    """A waiting pop is cancelled with the call for a new job on its way: another one wakes.

    With one queue to wait for, the job itself is on its way, too.
    """
    patient = {**FAST, "timeout": 20}
    async with AsyncLimpet(line.url, **patient) as one, AsyncLimpet(server.url, **patient) as two:
        for name in queues:
            await one.start_work(name)
        await two.start_work("q")
        line.arm(Fault(2, drop_reply=True))
        deaf = asyncio.create_task(one.pop(*queues, wait=60))
        await _settled(lambda: len(line.seen) == 3)
        with server.client() as plain:
            await _settled(lambda: plain.info("clients")["blocked_clients"] == 1)
            waiting = asyncio.create_task(two.queue("q").pop(wait=60))
            await _settled(lambda: plain.info("clients")["blocked_clients"] == 2)

        pushed = await two.queue("q").push(b"a")
        await _settled(lambda: 2 in line.replies)
        deaf.cancel()

        found = await asyncio.wait_for(waiting, 9)  # long before it would look by itself
        assert [job.id for job in found] == [pushed.id]
        with pytest.raises(asyncio.CancelledError):
            await deaf


def _sends_and_stops(name: str, task: "asyncio.Task[Any]") -> Any:
    send = getattr(AbstractConnection, name)

    async def send_and_stop(self: Any, command: Any) -> None:
        await send(self, command)
        task.cancel()

    return send_and_stop


async def test_a_task_that_was_told_to_stop_stops(
    server: Server, plain: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where `asyncio.wait_for`, which the library uses, keeps the news to itself."""
    async with AsyncLimpet(server.url, **FAST) as limpet:
        queue = limpet.queue("q")
        await queue.pop()
        await queue.push(b"a")
        for sends, call in (
            ("_send_packed_command", limpet.ping),
            ("send_packed_command", queue.pop),
        ):
            task = asyncio.create_task(call())
            monkeypatch.setattr(AbstractConnection, sends, _sends_and_stops(sends, task))
            with pytest.raises(asyncio.CancelledError):
                await task
            monkeypatch.undo()

        (job,) = await queue.pop(wait=5)
        assert await queue.ack(job) == [job.id]


@pytest.mark.parametrize("seed", range(3))
async def test_tasks_cancelled_at_any_moment_leave_nothing_behind(
    server: Server, plain: redis.Redis, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Hundreds of waiting pops are cancelled at random: each job reaches one reader, once."""
    chance, jobs, got, cancelled, lost = random.Random(seed), 400, [], 0, []
    with Limpet(server.url, **SLOW) as producer:
        async with AsyncLimpet(server.url, **{**FAST, "timeout": 20}) as limpet:
            queue, note = limpet.queue("q"), limpet.link.unsettled.keep
            monkeypatch.setattr(Unsettled, "keep", lambda _, loss: (lost.append(loss), note(loss)))
            pushing = asyncio.create_task(push_slowly(producer.queue("q"), jobs, chance.random()))
            while not pushing.done():
                task = asyncio.create_task(queue.pop(count=2, wait=5))
                await asyncio.sleep(chance.uniform(0, 0.0015))
                task.cancel()
                try:
                    got += await queue.ack(*await task)
                except asyncio.CancelledError:
                    cancelled += 1
            while len(got) < jobs and (found := await queue.pop(count=9, wait=5)):
                got += await queue.ack(*found)

            stats = await queue.stats()
            assert (stats.completed, stats.pending, stats.recovered) == (jobs, 0, 0)
            assert (await queue.verify()).ok
    assert len(set(got)) == len(got) == jobs
    assert cancelled > len(lost) > 0  # it hit idle waiting, and the middle of an answer


async def push_slowly(queue: Any, jobs: int, seed: float) -> None:
    """Push one job after the other, at moments of their own."""
    chance = random.Random(seed)
    for number in range(jobs):
        await asyncio.to_thread(queue.push, b"%d" % number)
        await asyncio.sleep(chance.uniform(0, 0.006))


class Interrupt(Exception):
    """What a handler of a signal raises."""


@pytest.fixture
def interrupts() -> Iterator[Callable[[], None]]:
    """Let a signal break into whatever the main thread does; answers how to send it."""

    def break_in(*_: object) -> None:
        raise Interrupt

    before = signal.signal(signal.SIGUSR1, break_in)
    yield lambda: signal.raise_signal(signal.SIGUSR1)
    signal.signal(signal.SIGUSR1, before)


def test_an_interrupted_wait_takes_no_job_with_it(
    line: Proxy, server: Server, interrupts: Callable[[], None]
) -> None:
    """Control-C in a waiting pop, or in the middle of an answer, leaves the job to the next one."""
    main = threading.main_thread().ident
    with Limpet(line.url, **FAST) as limpet, Limpet(server.url, **SLOW) as watch:
        queue = limpet.queue("q")
        queue.pop()

        def send() -> None:
            signal.pthread_kill(main or 0, signal.SIGUSR1)

        for fault in (
            Fault(1, before=send, drop_reply=True),
            Fault(0, after=send, drop_reply=True),
        ):
            watch.queue("q").push(b"a")
            watch.queue("q").ack(*watch.queue("q").pop()) if fault.at else None
            line.arm(fault)
            with pytest.raises(Interrupt):
                queue.pop(wait=5)
            line.forget()

        wait_until(lambda: watch.queue("q").stats().waiting == 1)
        assert [d.payload for d in queue.pop()] == [b"a"]

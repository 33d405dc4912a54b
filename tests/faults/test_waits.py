"""A wait that carries the next pop with it: what came is given back if nobody may have it."""

import asyncio
import gc
import weakref
from collections.abc import Iterator

import pytest
import redis

from limpet import AsyncLimpet, BackendError, Limpet
from limpet.tasks import names
from tests.support.servers import Server
from tests.support.waiting import wait_until

PATIENT = {"heartbeat": 100, "lease": 1000, "policies": {"*": {"crash_limit": 2}}}


async def until_blocked(plain: redis.Redis, many: int = 1) -> None:
    """Wait until so many clients wait on the server."""
    await asyncio.to_thread(wait_until, lambda: plain.info("clients")["blocked_clients"] == many)


async def test_a_job_with_a_last_chance_gets_no_neighbour_from_another_queue(
    server: Server, plain: redis.Redis
) -> None:
    """The worker took it while it was waiting for another queue: what comes there goes back."""
    async with (
        AsyncLimpet(server.url, **PATIENT) as dead,
        AsyncLimpet(server.url, **PATIENT) as two,
    ):
        await dead.queue("b").push(b"bad")
        await dead.queue("b").pop()
        await two.fail_worker(dead.worker or "")
        waiting = asyncio.create_task(two.queue("a").pop(wait=20))
        await until_blocked(plain)

        (bad,) = await two.queue("b").pop()
        pushed = await two.queue("a").push(b"innocent")
        await asyncio.to_thread(wait_until, lambda: plain.exists("limpet:{a}:front"))

        assert (bad.crashes, two.hands.burden, waiting.done()) == (1, "alone", False)
        await two.queue("b").ack(bad)
        (innocent,) = await waiting
        assert (innocent.id, innocent.crashes) == (pushed.id, 0)


@pytest.fixture
def without_waiting(plain: redis.Redis) -> Iterator[None]:
    """Nobody may wait on the server."""
    plain.execute_command("ACL", "SETUSER", "default", "-blpop")
    yield
    plain.execute_command("ACL", "SETUSER", "default", "+blpop")


@pytest.mark.usefixtures("without_waiting")
async def test_jobs_that_came_with_a_refused_wait_are_given_back(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The wait is refused, the pop behind it is not: it is known that this may have happened."""
    async with AsyncLimpet(server.url, **PATIENT) as one, AsyncLimpet(server.url) as other:
        await one.queue("q").pop()
        wait = one.link._listen_and_send

        async def push_first(*step: object) -> object:
            await other.queue("q").push(b"a")
            return await wait(*step)  # type: ignore[arg-type]

        monkeypatch.setattr(one.link, "_listen_and_send", push_first)
        with pytest.raises(BackendError, match="refused"):
            await one.queue("q").pop(wait=20)

        monkeypatch.undo()
        (job,) = await one.queue("q").pop()
        assert (job.payload, job.deliveries, job.crashes) == (b"a", 2, 0)


async def test_many_calls_at_once_leave_room_for_a_listener(server: Server) -> None:
    """Few of their connections are kept."""
    async with AsyncLimpet(server.url) as limpet:
        await asyncio.gather(*(limpet.queue("q").push(b"a") for _ in range(100)))

        events = limpet.events("q")
        await events.open()
        await events.close()


def test_a_client_that_only_pushed_is_gone_at_once(server: Server, plain: redis.Redis) -> None:
    """Nothing leads from a client back to itself, also after its first answer was an error."""
    plain.script_flush()
    gc.disable()
    try:
        limpet = Limpet(server.url)
        limpet.queue("q").push(b"a")
        gone = weakref.ref(limpet)
        del limpet
        assert gone() is None
    finally:
        gc.enable()


def test_names_that_are_too_long_are_not_kept() -> None:
    """They come from payloads of anybody."""
    before = names._is_name.cache_info().currsize

    assert not names.is_name("x" * (names.MAX_NAME + 1))

    assert names._is_name.cache_info().currsize == before

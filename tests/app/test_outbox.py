"""Calls of `aenqueue` made at the same time share a round trip."""

import asyncio
from typing import Any

import pytest

from limpet import App
from limpet.errors import BackendError, Duplicate, PayloadError
from tests.support.servers import Server


@pytest.fixture
def app(server: Server, plain: Any) -> App:
    """An app on the test's server."""
    return App(server.url)


def pushes(plain: Any) -> int:
    """Count the scripts the server ran."""
    found = plain.info("commandstats")
    return sum(found.get(f"cmdstat_{name}", {}).get("calls", 0) for name in ("evalsha", "eval"))


def test_calls_of_one_moment_share_a_round_trip(app: App, plain: Any) -> None:
    """A hundred at once are one request; each gets its own id, in the order of the calls."""

    @app.task(name="add")
    def add(a: int) -> None: ...

    async def main() -> tuple[list[str], int]:
        await add.aenqueue(-1)
        before = pushes(plain)
        handles = await asyncio.gather(*[add.aenqueue(n) for n in range(100)])
        spent = pushes(plain) - before
        await app.aclose()
        return [handle.id for handle in handles], spent

    ids, spent = asyncio.run(main())

    assert spent == 1
    jobs = plain.hgetall("limpet:{default}:jobs")
    assert [jobs[i.encode()] for i in ids] == [
        f'{{"task":"add","args":[{n}]}}'.encode() for n in range(100)
    ]


def test_each_queue_has_a_round_trip_of_its_own(app: App, plain: Any) -> None:
    """Jobs of two queues cannot go in one step."""

    @app.task(name="add")
    def add(a: int) -> None: ...

    async def main() -> None:
        calls = [add.using(queue=name).aenqueue(1) for name in ("a", "b", "a")]
        await asyncio.gather(*calls)
        await app.aclose()

    asyncio.run(main())

    assert [plain.llen(f"limpet:{{{name}}}:waiting") for name in "ab"] == [2, 1]


def test_a_wrong_call_harms_no_other(app: App, plain: Any) -> None:
    """Who sends what cannot travel, or a twin where that raises, hears it alone."""

    @app.task(name="add", unique="waiting", on_twin="raise")
    def add(a: object) -> None: ...

    async def main() -> list[Any]:
        calls = [add.aenqueue(a) for a in (1, object(), 1, 2)]
        found = await asyncio.gather(*calls, return_exceptions=True)
        await app.aclose()
        return found

    first, unfit, twin, last = asyncio.run(main())

    assert isinstance(unfit, PayloadError)
    assert isinstance(twin, Duplicate)
    assert plain.llen("limpet:{default}:waiting") == 2
    assert first.created
    assert last.created


def test_who_gives_up_waiting_stops_nobody(app: App, plain: Any) -> None:
    """The jobs of the others get there."""

    @app.task(name="add")
    def add(a: int) -> None: ...

    async def main() -> list[Any]:
        tasks = [asyncio.ensure_future(add.aenqueue(n)) for n in range(3)]
        await asyncio.sleep(0)
        tasks[0].cancel()
        found = await asyncio.gather(*tasks, return_exceptions=True)
        await app.aclose()
        return found

    first, *others = asyncio.run(main())

    assert isinstance(first, asyncio.CancelledError)
    assert all(handle.created for handle in others)


def test_all_hear_that_the_server_is_gone(tmp_path: Any) -> None:
    """Each call raises."""
    app = App(f"unix://{tmp_path}/nobody.sock", timeout=0.2)

    @app.task(name="add")
    def add(a: int) -> None: ...

    async def main() -> list[Any]:
        calls = [add.aenqueue(n) for n in range(3)]
        return await asyncio.gather(*calls, return_exceptions=True)

    assert [type(error) for error in asyncio.run(main())] == [BackendError] * 3

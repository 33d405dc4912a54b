"""Never run, only type-checked: the public API as users write it."""

from typing import assert_type

from limpet import AsyncLimpet, Claim, Delivery, Item, JobView, Limpet, Pushed, Queue, Report, Stats


def blocking() -> None:
    """The blocking flavour."""
    with Limpet("redis://localhost", heartbeat="1s", lease="10s") as limpet:
        queue = limpet.queue("mail", unique="waiting", lock=lambda payload: payload[:1])
        assert_type(queue, Queue)
        assert_type(queue.push(b"x", delay="1m"), Pushed)
        assert_type(queue.push_many([b"a", "b", Item(b"c", key="k")]), list[Pushed])
        found = queue.pop(count=10, wait="5s")
        assert_type(found, list[Delivery])
        assert_type(queue.ack(*found), list[str])
        assert_type(queue.ack_and_pop(found, count=5), tuple[list[str], list[Delivery]])
        assert_type(queue.claim(), Claim)
        assert_type(queue.peek(), JobView | None)
        assert_type(queue.stats(), Stats)
        assert_type(queue.verify(), Report)
        assert_type(limpet.pop("high", "low", wait=None), list[Delivery])


async def asynchronous() -> None:
    """The asyncio flavour."""
    async with AsyncLimpet() as limpet:
        queue = limpet.queue("mail")
        assert_type(await queue.push(b"x"), Pushed)
        assert_type(await queue.pop(), list[Delivery])
        async for event in queue.events():
            assert_type(event.count, int)


def mistakes(queue: Queue) -> None:
    """What must not type-check."""
    queue.push(7)  # type: ignore[arg-type]
    queue.push(b"x", unique="sometimes")  # type: ignore[arg-type]
    queue.push(b"x", colour="red")  # type: ignore[call-arg]
    queue.pop("10")  # type: ignore[arg-type]

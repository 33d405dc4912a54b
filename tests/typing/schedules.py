"""Never run, only type-checked: schedules as users write them."""

from typing import assert_type

from limpet import App, AsyncLimpet, Item, Limpet, Pushed, ScheduleView

app = App(name="shop")


@app.task(queue="chores")
def clean(room: str, *, deep: bool = False) -> None:
    """Do a chore."""


def declared() -> None:
    """What an app declares; the call itself is checked in an item."""
    app.cron("nightly", "0 3 * * *", clean, "kitchen", deep=True, tz="Europe/Berlin")
    app.cron("nightly", "0 3 * * *", clean.item("kitchen", deep=True), missed="skip")
    app.every("tidy", "15m", clean.using(front=True), "desk", overlap="queue")
    app.every("tidy", 60, clean.item("desk"))
    assert_type(app.schedules(), list[ScheduleView])
    assert_type(app.unschedule("nightly"), bool)


def queues(limpet: Limpet) -> None:
    """What a queue does by itself."""
    queue = limpet.queue("q")
    assert_type(queue.schedule("n", Item(b"x", lock="l"), "0 3 * * *", tz="UTC"), bool)
    assert_type(queue.schedules(), list[ScheduleView])
    assert_type(queue.run_schedule("n"), Pushed | None)


async def asynchronous(limpet: AsyncLimpet) -> None:
    """The same with asyncio."""
    assert_type(await limpet.queue("q").schedule("n", b"x", every="15m"), bool)
    assert_type(await app.aschedules(), list[ScheduleView])
    assert_type(await app.aunschedule("nightly"), bool)


def mistakes(limpet: Limpet) -> None:
    """What must not type-check."""
    app.cron("n", "0 3 * * *", print, "x")  # type: ignore[call-overload]
    app.cron("n", "0 3 * * *", clean.item(7))  # type: ignore[arg-type]
    app.cron("n", "0 3 * * *", clean.item("kitchen"), missed="never")  # type: ignore[call-overload]
    limpet.queue("q").schedule("n", b"x", overlap="wait")  # type: ignore[arg-type]

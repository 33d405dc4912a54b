"""Schedules that an app declares."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import redis

from limpet.app.app import App
from limpet.errors import ConfigError
from limpet.values import ScheduleView
from tests.support.servers import Server

Make = Callable[..., App]


@pytest.fixture
def make(server: Server, plain: redis.Redis) -> Iterator[Make]:
    """Make apps on an empty server."""
    made: list[App] = []

    def app(**options: Any) -> App:
        made.append(App(server.url, **options))
        return made[-1]

    yield app
    for app_ in made:
        app_.close()


def shop(app: App, name: str = "shop.clean") -> Any:
    """Give an app a task."""

    @app.task(name=name, queue="chores", unique=("what",))
    def clean(what: str, *, deep: bool = False) -> str:
        return f"{what} {deep}"

    return clean


def seen(app: App) -> list[tuple[str, str, str | None]]:
    """Name the schedules on the server."""
    return [(view.name, view.queue, view.task) for view in app.schedules()]


def test_a_declared_schedule_is_written_by_who_starts(make: Make) -> None:
    """With the queue and the options of its task; nothing was sent before."""
    app = make(name="shop")
    app.cron("nightly", "0 3 * * *", shop(app), "floor", deep=True, tz="Europe/Berlin")
    assert app.schedules() == []

    app.save_schedules()

    (view,) = app.schedules()
    assert isinstance(view, ScheduleView)
    assert (view.name, view.queue, view.task) == ("nightly", "chores", "shop.clean")
    assert (view.cron, view.tz, view.owner) == ("0 3 * * *", "Europe/Berlin", "shop")
    assert b"floor" in view.payload


def test_a_run_is_a_call_of_the_task(make: Make) -> None:
    """Just as if it had been enqueued."""
    app = make()
    clean = shop(app)
    app.every("often", "1h", clean, "floor")
    app.save_schedules()
    queue = app.limpet.queue("chores")

    queue.run_schedule("often")
    twin = clean.enqueue("floor")

    assert not twin.created
    assert queue.peek().payload == app.schedules()[0].payload


async def test_without_blocking_the_loop(make: Make) -> None:
    """The async twins do the same."""
    app = make()
    app.cron("nightly", "0 3 * * *", shop(app).item("floor"))

    await app.asave_schedules()

    assert [view.name for view in await app.aschedules()] == ["nightly"]
    assert await app.aunschedule("nightly")
    assert not await app.aunschedule("nightly")
    await app.aclose()


def test_what_is_no_longer_declared_is_removed(make: Make) -> None:
    """Also when its task went to another queue; what others made by hand stays."""
    old, new = make(name="shop"), make(name="shop")
    task = shop(old)
    old.cron("kept", "0 3 * * *", task, "floor")
    old.cron("gone", "0 4 * * *", task, "floor")
    old.cron("moved", "0 5 * * *", task, "floor")
    old.save_schedules()
    old.limpet.queue("chores").schedule("by hand", b"x", "0 6 * * *")

    task = shop(new)
    new.cron("kept", "0 3 * * *", task, "floor")
    new.cron("moved", "0 5 * * *", task.using(queue="other"), "floor")
    new.save_schedules()

    assert sorted(seen(new)) == [
        ("by hand", "chores", None),
        ("kept", "chores", "shop.clean"),
        ("moved", "other", "shop.clean"),
    ]


def test_apps_do_not_remove_each_others_schedules(make: Make) -> None:
    """Neither those with names, nor two that were given none and have other tasks."""
    apps = [make(name="shop"), make(name="bank"), make(), make()]
    names = ("shop.clean", "bank.close", "news.print", "blog.write")
    for app, name in zip(apps, names, strict=True):
        app.cron(name, "0 3 * * *", shop(app, name), "floor")
        app.save_schedules()

    for app in apps:
        app.save_schedules()

    assert sorted(name for name, _, _ in seen(apps[0])) == sorted(names)


def test_the_last_schedule_of_an_app_is_removed_too(make: Make) -> None:
    """An app that declares none any more still knows its name, or its tasks."""
    for options in ({"name": "shop"}, {}):
        old, new = make(**options), make(**options)
        old.cron("nightly", "0 3 * * *", shop(old), "floor")
        old.save_schedules()
        shop(new, "shop.other")

        new.save_schedules()

        assert new.schedules() == []


def test_a_schedule_can_be_removed_by_name(make: Make) -> None:
    """In whichever queue it is."""
    app = make()
    app.cron("nightly", "0 3 * * *", shop(app), "floor")
    app.save_schedules()

    assert app.unschedule("nightly")
    assert not app.unschedule("nightly")


def test_a_wrong_declaration_fails_where_it_stands(make: Make) -> None:
    """Arguments that do not fit, nonsense, a name taken twice, a task of another app."""
    app, other = make(), make()
    clean = shop(app)
    app.cron("nightly", "0 3 * * *", clean, "floor")
    app.cron("nightly", "0 3 * * *", clean, "floor")  # the same again: a module that is reloaded

    with pytest.raises(TypeError):
        app.cron("wrong", "0 3 * * *", clean)
    with pytest.raises(TypeError):
        app.cron("wrong", "0 3 * * *", clean, "floor", wet=True)
    with pytest.raises(ConfigError, match="Bad minute"):
        app.cron("wrong", "61 * * * *", clean, "floor")
    with pytest.raises(ConfigError, match="no time zone 'Atlantis'"):
        app.cron("wrong", "0 3 * * *", clean, "floor", tz="Atlantis")
    with pytest.raises(ConfigError, match="two schedules named 'nightly'"):
        app.cron("nightly", "0 4 * * *", clean, "floor")
    with pytest.raises(ConfigError, match="belongs to another app"):
        other.cron("wrong", "0 3 * * *", clean, "floor")
    with pytest.raises(ConfigError, match="leave out id"):
        app.cron("wrong", "0 3 * * *", clean.using(id="own"), "floor")
    with pytest.raises(ConfigError, match="runs a task of this app"):
        app.cron("wrong", "0 3 * * *", print, "floor")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="are in the item"):
        app.cron("wrong", "0 3 * * *", clean.item("floor"), "wall")
    with pytest.raises(ConfigError, match="at least 100 ms"):
        app.every("wrong", 0, clean, "floor")

    app.save_schedules()
    assert [name for name, _, _ in seen(app)] == ["nightly"]

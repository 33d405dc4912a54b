"""`limpet cron`: look at schedules, remove one, run one now."""

from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import click

from limpet.cli import ends
from limpet.cli.options import connect, json_option, url_option, verbose_option
from limpet.cli.output import span, write_json, write_table

if TYPE_CHECKING:
    from limpet.sync import Limpet
    from limpet.tasks.cron import Timing
    from limpet.values import ScheduleView

#: An expression has at least so many fields; the name of a schedule may have spaces as well.
_FIELDS = 5


@click.group()
def cron() -> None:
    """Look at schedules, remove one, run one now."""


queue_option = click.option(
    "-q", "--queue", metavar="QUEUE", help="The queue, if several have a schedule of that name."
)


@cron.command()
@url_option
@json_option
@verbose_option
def ls(url: str | None, *, as_json: bool) -> None:
    """List the schedules of all queues, the next to fire first."""
    with connect(url) as client:
        found = _all(client)
        now_ms = _now_ms(client)
    if as_json:
        write_json([_as_json(view) for view in found])
        return
    if not found:
        click.echo("there are no schedules; app.cron(...) declares one", err=True)
        return
    rows = [_row(view, now_ms) for view in found]
    write_table(("schedule", "queue", "when", "runs", "next", "in"), rows, left=5)


@cron.command("next")
@click.argument("which", metavar="NAME|EXPRESSION")
@click.option("-n", "count", default=10, show_default=True, type=click.IntRange(1, 1000))
@click.option("--tz", default=None, help="The time zone; else that of the schedule, or UTC.")
@queue_option
@url_option
@json_option
@verbose_option
def next_(
    which: str, count: int, tz: str | None, queue: str | None, url: str | None, *, as_json: bool
) -> None:
    """Show the next times of a schedule, or of an expression such as "0 3 * * *"."""
    from dataclasses import replace
    from itertools import islice

    from limpet.tasks.cron import timing

    if len(which.split()) >= _FIELDS:
        when = timing(which, tz=tz or "UTC")
        now_ms = round(datetime.now(UTC).timestamp() * 1000)
    else:
        with connect(url) as client:
            when, now_ms = _timing(_one(client, which, queue)), _now_ms(client)
        when = replace(when, tz=tz or when.tz)
    times = [_moment(ms, when.tz) for ms in islice(when.times_after(now_ms), count)]
    if as_json:
        write_json([time.isoformat() for time in times])
    else:
        click.echo("\n".join(f"{time:%a %Y-%m-%d %H:%M:%S %z}" for time in times))


@cron.command()
@click.argument("name")
@queue_option
@url_option
@verbose_option
def rm(name: str, queue: str | None, url: str | None) -> None:
    """Remove the schedule NAME; jobs that it pushed stay.

    If an app still declares it, the next worker that starts writes it again.
    """
    with connect(url) as client:
        view = _one(client, name, queue)
        client.queue(view.queue).unschedule(name)
    click.echo(f"schedule {name!r} of queue {view.queue!r} is removed", err=True)
    if view.owner:
        click.echo(f"app {view.owner!r} declared it: take it out there too", err=True)


@cron.command()
@click.argument("name")
@queue_option
@url_option
@verbose_option
def run(name: str, queue: str | None, url: str | None) -> None:
    """Push the job of the schedule NAME now, once; its times stay. Prints the job's id."""
    with connect(url) as client:
        view = _one(client, name, queue)
        pushed = client.queue(view.queue).run_schedule(name)
    if pushed is None:
        raise ends.Refused(f"schedule {name!r} was changed or removed just now", ends.WRONG)
    click.echo(pushed.id)


def _all(client: "Limpet") -> list["ScheduleView"]:
    found = [view for queue in client.queues() for view in client.queue(queue).schedules()]
    return sorted(found, key=lambda view: (view.next_at, view.queue, view.name))


def _one(client: "Limpet", name: str, queue: str | None) -> "ScheduleView":
    """Find a schedule by its name; one that is not there, or twice, is an error."""
    there = _all(client)
    found = [view for view in there if view.name == name and queue in (None, view.queue)]
    if not found:
        names = ", ".join(sorted({view.name for view in there})) or "none"
        raise ends.Refused(f"no schedule is called {name!r}; there are: {names}", ends.USAGE)
    if len(found) > 1:
        queues = ", ".join(view.queue for view in found)
        raise ends.Refused(f"{name!r} is in several queues: {queues}; say -q", ends.USAGE)
    return found[0]


def _now_ms(client: "Limpet") -> int:
    """Ask the server what time it is."""
    seconds, micros = client.link.raw("TIME")
    return int(seconds) * 1000 + int(micros) // 1000


def _timing(view: "ScheduleView") -> "Timing":
    from limpet.tasks.cron import timing

    every = None if view.every_ms is None else view.every_ms / 1000
    return timing(view.cron, every=every, tz=view.tz)


def _moment(ms: int, tz: str) -> datetime:
    return datetime.fromtimestamp(ms / 1000, UTC).astimezone(_zone(tz))


def _zone(tz: str) -> ZoneInfo:
    from limpet.tasks.zones import zone_of

    return zone_of(tz)


def _when(view: "ScheduleView") -> str:
    if view.every_ms is not None:
        return f"every {span(view.every_ms)}"
    return f"{view.cron} {view.tz}" if view.cron else "cannot be read"


def _row(view: "ScheduleView", now_ms: int) -> list[str]:
    left_ms = view.next_at - now_ms
    left = span(left_ms) if left_ms > 0 else "due"
    what = view.task or f"{len(view.payload)} bytes"
    due = f"{datetime.fromtimestamp(max(view.next_at, 0) / 1000, UTC):%Y-%m-%d %H:%M:%S}Z"
    return [view.name, view.queue, _when(view), what, due, left]


def _as_json(view: "ScheduleView") -> dict[str, object]:
    said = asdict(view) | {"task": view.task}
    return said | {"payload": view.payload.decode("utf-8", "backslashreplace")}

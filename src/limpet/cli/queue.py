"""`limpet queue`: stop a queue, let it go on, drop it."""

import shlex
from typing import TYPE_CHECKING

import click

from limpet.cli import ends
from limpet.cli.options import connect, url_option, verbose_option
from limpet.cli.verify import known

if TYPE_CHECKING:
    from limpet.values import Stats


@click.group()
def queue() -> None:
    """Pause a queue, let it go on, drop it."""


@queue.command()
@click.argument("name")
@url_option
@verbose_option
def pause(name: str, url: str | None) -> None:
    """Hand out no more jobs of the queue NAME; running ones go on, and so do pushes."""
    with connect(url) as client:
        line = known(client, name)
        line.pause()
        running = line.stats().running
    go_on = f"limpet queue unpause {shlex.quote(name)}"
    click.echo(f"queue {name!r} is paused ({running} running); {go_on} lets it go on", err=True)


@queue.command()
@click.argument("name")
@url_option
@verbose_option
def unpause(name: str, url: str | None) -> None:
    """Hand out jobs of the queue NAME again."""
    with connect(url) as client:
        line = known(client, name)
        before = line.stats()
        line.unpause()
    said = "goes on" if before.paused else "was not paused"
    click.echo(f"queue {name!r} {said} ({before.waiting} waiting)", err=True)


@queue.command()
@click.argument("name")
@click.option("--yes", is_flag=True, help="Really; it cannot be undone.")
@url_option
@verbose_option
def drop(name: str, url: str | None, *, yes: bool) -> None:
    """Drop the queue NAME with all its jobs, running and dead ones too, results and schedules.

    Running jobs are not stopped, but what their workers answer changes nothing any more.
    """
    with connect(url) as client:
        line = known(client, name)
        lost = _contents(line.stats(), len(line.schedules()))
        if not yes:
            said = f"queue {name!r} would be lost for good, with {lost}"
            raise ends.Refused(f"{said}; say --yes if that is meant", ends.USAGE)
        line.drop()
    click.echo(f"queue {name!r} is dropped, with {lost}", err=True)


def _contents(stats: "Stats", schedules: int) -> str:
    """Count what a drop takes away."""
    from limpet.tasks.words import many

    counts = {"running": stats.running, "dead": stats.dead}
    of_which = ", ".join(f"{count:,} {name}" for name, count in counts.items() if count)
    jobs = many(stats.pending + stats.scheduled + stats.dead, "job")
    said = f"{jobs} ({of_which})" if of_which else jobs
    return f"{said} and {many(schedules, 'schedule')}" if schedules else said

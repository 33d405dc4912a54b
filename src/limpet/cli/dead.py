"""`limpet dead`: look at dead jobs, give them another life, forget them."""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

import click

from limpet.cli import ends
from limpet.cli.options import connect, json_option, url_option, verbose_option
from limpet.cli.output import write_json, write_table
from limpet.cli.verify import known
from limpet.cli.views import first_line, text_of, time_of, view_as_json

if TYPE_CHECKING:
    from limpet.sync import Limpet, Queue
    from limpet.values import JobView

F = TypeVar("F", bound=Callable[..., Any])

#: So many are read in one round trip.
_PAGE = 100
#: So much is shown of a payload that is no call of a task, and so many ids in one line.
_GLIMPSE = 32
_FEW = 3


@click.group()
def dead() -> None:
    """Look at dead jobs, give them another life or forget them."""


queue_option = click.option(
    "-q", "--queue", metavar="QUEUE", help="Their queue; else all queues are looked at."
)


@dead.command()
@queue_option
@click.option(
    "-n",
    "count",
    metavar="N",
    default=20,
    show_default=True,
    type=click.IntRange(1),
    help="How many.",
)
@url_option
@json_option
@verbose_option
def ls(queue: str | None, count: int, url: str | None, *, as_json: bool) -> None:
    """List dead jobs and why they were given up, the newest first."""
    with connect(url) as client:
        lines = _lines(client, queue)
        found = [view for line in lines for view in islice(_walk(line, count), count)]
        total = sum(line.stats().dead for line in lines)
    shown = sorted(found, key=lambda view: view.at or 0, reverse=True)[:count]
    if as_json:
        write_json([_as_json(view) for view in shown])
        return
    if not shown:
        click.echo("no job is dead", err=True)
        return
    heads = ("job", "queue", "task or payload", "given up", "deliveries", "reason")
    write_table(heads, [_row(view) for view in shown], left=6, cut=5)
    if len(shown) < total:
        click.echo(f"these are the newest {len(shown)} of {total}; -n shows more", err=True)


def chosen_jobs(command: F) -> F:
    """Let the user name dead jobs, or say that all are meant."""
    command = url_option(verbose_option(command))
    command = click.option("--all", "every", is_flag=True, help="All that are dead now.")(command)
    return click.argument("ids", metavar="[ID]...", nargs=-1)(queue_option(command))


@dead.command()
@chosen_jobs
def retry(ids: tuple[str, ...], queue: str | None, url: str | None, *, every: bool) -> int:
    """Give dead jobs another life: those named by ID, or --all.

    They go to the end of their queue. One stays dead if another job with its unique key is
    queued by now. Exit code 1 if not all that were named live again.
    """
    _check_choice(ids, every=every)
    with connect(url) as client:
        chosen = _all(client, queue) if every else _named(client, queue, ids)
        stay = {name: _revive(client.queue(name), part) for name, part in chosen.items()}
    return _code(ids, chosen) or (ends.WRONG if any(stay.values()) else ends.FINE)


@dead.command()
@chosen_jobs
def purge(ids: tuple[str, ...], queue: str | None, url: str | None, *, every: bool) -> int:
    """Forget dead jobs for good: those named by ID, or --all.

    Exit code 1 if one that was named is not dead.
    """
    _check_choice(ids, every=every)
    with connect(url) as client:
        chosen = _all(client, queue) if every else _named(client, queue, ids)
        purged = {name: client.queue(name).purge(*part) for name, part in chosen.items()}
    for name, count in purged.items():
        _tell("forgotten", count, name)
    return _code(ids, chosen)


# -- choosing them --------------------------------------------------------------------------


def _lines(client: "Limpet", queue: str | None) -> list["Queue"]:
    if queue is not None:
        return [known(client, queue)]
    return [client.queue(name) for name in client.queues()]


def _walk(line: "Queue", most: int = _PAGE) -> Iterator["JobView"]:
    """Go through the dead list of a queue; those who die meanwhile move the others on."""
    start, page, seen = 0, min(most, _PAGE), set[str]()
    while found := line.dead(start, page):
        yield from (view for view in found if view.id not in seen)
        seen.update(view.id for view in found)
        start += page


def _check_choice(ids: tuple[str, ...], *, every: bool) -> None:
    if every and ids:
        raise click.UsageError("Name jobs by their ids or say --all, not both")
    if not every and not ids:
        raise click.UsageError("Name jobs by their ids, or say --all")


def _all(client: "Limpet", queue: str | None) -> dict[str, list[str]]:
    """Read by queue who is dead now: who dies again after a retry is not given a third life."""
    found = {line.name: [view.id for view in _walk(line)] for line in _lines(client, queue)}
    if not any(found.values()):
        click.echo("no job is dead", err=True)
    return {name: part for name, part in found.items() if part}


def _named(client: "Limpet", queue: str | None, ids: tuple[str, ...]) -> dict[str, list[str]]:
    """Find dead jobs by their ids; one in two queues is an error before anything is done."""
    lines, chosen = _lines(client, queue), dict[str, list[str]]()
    for job_id in dict.fromkeys(ids):
        names = [line.name for line in lines if _is_dead(line, job_id)]
        if len(names) > 1:
            said = f"{job_id!r} is dead in several queues: {', '.join(names)}; say -q"
            raise ends.Refused(said, ends.USAGE)
        for name in names:
            chosen.setdefault(name, []).append(job_id)
    return chosen


def _is_dead(line: "Queue", job_id: str) -> bool:
    view = line.job(job_id)
    return view is not None and view.state == "dead"


def _revive(line: "Queue", ids: list[str]) -> list[str]:
    """Give jobs another life; answers those that stay dead, and says why."""
    revived = line.revive(*ids)
    _tell("given another life", len(revived), line.name)
    done = set(revived)
    stay = [job_id for job_id in ids if job_id not in done and _is_dead(line, job_id)]
    if stay:
        said = "other jobs with their unique keys are queued; cancel those first"
        click.echo(f"still dead in queue {line.name!r}: {_few(stay)}: {said}", err=True)
    return stay


# -- telling of them ------------------------------------------------------------------------


def _tell(what: str, count: int, queue: str) -> None:
    if count:
        click.echo(f"{what}: {count} of queue {queue!r}", err=True)


def _code(ids: tuple[str, ...], chosen: dict[str, list[str]]) -> int:
    """Name those that are not dead; they are what the exit code is about."""
    found = {job_id for part in chosen.values() for job_id in part}
    missing = [job_id for job_id in dict.fromkeys(ids) if job_id not in found]
    for job_id in missing:
        click.echo(f"no dead job has the id {job_id!r}; see limpet job explain {job_id}", err=True)
    return ends.WRONG if missing else ends.FINE


def _few(ids: list[str]) -> str:
    rest = len(ids) - _FEW
    return ", ".join(ids[:_FEW]) + (f" and {rest} more" if rest > 0 else "")


def _what(view: "JobView") -> str:
    from limpet.values import task_of

    task = task_of(view.payload)
    glimpse = text_of(view.payload[: 4 * _GLIMPSE])[:_GLIMPSE]  # a letter has up to 4 bytes
    return first_line(glimpse if task is None else task)


def _row(view: "JobView") -> list[str]:
    when, reason = time_of(view.at or 0), first_line(view.reason or "")
    return [view.id, view.queue, _what(view), when, str(view.deliveries), reason]


def _as_json(view: "JobView") -> dict[str, object]:
    from limpet.values import task_of

    return view_as_json(view) | {"task": task_of(view.payload)}

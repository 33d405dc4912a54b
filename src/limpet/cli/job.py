"""`limpet job`: look at one job, say why it does not run, cancel it, give it another life."""

from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TypeVar

import click

from limpet.cli import ends
from limpet.cli.options import connect, json_option, url_option, verbose_option
from limpet.cli.output import write_json
from limpet.cli.views import text_of, time_of, view_as_json

if TYPE_CHECKING:
    from limpet.sync import Limpet, Queue
    from limpet.values import JobView

F = TypeVar("F", bound=Callable[..., Any])


@click.group()
def job() -> None:
    """Look at one job, say why it does not run, cancel or retry it."""


def one_job(command: F) -> F:
    """Let the user name a job, its queue and the server."""
    queue_option = click.option(
        "-q", "--queue", metavar="QUEUE", help="Its queue; else all queues are looked at."
    )
    named = click.argument("job_id", metavar="ID")(queue_option(command))
    return url_option(json_option(verbose_option(named)))


@job.command()
@one_job
def show(job_id: str, queue: str | None, url: str | None, *, as_json: bool) -> None:
    """Show where the job ID is, and what is in it."""
    with connect(url) as client:
        view = _one(client, job_id, queue)
    if as_json:
        write_json(view_as_json(view))
        return
    for name, text in _lines(view):
        click.echo(f"{name:<11} {text}")


@job.command()
@one_job
def explain(job_id: str, queue: str | None, url: str | None, *, as_json: bool) -> None:
    """Say in words why the job ID does not run, and what to do about it."""
    with connect(url) as client:
        lines = _queues(client, queue)
        said = [found for line in lines if (found := line.explain(job_id)) is not None]
    _check_one(job_id, [found.queue for found in said])
    if as_json:
        write_json(asdict(said[0]))
    else:
        click.echo(str(said[0]))


@job.command()
@one_job
def cancel(job_id: str, queue: str | None, url: str | None, *, as_json: bool) -> None:
    """Cancel the job ID. If it runs, its worker is told to end it."""
    with connect(url) as client:
        view = _one(client, job_id, queue)
        _check_not_dead(view)
        if not client.queue(view.queue).cancel(id=job_id):
            raise ends.Refused(f"job {job_id} ended just now", ends.WRONG)
        left = client.queue(view.queue).job(job_id)
    said = "cancelled" if left is None else "told"
    if as_json:
        write_json({"queue": view.queue, "id": job_id, "answer": said})
        return
    how = "is cancelled" if left is None else "runs: its worker is told to end it"
    click.echo(f"job {job_id} of queue {view.queue!r} {how}", err=True)


@job.command()
@one_job
def retry(job_id: str, queue: str | None, url: str | None, *, as_json: bool) -> None:
    """Give the dead job ID another life, at the end of its queue."""
    with connect(url) as client:
        view = _one(client, job_id, queue)
        if view.state != "dead":
            raise ends.Refused(
                f"job {job_id} is {view.state}, not dead; see limpet job explain {job_id}",
                ends.WRONG,
            )
        if not client.queue(view.queue).revive(job_id):
            said = "it stays dead: another job with its unique key is queued"
            raise ends.Refused(f"{said}; cancel that one first", ends.WRONG)
    if as_json:
        write_json({"queue": view.queue, "id": job_id, "answer": "revived"})
        return
    click.echo(f"job {job_id} of queue {view.queue!r} waits again", err=True)


@job.command()
@one_job
def log(job_id: str, queue: str | None, url: str | None, *, as_json: bool) -> None:
    """Show what the job ID told about itself while it runs, or ran if it is dead."""
    with connect(url) as client:
        view = _one(client, job_id, queue)
        told = client.queue(view.queue).notes(job_id)
    if as_json:
        write_json({"queue": view.queue, "id": job_id, **asdict(told)})
        return
    if told.fraction is not None:
        click.echo(f"progress {told.fraction:.0%} {told.text}".rstrip(), err=True)
    if not told.log:
        click.echo(f"job {job_id} has logged nothing", err=True)
    for at, line in told.log:
        click.echo(f"{time_of(at)}  {line}")


# -- finding it -----------------------------------------------------------------------------


def _queues(client: "Limpet", queue: str | None) -> list["Queue"]:
    names = client.queues() if queue is None else [queue]
    return [client.queue(name) for name in names]


def _one(client: "Limpet", job_id: str, queue: str | None) -> "JobView":
    """Find a job by its id; one that is not there, or in two queues, is an error."""
    lines = _queues(client, queue)
    found = [view for line in lines if (view := line.job(job_id)) is not None]
    _check_one(job_id, [view.queue for view in found])
    return found[0]


def _check_one(job_id: str, queues: list[str]) -> None:
    if not queues:
        raise ends.Refused(
            f"no job has the id {job_id!r}: it ended, or it is on another server"
            " (limpet status names this one)",
            ends.WRONG,
        )
    if len(queues) > 1:
        raise ends.Refused(
            f"{job_id!r} is in several queues: {', '.join(queues)}; say -q", ends.USAGE
        )


def _check_not_dead(view: "JobView") -> None:
    if view.state == "dead":
        raise ends.Refused(
            f"job {view.id} is dead, there is nothing to cancel; limpet job retry {view.id}"
            " gives it another life",
            ends.WRONG,
        )


# -- writing it -----------------------------------------------------------------------------


def _lines(view: "JobView") -> list[tuple[str, str]]:
    """Say what is known, one line each; what there is not is left out."""
    from limpet.values import task_of

    at_is = {"scheduled": "due", "running": "delivered", "dead": "given up"}
    said = {
        "job": view.id,
        "queue": view.queue,
        "state": view.state.value,
        "enqueued": time_of(view.enqueued_at) if view.enqueued_at else "",
        at_is.get(view.state, "at"): time_of(view.at) if view.at else "",
        "worker": view.worker or "",
        "deliveries": str(view.deliveries),
        "crashes": str(view.crashes),
        "retries": str(view.retries),
        "unique": text_of(view.unique or b""),
        "lock": text_of(view.lock or b""),
        "reason": view.reason or "",
        "task": task_of(view.payload) or "",
        "payload": text_of(view.payload),
    }
    return [(name, text) for name, text in said.items() if text]

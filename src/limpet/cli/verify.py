"""`limpet verify`: look for anything inconsistent in a queue."""

from typing import TYPE_CHECKING

import click

from limpet.cli import ends
from limpet.cli.options import connect, json_option, url_option, verbose_option
from limpet.cli.output import write_json, write_table

if TYPE_CHECKING:
    from limpet.sync import Limpet, Queue
    from limpet.values import Report


@click.command()
@click.argument("queue")
@url_option
@json_option
@verbose_option
def verify(queue: str, url: str | None, *, as_json: bool) -> int:
    """Look for anything inconsistent in QUEUE; nothing is changed.

    Exit code 1 if something was found: limpet repair QUEUE mends it.
    """
    with connect(url) as client:
        report = known(client, queue).verify()
    write_report(report, as_json=as_json)
    if report.ok:
        click.echo(f"queue {queue!r} is fine", err=True)
        return ends.FINE
    found = len(report.problems)
    click.echo(f"queue {queue!r}: {found} found; limpet repair {queue} mends them", err=True)
    return ends.WRONG


def known(client: "Limpet", name: str) -> "Queue":
    """Get a queue that is there: a mistyped name must not pass for one in order."""
    queue = client.queue(name)
    names = client.queues()
    if name not in names and not client.link.raw("EXISTS", *_keys(name)):
        there = ", ".join(names) or "none"
        raise ends.Refused(
            f"no queue is called {name!r} on {client.link.target}; there are: {there}", ends.USAGE
        )
    return queue


def _keys(name: str) -> list[str]:
    from limpet.keys import KEYS, queue_keys

    return list(queue_keys(name).pick(tuple(spec.name for spec in KEYS)))


def write_report(report: "Report", *, as_json: bool) -> None:
    """Write what was found, one line each."""
    problems = [(problem.kind, problem.subject) for problem in report.problems]
    if as_json:
        rows = [{"kind": kind, "subject": subject} for kind, subject in problems]
        write_json({"queue": report.queue, "ok": report.ok, "problems": rows})
    elif problems:
        write_table(("problem", "where"), problems, left=2)

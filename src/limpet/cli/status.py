"""`limpet status`: the queues, what is in them, and who works on them."""

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from limpet.cli.options import connect, json_option, url_option, verbose_option
from limpet.cli.output import span, write_json, write_table

if TYPE_CHECKING:
    from limpet.connection.target import Target
    from limpet.values import Stats, WorkerView


@click.command()
@url_option
@json_option
@verbose_option
def status(url: str | None, *, as_json: bool) -> None:
    """Show all queues and workers."""
    with connect(url) as client:
        queues = {name: client.queue(name).stats() for name in client.queues()}
        workers, target = client.workers(), client.link.target
    if as_json:
        write_json(_as_json(target, queues, workers))
        return
    click.echo(f"server: {target} ({target.source})", err=True)
    if not queues:
        click.echo("there are no queues yet; the first push makes one", err=True)
    _write_queues(queues)
    _write_workers(workers)


def _as_json(
    target: "Target", queues: dict[str, "Stats"], workers: list["WorkerView"]
) -> dict[str, object]:
    return {
        "server": {"url": str(target), "embedded": target.embedded, "source": target.source},
        "queues": [
            {"name": name, **asdict(stats), "pending": stats.pending}
            for name, stats in queues.items()
        ],
        "workers": [asdict(worker) for worker in workers],
    }


def _write_queues(queues: dict[str, "Stats"]) -> None:
    if queues:
        counts = ("waiting", "parked", "scheduled", "running", "dead", "completed", "failed")
        rows = [
            [
                f"{name} (paused)" if stats.paused else name,
                *[str(getattr(stats, count)) for count in counts],
                span(stats.oldest_ms) if stats.waiting else "-",
            ]
            for name, stats in queues.items()
        ]
        write_table(("queue", *counts, "oldest"), rows)


def _write_workers(workers: list["WorkerView"]) -> None:
    if workers:
        click.echo()
        rows = [
            [
                worker.id,
                worker.queue,
                f"{worker.host}:{worker.pid}",
                str(worker.handouts),
                "for ever" if worker.lease_left_ms is None else span(max(worker.lease_left_ms, 0)),
            ]
            for worker in workers
        ]
        write_table(("worker", "queue", "host:pid", "hand-outs", "lease left"), rows, left=3)

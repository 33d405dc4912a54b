"""`limpet status`: the queues, what is in them, and who works on them."""

from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from limpet.cli.options import connect, json_option, url_option, verbose_option
from limpet.cli.output import span, write_json, write_table

if TYPE_CHECKING:
    from limpet.connection.target import Target
    from limpet.values import Stats, WorkerView

#: By queue and task: how many jobs were set aside because nobody knew the task.
Aside = dict[str, dict[str, int]]


@click.command()
@url_option
@json_option
@verbose_option
def status(url: str | None, *, as_json: bool) -> None:
    """Show all queues and workers."""
    with connect(url) as client:
        queues = {name: client.queue(name).stats() for name in client.queues()}
        aside = {name: client.queue(name).stranded() for name in queues if queues[name].stranded}
        workers, target = client.workers(), client.link.target
    if as_json:
        write_json(_as_json(target, queues, aside, workers))
        return
    click.echo(f"server: {target} ({target.source})", err=True)
    if not queues:
        click.echo("there are no queues yet; the first push makes one", err=True)
    _write_queues(queues)
    _write_workers(workers)
    _write_tasks(workers, aside)


def _as_json(
    target: "Target", queues: dict[str, "Stats"], aside: "Aside", workers: list["WorkerView"]
) -> dict[str, object]:
    return {
        "server": {"url": str(target), "embedded": target.embedded, "source": target.source},
        "queues": [
            {
                "name": name,
                **asdict(stats),
                "pending": stats.pending,
                "stranded_tasks": aside.get(name, {}),
            }
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


def _write_tasks(workers: list["WorkerView"], aside: "Aside") -> None:
    """Write who knows which task, and what waits for somebody who does."""
    living = [w for w in workers if w.lease_left_ms is None or w.lease_left_ms >= 0]
    known = Counter((task, worker.queue) for worker in living for task in worker.tasks)
    waiting = Counter(
        {(task, q): many for q, tasks in aside.items() for task, many in tasks.items()}
    )
    if known or waiting:
        click.echo()
        rows = [
            [task, queue, str(known[task, queue]), str(waiting[task, queue])]
            for task, queue in sorted({*known, *waiting})
        ]
        write_table(("task", "queue", "workers", "set aside"), rows, left=2)
    for task, queue in sorted(key for key in waiting if not known[key]):
        click.echo(
            f"no worker of queue {queue!r} knows task {task!r}: start one that does", err=True
        )

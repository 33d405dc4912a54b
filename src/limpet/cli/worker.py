"""`limpet worker`: run the tasks of an app, in as many processes as wanted."""

from typing import TYPE_CHECKING

import click

from limpet.cli import ends
from limpet.cli.options import VERBOSE, url_option, verbose_option

if TYPE_CHECKING:
    from limpet.worker.plan import Plan
    from limpet.worker.wire import Ready


@click.command()
@click.argument("app", metavar="MODULE:APP")
@click.option(
    "-q",
    "--queues",
    metavar="QUEUES",
    help="high,low: strictly in this order; high=3,low=1: by weight. Else all of the app's tasks.",
)
@click.option(
    "-c",
    "--concurrency",
    metavar="N",
    default=10,
    show_default=True,
    help="Slots: how many jobs each process runs side by side.",
)
@click.option("--processes", metavar="N", default=1, show_default=True, help="Worker processes.")
@click.option(
    "--burst",
    is_flag=True,
    help="End when nothing is due. Jobs for later, such as delays and retries not due, stay.",
)
@click.option("--reload", is_flag=True, help="Start afresh when a .py file changes.")
@click.option(
    "--grace",
    metavar="TIME",
    default="30s",
    show_default=True,
    help="How long running jobs get after SIGTERM; the rest goes back to the queue.",
)
@click.option("--name", default="worker", show_default=True, help="How the worker is listed.")
@click.option(
    "--heartbeat", metavar="TIME", default="1s", show_default=True, help="Its sign of life."
)
@click.option(
    "--lease",
    metavar="TIME",
    default="10s",
    show_default=True,
    help="How long a silent worker keeps its jobs; none: for ever.",
)
@url_option
@click.option(
    "--log-level",
    type=click.Choice(["debug", "info", "warning", "error"]),
    default="info",
    show_default=True,
    help="What is written to standard error.",
)
@verbose_option
@click.pass_context
def worker(ctx: click.Context, /, lease: str, **options: object) -> int:
    """Run the tasks of an app, such as shop:app for `app` in shop.py.

    A small parent process looks after the workers: it returns the jobs of one that died, kills
    one that froze, and starts another. Stop it with Ctrl-C or SIGTERM; a second time, at once.
    """
    from limpet.worker.logs import write_log
    from limpet.worker.parent import Parent
    from limpet.worker.plan import Plan

    plan = Plan(
        **options,  # type: ignore[arg-type]
        lease=None if lease == "none" else lease,
        verbose=bool(ctx.meta.get(VERBOSE)),
    )
    write_log(plan.log_level, "parent:" if plan.processes > 1 else "")
    parent = Parent(plan, welcome=lambda ready: _greet(plan, ready))
    code = parent.run()
    if parent.refusal is not None:
        raise ends.Refused(parent.refusal.line, parent.refusal.code)
    return code


def _greet(plan: "Plan", ready: "Ready") -> None:
    """Say once what works here."""
    from limpet._version import __version__
    from limpet.connection.target import Target

    target = Target(ready.url, ready.source)
    named = "" if target.embedded else f", named by {target.source}"
    processes = f" in each of {plan.processes} processes" if plan.processes > 1 else ""
    tasks = "1 task" if ready.tasks == 1 else f"{ready.tasks} tasks"
    lines = (
        f"limpet {__version__} works for {plan.app}",
        f"  queues   {plan.queues or ', '.join(ready.queues)}",
        f"  slots    {plan.concurrency}{processes}",
        f"  tasks    {tasks}",
        f"  server   {target}{named}",
        "  stop     Ctrl-C; once more: at once",
    )
    click.echo("\n".join(lines), err=True)

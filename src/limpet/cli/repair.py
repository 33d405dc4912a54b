"""`limpet repair`: mend what `limpet verify` finds."""

import click

from limpet.cli.options import connect, json_option, url_option, verbose_option
from limpet.cli.verify import known, write_report


@click.command()
@click.argument("queue")
@url_option
@json_option
@verbose_option
def repair(queue: str, url: str | None, *, as_json: bool) -> None:
    """Mend what is inconsistent in QUEUE, without losing a job."""
    with connect(url) as client:
        report = known(client, queue).repair()
    write_report(report, as_json=as_json)
    mended = len(report.problems)
    said = f"{mended} mended" if mended else "there was nothing to mend"
    click.echo(f"queue {queue!r}: {said}", err=True)

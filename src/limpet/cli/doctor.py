"""`limpet doctor`: which server is used, why, and whether it is fit for a queue."""

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from limpet.cli import ends
from limpet.cli.options import connect, json_option, url_option, verbose_option
from limpet.cli.output import colour, write_json

if TYPE_CHECKING:
    from limpet.cli.checks import Finding
    from limpet.connection.target import Target

_COLOURS = {"ok": "green", "warning": "yellow", "wrong": "red"}


@click.command()
@url_option
@json_option
@verbose_option
def doctor(url: str | None, *, as_json: bool) -> int:
    """Say which server is used, and whether it is fit for a queue.

    Looks at its version, role, persistence, memory and what it does when that is full. Exit
    code 1 if something is wrong; warnings alone end with 0.
    """
    from limpet.cli.checks import Finding, examine
    from limpet.cli.facts import gather

    with connect(url) as client:
        target = client.link.target
        servers = gather(client)
    found = [Finding("server", "ok", where(target)), *examine(servers)]
    wrong = any(finding.grade == "wrong" for finding in found)
    if as_json:
        write_json({"ok": not wrong, "checks": [asdict(finding) for finding in found]})
    else:
        for finding in found:
            _write(finding)
    return ends.WRONG if wrong else ends.FINE


def where(target: "Target") -> str:
    """Say which server it is and who named it."""
    if not target.embedded:
        return f"{target}, named by {target.source}"
    from limpet.engine import status

    return f"{target} in {status().home}; no other server is named"


def _write(finding: "Finding") -> None:
    grade = colour(f"{finding.grade:<8}", _COLOURS[finding.grade])
    node = f"{finding.node}: " if finding.node else ""
    click.echo(f"{grade} {finding.check:<12} {node}{finding.found}")
    if finding.remedy:
        click.echo(f"{'':<21} -> {finding.remedy}")

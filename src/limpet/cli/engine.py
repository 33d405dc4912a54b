"""`limpet engine`: the server that limpet runs itself."""

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from limpet.cli import ends
from limpet.cli.options import home_option, json_option, verbose_option
from limpet.cli.output import write_json

if TYPE_CHECKING:
    from limpet.engine import Status


@click.group(no_args_is_help=False)
def engine() -> None:
    """Look at the embedded engine, or stop it."""


@engine.command()
@home_option
@json_option
@verbose_option
def status(home: str | None, *, as_json: bool) -> None:
    """Show whether the engine runs and who keeps it; nothing is started."""
    from limpet.engine import status as look

    found = look(home)
    if as_json:
        write_json(asdict(found))
        return
    click.echo(f"engine   {_state(found)}")
    click.echo(f"home     {found.home}")
    click.echo(f"socket   {found.socket}")


@engine.command()
@home_option
@json_option
@verbose_option
def stop(home: str | None, *, as_json: bool) -> int:
    """Stop an engine that nobody uses; its data stay on disk."""
    from limpet.engine import status as look
    from limpet.engine import stop as end

    stopped = end(home)
    found = look(home)
    if as_json:
        write_json({"stopped": stopped, **asdict(found)})
    if stopped:
        click.echo(f"no engine runs in {found.home}", err=True)
        return ends.FINE
    click.echo(
        f"limpet: the engine in {found.home} is in use; end its users, then try again", err=True
    )
    return ends.WRONG


def _state(found: "Status") -> str:
    if not found.running:
        return "not running"
    version = found.version or "not answering"
    use = "in use" if found.in_use else "used by nobody"
    kept = ", kept running" if found.kept else ""
    return f"running, {version}, process {found.pid or 'unknown'}, {use}{kept}"

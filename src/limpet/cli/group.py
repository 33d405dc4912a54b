"""The command `limpet`: its subcommands, and how they end when something goes wrong."""

import sys
import traceback
from collections.abc import Sequence
from typing import Any, NoReturn

import click

from limpet._version import __version__
from limpet.cli import ends
from limpet.cli.cron import cron
from limpet.cli.dead import dead
from limpet.cli.demo import demo
from limpet.cli.doctor import doctor
from limpet.cli.engine import engine
from limpet.cli.job import job
from limpet.cli.options import VERBOSE
from limpet.cli.queue import queue
from limpet.cli.repair import repair
from limpet.cli.status import status
from limpet.cli.verify import verify
from limpet.cli.worker import worker
from limpet.errors import LimpetError


class Commands(click.Group):
    """A group whose errors are told in one line, and with -v in full before that."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; what it raises becomes a line and an exit code."""
        try:
            return super().invoke(ctx)
        except LimpetError as error:
            refused = ends.Refused(str(error), ends.code_of(error))
            _trace(ctx)
            raise refused from error
        except (ends.Refused, click.ClickException, click.exceptions.Exit, click.Abort, OSError):
            raise
        except Exception as error:
            _trace(ctx)
            raise ends.Refused(ends.bug(error), ends.BUG) from error


def _trace(ctx: click.Context) -> None:
    if ctx.meta.get(VERBOSE):
        traceback.print_exc()


@click.group(
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, "-V", "--version", message="limpet %(version)s")
@click.pass_context
def limpet(ctx: click.Context) -> None:
    """A job queue that loses nothing. Start with: limpet demo.

    The server is the one named by --url, LIMPET_URL, REDIS_URL or a config file; if none is
    named, limpet runs one itself.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


for command in (demo, worker, status, job, dead, queue, cron, verify, repair, doctor, engine):
    limpet.add_command(command)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run as a program: the answer of a command is its exit code."""
    try:
        code = limpet.main(arguments, prog_name="limpet", standalone_mode=False)
    except ends.Refused as refused:
        _end(str(refused), refused.code)
    except click.ClickException as error:
        _end(ends.usage(error), ends.USAGE)
    except click.Abort:
        _end("stopped", ends.INTERRUPTED)
    except OSError as error:
        _end(str(error), ends.WRONG)
    sys.exit(code if isinstance(code, int) else ends.FINE)


def _end(message: str, code: int) -> NoReturn:
    click.echo(f"limpet: {message}", err=True)
    sys.exit(code)

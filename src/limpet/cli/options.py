"""Options that several commands share, and the client they ask for."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from limpet.sync import Limpet

#: Where the context keeps whether -v was given.
VERBOSE = "limpet.verbose"
#: A person waits: give up sooner than a program would.
TIMEOUT_S = 3.0

F = TypeVar("F", bound=Callable[..., Any])


def url_option(command: F) -> F:
    """Let the user name the server."""
    return click.option(
        "--url",
        metavar="URL",
        help="The server, such as redis://host:6379/0; goes before LIMPET_URL and all else.",
    )(command)


def home_option(command: F) -> F:
    """Let the user name the data directory of the embedded engine."""
    return click.option(
        "--home",
        metavar="DIRECTORY",
        help="Data directory of the engine; else LIMPET_HOME, or the user's own.",
    )(command)


def json_option(command: F) -> F:
    """Let programs read the answer."""
    return click.option("--json", "as_json", is_flag=True, help="Answer as one JSON object.")(
        command
    )


def verbose_option(command: F) -> F:
    """Show tracebacks and the log."""

    def remember(ctx: click.Context, _: click.Parameter, given: bool) -> None:  # noqa: FBT001
        if given:
            ctx.meta[VERBOSE] = True

    return click.option(
        "-v",
        "--verbose",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=remember,
        help="Show the log, and tracebacks of errors.",
    )(command)


def connect(url: str | None) -> "Limpet":
    """Make a client; what it logs is shown only with -v, its errors are told anyway."""
    import logging

    from limpet.sync import Limpet

    log = logging.getLogger("limpet")
    verbose = bool(click.get_current_context().meta.get(VERBOSE))
    if not log.handlers:
        log.addHandler(logging.StreamHandler() if verbose else logging.NullHandler())
    return Limpet(url, timeout=TIMEOUT_S)

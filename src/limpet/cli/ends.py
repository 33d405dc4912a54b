"""How commands end: the exit codes, and one line for each error."""

import click

from limpet.errors import BackendError, ConfigError, EngineError, LimpetError, ScriptError

FINE = 0
WRONG = 1
USAGE = 2
UNREACHABLE = 69
BUG = 70
INTERRUPTED = 130


class Refused(Exception):
    """What ends a command early: one line, and the exit code."""

    def __init__(self, message: str, code: int) -> None:
        """Say what, and how to exit."""
        super().__init__(message)
        self.code = code


def code_of(error: LimpetError) -> int:
    """Choose the exit code for an error."""
    if isinstance(error, ConfigError):
        return USAGE
    if isinstance(error, ScriptError):
        return BUG
    if isinstance(error, EngineError):
        return UNREACHABLE
    if isinstance(error, BackendError) and isinstance(error.__cause__, Exception):
        from limpet.connection.faults import is_cut, passes_by

        if is_cut(error.__cause__) or passes_by(error.__cause__):
            return UNREACHABLE
    return WRONG


def usage(error: click.ClickException) -> str:
    """Write in one line what was not understood, and where help is."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    path = context.command_path if context else "limpet"
    return f"{error.format_message().rstrip('.')}; see {path} --help"


def bug(error: Exception) -> str:
    """Write an error nobody expected in one line."""
    return f"a bug: {type(error).__name__}: {error}; run it again with -v and report what it says"

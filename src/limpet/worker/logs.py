"""The log of `limpet worker`: one line each, with time, level and text."""

import logging
import os
import sys

_COLOURS = {"WARNING": "\x1b[33m", "ERROR": "\x1b[31m", "CRITICAL": "\x1b[31m", "DEBUG": "\x1b[2m"}
_PLAIN = "\x1b[0m"


class Lines(logging.Formatter):
    """`2026-01-31 12:00:00 INFO    text`, coloured on a terminal."""

    def __init__(self, who: str, *, coloured: bool) -> None:
        """Write for one process; `who` names it where there are several."""
        super().__init__(f"%(asctime)s %(levelname)-7s {who}%(message)s", "%Y-%m-%d %H:%M:%S")
        self._coloured = coloured

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the library's name
        """Write the first line; whose log it is need not be said here."""
        record.message = record.message.removeprefix("limpet: ")
        return super().formatMessage(record)

    def format(self, record: logging.LogRecord) -> str:
        """Write one record."""
        line = super().format(record)
        colour = _COLOURS.get(record.levelname) if self._coloured else None
        return f"{colour}{line}{_PLAIN}" if colour else line


def write_log(level: str, who: str = "") -> None:
    """Write the log to standard error, unless the user's code set up one of its own."""
    root = logging.getLogger()
    if root.handlers:
        return
    coloured = sys.stderr.isatty() and not os.environ.get("NO_COLOR")
    handler = logging.StreamHandler()
    handler.setFormatter(Lines(f"{who} " if who else "", coloured=coloured))
    root.addHandler(handler)
    root.setLevel(level.upper())

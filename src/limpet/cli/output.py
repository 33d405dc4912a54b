"""Writing answers: tables that fit the terminal, JSON for programs."""

import json
import os
import shutil
import sys
from collections.abc import Sequence
from typing import Any

import click

_NARROWEST = 8


def write_json(value: Any) -> None:
    """Write one JSON object."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False, default=str))


def write_table(
    heads: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1, cut: int = 0
) -> None:
    """Write columns: the first ones, which are text, to the left, the others to the right.

    On a terminal one column is cut where a line would not fit, the first unless `cut` names
    another; in a file nothing is.
    """
    lines = [list(heads), *[list(row) for row in rows]]
    widths = [max(len(line[column]) for line in lines) for column in range(len(heads))]
    if sys.stdout.isatty():
        others = sum(widths) - widths[cut] + 2 * len(widths[1:])
        room = max(shutil.get_terminal_size().columns - others, _NARROWEST)
        widths[cut] = min(widths[cut], room)
    for line in lines:
        cells = [*line[:cut], _cut(line[cut], widths[cut]), *line[cut + 1 :]]
        placed = [
            cell.ljust(width) if column < left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        click.echo("  ".join(placed).rstrip())


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"


def colour(text: str, name: str) -> str:
    """Colour a word, unless the reader is no terminal or wants none."""
    if os.environ.get("NO_COLOR") or not sys.stdout.isatty():
        return text
    return click.style(text, fg=name)


def span(ms: int) -> str:
    """Write a duration for people."""
    for unit, size in (("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1000)):
        if ms >= size:
            return f"{ms / size:.1f} {unit}"
    return f"{ms} ms"


def size(count: float) -> str:
    """Write a number of bytes for people."""
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if count < 1024 or unit == "GiB":  # noqa: PLR2004 - the step between these units
            break
        count /= 1024
    return f"{count:.0f} bytes" if unit == "bytes" else f"{count:.1f} {unit}"

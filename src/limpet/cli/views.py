"""How commands show jobs: their bytes as text, their times, all of a job as JSON."""

from dataclasses import asdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from limpet.values import JobView


def text_of(raw: bytes) -> str:
    """Read bytes as text; what is none is written out."""
    return raw.decode("utf-8", "backslashreplace")


def first_line(text: str) -> str:
    """Take the first line that says something, fit for a terminal: control characters spelt out."""
    line = next((line for line in text.splitlines() if line.strip()), "").strip()
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)


def time_of(ms: int) -> str:
    """Write a time of the server."""
    from limpet.tasks.words import moment

    return moment(ms)


def view_as_json(view: "JobView") -> dict[str, object]:
    """Write all that is known of a job, for programs."""
    said = asdict(view) | {"receipt": str(view.receipt) if view.receipt else None}
    return {name: text_of(it) if isinstance(it, bytes) else it for name, it in said.items()}

"""What people wrote for the page: why a bar is missed, and what was tried."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.bars import Bar
from benchmarks.report.tables import number, table


@dataclass(frozen=True)
class Tried:
    """One change made for speed, and what became of it."""

    what: str
    before: float
    after: float
    unit: str
    kept: bool
    note: str = ""


def read_whys(path: Path) -> dict[str, str]:
    """Read why bars are missed, by the key of the bar; empty texts are left out."""
    found = tomllib.loads(path.read_text("utf-8"))
    return {key: str(text).strip() for key, text in found.items() if str(text).strip()}


def read_history(path: Path) -> list[Tried]:
    """Read what was tried."""
    found = tomllib.loads(path.read_text("utf-8"))
    return [Tried(**entry) for entry in found.get("tried", [])]


def why(bars: Sequence[Bar], whys: Mapping[str, str]) -> str:
    """Say for each missed bar why, where somebody did."""
    missed = [bar for bar in bars if bar.met is False and bar.key in whys]
    lines = [f"- {bar.what}, {bar.bar}: {whys[bar.key]}" for bar in missed]
    return "\n".join(["Why bars are missed:", "", *lines]) if lines else ""


def history(tried: Sequence[Tried]) -> str:
    """Write what was kept and what was dropped; nothing if nothing was written down."""
    parts = [
        f"{word}:\n\n{_rows([one for one in tried if one.kept is kept])}"
        for word, kept in (("Kept", True), ("Dropped", False))
        if any(one.kept is kept for one in tried)
    ]
    return "\n\n".join(["## What was tried", *parts]) if parts else ""


def _rows(tried: Sequence[Tried]) -> str:
    return table(
        ["what", "before", "after", "unit", "note"],
        [[one.what, number(one.before), number(one.after), one.unit, one.note] for one in tried],
    )

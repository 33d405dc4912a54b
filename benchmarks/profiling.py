"""Where the CPU goes: a profile of the worker's drain, and the server's commands per job."""

import pstats
import time
from pathlib import Path
from typing import Any

from benchmarks.catalogue import LIMPET
from benchmarks.places import DOCS
from benchmarks.report.tables import table as markdown
from benchmarks.seat import cpu_ns
from benchmarks.table import Table

_ROWS = 25


def run(table: Table) -> None:
    """Profile one drain per kind and write docs/profile.md."""
    parts = [_HEAD]
    for kind in LIMPET.kinds:
        parts.append(f"## {kind.capitalize()} no-op")
        parts += _profile(table, kind)
        table.taken += 1
    (DOCS / "profile.md").write_text("\n\n".join(parts) + "\n", "utf-8")
    table.say("docs/profile.md")


_HEAD = """\
# Where the time goes

One worker process of limpet drains no-op jobs under cProfile, which makes calls of small functions
look dearer than they are: read the order, not the microseconds. Only the main thread is seen.
Below each profile: what the server was asked, per job.
Made by `python3 dev.py bench --only profile`; the figures without a profiler are in
[the benchmarks](benchmarks.md)."""


def _profile(table: Table, kind: str) -> list[str]:
    size = max(int(LIMPET.pace * table.plan.drain_s / 2), 50)
    table.server.flush()
    table.board.clear(size)
    seat, out = table.seat(LIMPET), table.folder / f"{kind}.prof"
    try:
        seat.enqueue("bulk", kind, 0, size)
        table.server.client.config_resetstat()
        worker = seat.start_worker(kind, profile=out)
        try:
            seat.drain(worker, time.monotonic(), size)
            used_us = cpu_ns(worker.pid) / 1000
            commands: dict[str, Any] = table.server.client.info("commandstats")
        finally:
            seat.end(worker, gently=True)
    finally:
        seat.close()
    note = f"{size:,} jobs, {used_us / size:.1f} us of worker CPU per job with the profiler on."
    return [note, _functions(out, size), _commands(commands, size)]


def _functions(path: Path, size: int) -> str:
    """List the functions in which most time was spent, without what they called."""
    found: Any = pstats.Stats(str(path))
    rows = sorted(found.stats.items(), key=lambda item: -item[1][2])[:_ROWS]
    total = sum(item[1][2] for item in found.stats.items())
    return markdown(
        ["function", "calls per job", "own us per job", "share"],
        [
            [_name(place), f"{calls / size:.2f}", f"{own * 1e6 / size:.2f}", f"{own / total:.0%}"]
            for place, (_, calls, own, _, _) in rows
        ],
    )


def _name(place: tuple[str, int, str]) -> str:
    file, line, function = place
    for mark in ("/site-packages/", "/src/", "/lib/python3"):
        file = file.rpartition(mark)[2]
    where = f"{file}:{line} " if line else ""
    return f"`{where}{function}`".replace("|", "\\|")


def _commands(stats: dict[str, Any], size: int) -> str:
    rows = sorted(stats.items(), key=lambda item: -int(item[1]["usec"]))[:12]
    return markdown(
        ["server command", "calls per job", "us per job"],
        [
            [
                f"`{name.removeprefix('cmdstat_')}`",
                f"{one['calls'] / size:.3f}",
                f"{one['usec'] / size:.3f}",
            ]
            for name, one in rows
        ],
    )

"""What machine this is."""

import datetime as dt
import os
import platform
from pathlib import Path

from benchmarks.table import Table


def note_facts(table: Table, *, quick: bool) -> None:
    """Write machine, versions and date into the book."""
    server = table.server.facts()
    table.book.facts |= {
        "date": dt.datetime.now(dt.UTC).date().isoformat(),
        "cpu": _cpu(),
        "cores": len(os.sched_getaffinity(0)),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "server": f"{server['name']} {server['version']}",
        "rounds": table.plan.rounds,
        "quick": quick,
        "spin_ms": round(table.quiet.reference * 1000, 3),
    }


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()

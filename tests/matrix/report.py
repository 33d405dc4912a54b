"""The table of a run, for the terminal and for docs/faults.md."""

import datetime as dt
import os
import platform
from collections.abc import Callable, Sequence
from pathlib import Path

from limpet._version import __version__
from limpet.engine.find import choose
from tests.matrix.judge import Verdict
from tests.matrix.rounds import Row
from tests.matrix.stage import LEASE_S, ROOT, SLOTS

PAGE = ROOT / "docs" / "faults.md"
HEADS = (
    "fault",
    "what happens",
    "seeds",
    "jobs",
    "lost",
    "stuck",
    "extra starts seen / allowed",
    "ends accepted twice",
    "slowest restart",
    "back at work",
    "innocents given up",
)


def cells(row: Row) -> list[str]:
    """Write one fault as the cells of a line."""
    verdicts = [outcome.verdict for outcome in row.outcomes]
    total = _summer(verdicts)
    allowed = sum(verdict.strikes for verdict in verdicts) * row.scene.bounds.per_strike
    return [
        row.scene.name + ("*" if row.scene.slow else ""),
        row.scene.title,
        str(len(verdicts)),
        str(total(lambda verdict: verdict.jobs)),
        str(total(lambda verdict: len(verdict.lost))),
        str(total(lambda verdict: len(verdict.stuck))),
        f"{total(lambda verdict: verdict.extra)} / {allowed}",
        str(total(lambda verdict: abs(verdict.surplus) + len(verdict.strange))),
        _seconds(max(verdict.recovery_s for verdict in verdicts)),
        _seconds(max(verdict.resumed_s for verdict in verdicts)),
        str(total(lambda verdict: len(verdict.neighbours))),
    ]


def line(row: Row) -> str:
    """Write one fault for the terminal."""
    name, title, seeds, jobs, lost, stuck, extra, twice, restart, back, innocents = cells(row)
    wrong = sum(bool(outcome.wrong) for outcome in row.outcomes)
    said = f"{wrong} of {seeds} FAILED" if wrong else "ok"
    return (
        f"{name:<4} {said:<6} seeds {seeds:<3} jobs {jobs:<6} lost {lost} stuck {stuck}"
        f" extra {extra:<9} twice {twice} restart {restart:<7} back {back:<7}"
        f" innocents {innocents} {row.seconds:5.0f} s  {title}"
    )


def page(rows: Sequence[Row], command: str) -> str:
    """Write docs/faults.md."""
    today = dt.datetime.now(dt.UTC).date().isoformat()
    table = ["| " + " | ".join(HEADS) + " |", "|" + " --- |" * len(HEADS)]
    table += ["| " + " | ".join(cells(row)) + " |" for row in rows]
    facts = (
        f"limpet {__version__}, Python {platform.python_version()}, {_server()},"
        f" {os.cpu_count()} cores, {today}; `{command}`."
    )
    known = _known(rows)
    return _TEXT.format(
        facts=facts, table="\n".join(table), known=known, slots=SLOTS, lease=LEASE_S
    )


def _known(rows: Sequence[Row]) -> str:
    """Say which faults were not withstood, if any."""
    bad = {row.scene.name: sum(bool(outcome.wrong) for outcome in row.outcomes) for row in rows}
    said = [f"{name} with {count} of its seeds" for name, count in bad.items() if count]
    return f"Beyond what is allowed in this run: {', '.join(said) or 'nothing'}."


def write_page(rows: Sequence[Row], command: str, place: Path = PAGE) -> None:
    """Write it to its place."""
    place.write_text(page(rows, command), encoding="utf-8")


def _summer(verdicts: Sequence[Verdict]) -> Callable[[Callable[[Verdict], int]], int]:
    return lambda of: sum(of(verdict) for verdict in verdicts)


def _seconds(value: float) -> str:
    return f"{value:.2f} s" if value else "-"


def _server() -> str:
    return choose(None).path.name


_TEXT = """\
# Faults

What becomes of jobs when things go wrong: measured, with real programs. A producer enqueues
jobs, `limpet worker` runs them with {slots} slots for each process, on a server with an append-
only file; then the fault strikes. Jobs take 10 to 50 ms, where workers are struck 50 to 100 ms,
in F2b 600 to 800 ms. The lease is {lease:g} s; in F1a and F1c it is 30 s, so that only the
parent can have returned the jobs. Every start and every end of a job is written to a file that
limpet knows nothing of, and a judge compares that file with what the server says in the end.

{facts}
All faults but those with a star are also part of the tests, once and with fewer jobs.

{table}

{known}

How to read it:

- **lost**: enqueued, and gone without having run to its end. **stuck**: still in the queue when
  all should be done.
- **extra starts**: a job that was begun and not ended when its worker died, froze or had to stop
  is begun again. So each worker that is hit may cost as many starts as it has slots; nothing else
  may cost any. The starts of poison itself are not counted here: it gets three.
- **ends accepted twice**: a job ends once for the server, also if a frozen worker wakes up and
  says it ended.
- **slowest restart**: from the blow to the next start of a job that was interrupted. Allowed are
  0.5 s in F1a, the lease and a second in F1b and F4, 3 s in F1c and F2b: there another process has
  to start first, or the slots of others have to become free. Next to poison (F8) there is no limit:
  a job whose worker died waits for the next process, and for other suspects before it.
- **back at work**: from the end of the trouble to the next start, at most 2 s. In F7 the server may
  be gone again before that.
- **innocents given up**: jobs that ended in the dead list because of a neighbour that kills its
  worker.

A zero means "not seen in so many runs". The figures are of one machine, and their seconds of a busy
one. What is promised and why stands in [guarantees](guarantees.md).
"""

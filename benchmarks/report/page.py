"""The page of a run: docs/benchmarks.md and its charts."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.bars import evaluate
from benchmarks.book import Book
from benchmarks.catalogue import LIMPET, PEERS
from benchmarks.places import HISTORY, WHYS
from benchmarks.report import story, tables
from benchmarks.report.charts import bar_chart, line_chart

_CHARTS = (
    ("drain-async", "drain async", "Jobs a second of one worker process, async no-op"),
    ("drain-sync", "drain sync", "Jobs a second of one worker process, sync no-op"),
    ("enqueue-bulk", "enqueue bulk", "Jobs enqueued a second, 1,000 a call"),
    ("memory", "memory queued", "Bytes on the server per queued job"),
)
_LINES = (
    ("backlog", "Server CPU per job against jobs waiting, times a small queue beside it"),
    ("running", "Server CPU per job against jobs running, times a small queue beside it"),
    ("queues", "Server CPU per job against queues, times a small queue beside them"),
)
_METHOD = """\
## How it is measured

One private server on loopback; the server is pinned to one core, producers and workers to another
(only the rows on several processes are not pinned). Queues take turns, every second round in the
opposite order. A figure is a median; ± is half the distance between the lowest and the highest
sample. A fixed loop is timed on both cores before and after each sample: where it is more than 25
% slower than the machine can be, the sample is taken again, at most twice and as long as there is
time for it; the quietest is kept.

What is compared with the bare server is measured directly beside it, in turns and every second
time in the opposite order, with the same payload; the ratio is the median of the ratios of such
pairs. For bulk the strict measure counts: an RPUSH that sends one payload, made beforehand, again
and again. Big sizes are measured in the same way beside a small queue.

Every queue runs in an environment of its own, with hiredis, on uvloop where it has an event loop,
and on the client library that its own dependencies ask for (see above). Its setting was chosen by
hand for speed, among those in which a job survives the death of its worker; only the threads of
Dramatiq and Huey and limpet's own slots were tried one by one, so a peer may have a faster setting.
Huey has none that is safe: it may lose jobs, and is compared all the same.

A no-op job writes its number and the time into memory that it shares with the harness: no traffic,
no lock, about 0.3 us, the same for all. So each job is known to have run exactly once; a sample in
which one did not is thrown away, and its queue is given up, which is then said beside its setting.
Rates go from the first job to the last; CPU and commands are counted from the first look (every 4
ms) that saw a job done to the one that saw the last, and commands inside scripts are counted too.
Latency is the time from before the call that enqueues to the first line of the job, one job at a
time, worker idle; the better of sync and async is shown. Start-up is the time from the start of
the worker's process to its first job. Memory is `used_memory` without buffers of clients, for a
call with one small number.
"""


def page(
    book: Book, whys: Mapping[str, str] | None = None, tried: Sequence[story.Tried] = ()
) -> str:
    """Write the page, with what people wrote for it."""
    bars = evaluate(book)
    parts = [
        "# Benchmarks",
        _intro(book),
        "## The bars",
        tables.bars(bars),
        story.why(bars, whys or {}),
        "## Speed",
        tables.speed(book),
        "Each queue in its fastest setting in which a job survives its worker:",
        tables.settings(book),
        *_images(book, _CHARTS[:3]),
        "## Latency and start-up",
        tables.waiting(book),
        "## What a job costs",
        tables.expense(book),
        *_images(book, _CHARTS[3:]),
        "## Limits in the same run",
        tables.beside(book),
        tables.pairs(book, ["bare redis-py", "a second"], "raw"),
        tables.pairs(book, ["batches of 100", "server us per job"], "core us"),
        *_scaling(book),
        story.history(tried),
        _METHOD,
        _repeat(),
    ]
    return "\n\n".join(part.strip() for part in parts if part) + "\n"


def _intro(book: Book) -> str:
    facts = book.facts
    noisy = len(book.noisy)
    return (
        f"Made by `python3 dev.py bench{' --quick' if facts.get('quick') else ''}` on"
        f" {facts.get('date', '?')}: {facts.get('cpu', '?')}, {facts.get('cores', '?')} cores,"
        f" {facts.get('system', '?')}, Python {facts.get('python', '?')},"
        f" {facts.get('server', '?')}; {facts.get('rounds', '?')} rounds."
        f" {book.repeated} samples were taken again because the machine was busy, and {noisy} were"
        " kept although it still was. Read ratios, not absolutes."
    )


def _images(book: Book, charts: tuple[tuple[str, str, str], ...]) -> list[str]:
    return [f"![{t}](charts/{name}.svg)" for name, m, t in charts if book.subjects(m)]


def _scaling(book: Book) -> list[str]:
    """Write the parts on limpet alone, if they were measured."""
    parts: list[str] = []
    for name, title in _LINES:
        if book.subjects(f"{name}: push"):
            parts.append(tables.flat(book, name))
            parts.append(f"![{title}](charts/{name}.svg)")
    more = (
        (
            ("idle workers", "woken by one push", "script calls"),
            "idle: workers woken",
            "idle: script calls",
        ),
        (("processes, not pinned", "jobs a second"), "processes: drain"),
        (
            ("processes, 50 us of work per job, not pinned", "jobs a second"),
            "processes with 50 us of work: drain",
        ),
        (
            ("kind of job", "drained a second", "enqueued a second", "server us"),
            "special: drain",
            "special: enqueue",
            "special: server us",
        ),
        (
            ("payload, B", "drained a second", "enqueued a second", "server us"),
            "payload: drain",
            "payload: enqueue",
            "payload: server us",
        ),
        (("10,000 no-ops beside", "drained a second"), "slow job: drain"),
    )
    parts += [tables.pairs(book, head, *rest) for head, *rest in more if book.subjects(rest[0])]
    return ["## limpet alone", *parts] if parts else []


def _repeat() -> str:
    return (
        "## Repeat it\n\n```sh\npython3 dev.py bench          # about 10 minutes\n"
        "python3 dev.py bench --quick  # 2 to 3, one round, no scaling\n"
        "python3 dev.py bench --only peers --peers celery,rq\n```\n\n"
        "The peers are installed below `.bench/` when they are first needed. Every sample is in\n"
        "`benchmarks/results/`. Where limpet's own time goes is on [a page of its own](profile.md)."
    )


def write(book: Book, docs: Path) -> None:
    """Write the page and the charts."""
    folder = docs / "charts"
    folder.mkdir(parents=True, exist_ok=True)
    titles = {peer.name: peer.title for peer in PEERS}
    for name, measure, title in _CHARTS:
        found = [(titles[n], book.median(measure, n) or 0.0) for n in titles]
        found.sort(key=lambda pair: -pair[1])
        if book.subjects(measure):
            (folder / f"{name}.svg").write_text(bar_chart(title, found, LIMPET.title), "utf-8")
    for name, title in _LINES:
        lines = {
            step: [
                (size, tables.against_small(book, name, step, size) or 0.0)
                for size in book.subjects(f"{name}: {step}")
            ]
            for step in tables.STEPS
        }
        if lines["push"]:
            (folder / f"{name}.svg").write_text(line_chart(title, lines), "utf-8")
    written = page(book, story.read_whys(WHYS), story.read_history(HISTORY))
    (docs / "benchmarks.md").write_text(written, "utf-8")

"""Tables in Markdown."""

from collections.abc import Sequence

from benchmarks.bars import KINDS, Bar, best_kind
from benchmarks.book import Book
from benchmarks.catalogue import BARE, LIMPET, PEERS, Peer

NONE = "-"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def number(value: float | None) -> str:
    """Write a number as short as it can be believed."""
    if value is None:
        return NONE
    if abs(value) >= 100:  # noqa: PLR2004 - three digits say enough
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"  # noqa: PLR2004


def cell(book: Book, measure: str, subject: str) -> str:
    """Write a median, and the spread behind it where there is one."""
    found = book.summary(measure, subject)
    if found is None:
        return NONE
    spread = f" ±{found.spread / 2:.0%}" if found.count > 1 else ""
    return f"{number(found.median)}{spread}"


def measured(book: Book) -> list[tuple[str, str]]:
    """List the queues that have samples: name, and title with version."""
    names = {name for measure in book.samples for name in book.subjects(measure)}
    return [(peer.name, _with_version(book, peer)) for peer in PEERS if peer.name in names]


def _with_version(book: Book, peer: Peer) -> str:
    found = book.facts.get("versions", {}).get(peer.name, {}).get(peer.name, "")
    return f"{peer.title} {found}".strip()


def speed(book: Book) -> str:
    """Jobs a second: drain and enqueue."""
    columns = {
        "drain sync": "drain sync",
        "drain async": "drain async",
        "one by one": "enqueue one",
        "bulk, 1,000 a call": "enqueue bulk",
        "100 concurrent": "enqueue 100 concurrent",
    }
    rows = [
        [title, *(cell(book, measure, name) for measure in columns.values())]
        for name, title in measured(book)
    ]
    return table(["jobs a second", *columns], rows)


def waiting(book: Book) -> str:
    """Latency and start-up, in milliseconds."""
    rows = [
        [
            title,
            number(best_kind(book, name, 0.5)),
            number(best_kind(book, name, 0.99)),
            cell(book, "start-up", name),
        ]
        for name, title in [*measured(book), (BARE.name, "bare BLMOVE")]
    ]
    return table(["milliseconds", "latency p50", "latency p99", "start-up to first job"], rows)


def expense(book: Book) -> str:
    """Memory, commands and CPU."""
    head = ["", "queued job, B", "running job, B", "worker RSS, MB"]
    for kind in KINDS:
        head += [f"{kind}: commands", f"{kind}: server us", f"{kind}: worker us"]
    rows = []
    for name, title in measured(book):
        row = [title, *(cell(book, m, name) for m in ("memory queued", "memory running", "rss"))]
        for kind in KINDS:
            row += [
                cell(book, f"{what} {kind}", name)
                for what in ("commands", "server us", "worker us")
            ]
        rows.append(row)
    return table(head, rows)


def pairs(book: Book, head: Sequence[str], *measures: str) -> str:
    """Write measures of the same subjects side by side."""
    subjects = list(dict.fromkeys(name for m in measures for name in book.subjects(m)))
    rows = [[name, *(cell(book, measure, name) for measure in measures)] for name in subjects]
    return table(head, rows)


#: The two steps whose cost must be flat.
STEPS = ("push", "pop + ack")


def against_small(book: Book, measure: str, step: str, size: str) -> float | None:
    """Relate the cost of a step at a size to that of the small queue beside it."""
    return book.ratio((f"{measure}: {step}", size), (f"{measure}, small beside: {step}", size))


def flat(book: Book, measure: str) -> str:
    """Write the cost of each step by size, and how it relates to a small queue beside it."""
    head = [measure]
    for step in STEPS:
        head += [f"{step}, server us", "times a small queue"]
    rows = []
    for size in book.subjects(f"{measure}: {STEPS[0]}"):
        row = [size]
        for step in STEPS:
            value = against_small(book, measure, step, size)
            row += [cell(book, f"{measure}: {step}", size), number(value)]
        rows.append(row)
    return table(head, rows)


#: What is measured beside bare lists: what the page calls it, limpet's measure, that of the lists.
_BESIDE = (
    ("enqueue one by one, a second", "enqueue one", "enqueue one"),
    ("enqueue bulk, a second; RPUSH of a ready payload", "enqueue bulk", "enqueue bulk"),
    ("enqueue bulk, a second; RPUSH of written payloads", "enqueue bulk", "enqueue bulk, made"),
    *(
        (f"latency {kind} {part}, ms", f"latency {kind} {part}", f"latency {kind} {part}")
        for kind in KINDS
        for part in ("p50", "p99")
    ),
)


def beside(book: Book) -> str:
    """Write limpet and bare lists side by side, and the median of their ratios."""
    rows = []
    for title, mine, other in _BESIDE:
        value = book.ratio((mine, LIMPET.name), (other, BARE.name))
        if value is not None:
            cells = cell(book, mine, LIMPET.name), cell(book, other, BARE.name)
            rows.append([title, *cells, f"{value:.2f}"])
    return table(["side by side", "limpet", "bare lists", "ratio"], rows) if rows else ""


def bars(rows: Sequence[Bar]) -> str:
    """Write the bars with their verdicts."""
    words = {True: "met", False: "**missed**", None: "not measured"}
    return table(
        ["what", "bar", "measured", ""],
        [[row.what, row.bar, row.measured, words[row.met]] for row in rows],
    )


def settings(book: Book) -> str:
    """Say what was installed and how it was set, and who is not in the run."""
    versions = book.facts.get("versions", {})
    rows = []
    for peer in PEERS:
        found = ", ".join(f"{name} {text}" for name, text in versions.get(peer.name, {}).items())
        note = book.trouble.get(peer.name)
        rows.append(
            [
                peer.title,
                found or NONE,
                f"{peer.setting}; given up: {note}" if note else peer.setting,
            ]
        )
    return table(["queue", "versions", "setting"], rows)

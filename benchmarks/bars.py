"""The bars: what was promised, what was measured. Pure: from a book to rows."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from benchmarks.book import Book
from benchmarks.catalogue import BARE, LIMPET, PEERS

ME = LIMPET.name
OTHERS = tuple(peer.name for peer in PEERS if peer is not LIMPET)
SAFE = tuple(peer.name for peer in PEERS if peer is not LIMPET and peer.safe)
KINDS = ("sync", "async")
_WORKING = "processes with 50 us of work"
#: What a queued job may cost beside its payload.
OVERHEAD_B = 120


@dataclass(frozen=True)
class Bar:
    """One promise and what became of it; `met` is None where something was not measured."""

    what: str
    bar: str
    measured: str
    met: bool | None

    @property
    def key(self) -> str:
        """The name of the bar in whys.toml."""
        return f"{self.what}: {self.bar}"


def ratio(above: float | None, below: float | None) -> float | None:
    """Divide, if there is something to divide."""
    return above / below if above is not None and below else None


def _judge(
    what: str, bar: str, value: float | None, fits: Callable[[float], bool], against: str = ""
) -> Bar:
    if value is None:
        return Bar(what, bar, "not measured", None)
    beside = f" ({against})" if against else ""
    return Bar(what, bar, f"{value:.2f} x{beside}", fits(value))


def _at_least(what: str, bar: str, value: float | None, least: float, against: str = "") -> Bar:
    return _judge(what, bar, value, lambda found: found >= least, against)


def _at_most(what: str, bar: str, value: float | None, most: float, against: str = "") -> Bar:
    return _judge(what, bar, value, lambda found: found <= most, against)


def _against_best(book: Book, what: str, measure: str, times: float) -> Bar:
    best = book.best(measure, OTHERS)
    value = ratio(book.median(measure, ME), best[1] if best else None)
    against = f"{best[0]}: {best[1]:,.0f}/s" if best else ""
    return _at_least(what, f">= {times:g} x the fastest peer", value, times, against)


def evaluate(book: Book) -> list[Bar]:
    """Hold a run against all bars."""
    return [
        _against_best(book, "drain, async no-op, one process", "drain async", 15),
        _sync_drain(book),
        *_enqueue(book),
        *_core(book),
        *_latency(book),
        *_memory(book),
        *_flat(book),
        _idle(book),
        _worker_cpu(book),
        *_processes(book),
        _slow(book),
    ]


def _sync_drain(book: Book) -> Bar:
    """Compare with the fastest peer of any kind: the bar does not say which."""
    return _against_best(book, "drain, sync no-op, one process", "drain sync", 10)


def _enqueue(book: Book) -> Iterable[Bar]:
    bare = book.ratio(("enqueue one", ME), ("enqueue one", BARE.name))
    yield _at_least("enqueue one by one", ">= 0.85 of a bare RPUSH loop", bare, 0.85)
    yield _against_best(book, "enqueue one by one", "enqueue one", 1)
    yield _against_best(book, "enqueue bulk, 1,000 a call", "enqueue bulk", 10)
    yield _bare_bulk(book)
    yield _against_best(book, "100 concurrent `aenqueue`", "enqueue 100 concurrent", 8)


def _bare_bulk(book: Book) -> Bar:
    """Judge by the RPUSH of one payload made beforehand; the one that makes its own is named."""
    mine = ("enqueue bulk", ME)
    made = book.ratio(mine, ("enqueue bulk, made", BARE.name))
    against = f"{made:.2f} x one that writes its payloads" if made is not None else ""
    bare = book.ratio(mine, ("enqueue bulk", BARE.name))
    return _at_least("enqueue bulk", ">= 0.4 of bare RPUSH of 1,000", bare, 0.4, against)


def _core(book: Book) -> Iterable[Bar]:
    pushed = book.ratio(("core us", "RPUSH of 100"), ("core us", "push of 100"))
    popped = book.ratio(("core us", "pop + ack of 100"), ("core us", "LPOP of 100"))
    yield _at_least("core push of 100, server CPU", ">= 0.2 of bare RPUSH", pushed, 0.2)
    yield _at_most("core pop + ack of 100, server CPU", "<= 7 x bare LPOP", popped, 7)


def best_kind(book: Book, name: str, part: float) -> float | None:
    """Give the better latency of a queue's kinds, in ms."""
    found = [book.percentile(f"latency {kind}", name, part) for kind in KINDS]
    return min((value for value in found if value is not None), default=None)


def _latency(book: Book) -> Iterable[Bar]:
    for part, name in ((0.5, "p50"), (0.99, "p99")):
        mine = best_kind(book, ME, part)
        beside = [
            book.ratio((f"latency {kind} {name}", ME), (f"latency {kind} {name}", BARE.name))
            for kind in KINDS
        ]
        bare = min((found for found in beside if found is not None), default=None)
        bar = "<= 1.5 x a bare BLMOVE hand-over"
        yield _at_most(f"latency, idle worker, {name}", bar, bare, 1.5)
        others = [(other, best_kind(book, other, part)) for other in OTHERS]
        found = [(value, other) for other, value in others if value is not None]
        best = min(found, default=None)
        against = f"{best[1]}: {best[0]:.2f} ms" if best else ""
        value = ratio(best[0] if best else None, mine)
        yield _at_least(f"latency, idle worker, {name}", "ahead of every peer", value, 1, against)


def _memory(book: Book) -> Iterable[Bar]:
    mine, payload = book.median("memory queued", ME), book.median("payload bytes", ME)
    bar = f"<= payload + {OVERHEAD_B} bytes"
    if mine is None or payload is None:
        yield Bar("memory per queued job", bar, "not measured", None)
    else:
        over = mine - payload
        yield Bar(
            "memory per queued job",
            bar,
            f"payload {payload:.0f} + {over:.0f} B",
            over <= OVERHEAD_B,
        )
    best = book.best("memory queued", SAFE, least=True)
    value = ratio(best[1] if best else None, mine)
    against = f"{best[0]}: {best[1]:.0f} B, limpet: {mine:.0f} B" if best and mine else ""
    yield _at_least("memory per queued job", "below every safe peer", value, 1, against)


def _flat(book: Book) -> Iterable[Bar]:
    for measure in ("backlog", "running", "queues"):
        for step in ("push", "pop + ack"):
            name = f"{measure}: {step}"
            most = (book.subjects(name) or [""])[-1]
            value = book.ratio((name, most), (f"{measure}, small beside: {step}", most))
            bar = "<= 1.3 x the small case"
            yield _at_most(f"flat: {step}, {measure}", bar, value, 1.3, f"{most} {measure}")


def _idle(book: Book) -> Bar:
    what, bar = "100 idle workers, one push", "one worker wakes"
    woken = book.median("idle: workers woken", "100")
    calls = book.median("idle: script calls", "100")
    if woken is None or calls is None:
        return Bar(what, bar, "not measured", None)
    return Bar(what, bar, f"{woken:.0f} woke, {calls:.0f} script calls in all", woken == 1)


def lean(book: Book, name: str) -> float | None:
    """Give the smaller CPU of a queue's kinds, microseconds of the worker per job."""
    found = [book.median(f"worker us {kind}", name) for kind in KINDS]
    return min((value for value in found if value is not None), default=None)


def _worker_cpu(book: Book) -> Bar:
    found = [(value, name) for name in OTHERS if (value := lean(book, name)) is not None]
    best = min(found, default=None)
    value = ratio(lean(book, ME), best[0] if best else None)
    against = f"{best[1]}: {best[0]:.0f} ms per 1,000" if best else ""
    bar = "<= 1/8 (0.125 x) of the leanest peer"
    return _at_most("worker CPU per 1,000 no-op jobs", bar, value, 0.125, against)


def _processes(book: Book) -> Iterable[Bar]:
    bar = ">= 1.6 x one, until the server's core is full"
    for what, measure in (("no-op jobs", "processes"), ("jobs of 50 us", _WORKING)):
        value = book.ratio((f"{measure}: drain", "2"), (f"{measure}: drain", "1"))
        yield _at_least(f"two worker processes, {what}", bar, value, 1.6)


def _slow(book: Book) -> Bar:
    names = book.subjects("slow job: drain")
    slow = next((name for name in names if name != "without"), "")
    measure = "slow job: drain"
    value = book.ratio((measure, slow), (measure, "without"))
    bar = "no-ops drain as fast (>= 0.9 x)"
    return _at_least("one slow job among no-ops", bar, value, 0.9, slow)

"""The queues that are compared: what to install, how each is set, how much to give it."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["sync", "async"]


@dataclass(frozen=True)
class Peer:
    """One queue in the comparison."""

    name: str
    title: str
    packages: tuple[str, ...]
    setting: str
    kinds: tuple[Kind, ...]
    #: About how many jobs a worker runs in a second; decides how many it gets.
    pace: int
    #: Whether a job survives the death of its worker.
    safe: bool = True
    #: Whether it holds many jobs at a time, so that the memory of a running one can be seen.
    holds_many: bool = True
    #: Jobs at a time while it drains, where that differs from other measures; 0: it does not.
    drain_slots: int = 0


LIMPET = Peer(
    "limpet",
    "limpet",
    (),
    "`limpet[fast]` (uvloop), `Worker(concurrency=100)`, 500 (fastest of 100 to 1,000) for the"
    " drain; otherwise its defaults; `def` jobs in threads",
    ("sync", "async"),
    80_000,
    drain_slots=500,
)
PEERS = (
    LIMPET,
    Peer(
        "celery",
        "Celery",
        ("celery[redis]", "hiredis"),
        "solo pool, `acks_late`, prefetch 100, no results, no events, no gossip",
        ("sync",),
        700,
    ),
    Peer(
        "rq",
        "RQ",
        ("rq", "hiredis"),
        "`SimpleWorker` (no fork), no results, no job timeout",
        ("sync", "async"),
        150,
        holds_many=False,
    ),
    Peer(
        "dramatiq",
        "Dramatiq",
        ("dramatiq[redis]", "hiredis"),
        "16 threads (fastest of 1 to 64), queue prefetch 1,000, no middleware but AsyncIO",
        ("sync", "async"),
        7_000,
    ),
    Peer(
        "arq",
        "arq",
        ("arq", "hiredis", "uvloop"),
        "uvloop, `max_jobs=100`, `poll_delay=0.005`, no results",
        ("async",),
        900,
    ),
    Peer(
        "saq",
        "SAQ",
        ("saq[redis]", "typing-extensions", "hiredis", "uvloop"),
        "uvloop, concurrency 100, nothing kept of ended jobs",
        ("sync", "async"),
        1_200,
    ),
    Peer(
        "huey",
        "Huey",
        ("huey", "redis", "hiredis"),
        "4 threads (fastest of 1 to 16), blocking pop, no results; has no at-least-once setting",
        ("sync",),
        4_500,
        safe=False,
        holds_many=False,
    ),
    Peer(
        "taskiq",
        "TaskIQ",
        ("taskiq", "taskiq-redis", "hiredis", "uvloop"),
        "uvloop, `RedisStreamBroker`, 100 tasks, prefetch 100, no results, no parameter checks",
        ("sync", "async"),
        1_600,
    ),
    Peer(
        "streaq",
        "streaQ",
        ("streaq", "hiredis", "uvloop"),
        "uvloop, concurrency 100, prefetch 100, no results",
        ("sync", "async"),
        650,
    ),
    Peer(
        "bullmq",
        "BullMQ (Python)",
        ("bullmq", "hiredis", "uvloop"),
        "uvloop, concurrency 100, `removeOnComplete`",
        ("async",),
        1_500,
    ),
)

#: No queue at all: what a hand-over costs that nobody manages.
BARE = Peer("bare", "bare lists", (), "RPUSH, then BLMOVE and LREM", ("sync", "async"), 2_000)


def chosen(names: str | None) -> list[Peer]:
    """Pick peers by name, limpet always among them."""
    if not names:
        return list(PEERS)
    wanted = {name.strip() for name in names.split(",") if name.strip()} | {"limpet"}
    unknown = wanted - {peer.name for peer in PEERS}
    if unknown:
        known = ", ".join(peer.name for peer in PEERS)
        raise SystemExit(f"no such peer: {', '.join(sorted(unknown))}; there are {known}")
    return [peer for peer in PEERS if peer.name in wanted]

"""All queues in turn: enqueue, drain, latency, start-up, memory, CPU."""

import time
from collections.abc import Callable, Sequence

from benchmarks.board import HOLD
from benchmarks.catalogue import LIMPET, Peer
from benchmarks.measures import beside
from benchmarks.places import NotInstalled
from benchmarks.seat import Seat, Trouble
from benchmarks.table import AGAIN, Found, Table

Take = Callable[[Table, Seat], Found]
FAST = 10_000
WAYS = {"enqueue": "enqueue one", "bulk": "enqueue bulk", "concurrent": "enqueue 100 concurrent"}
#: limpet's other ways, and its latency, are measured beside bare lists.
OWN_WAYS = {"concurrent": WAYS["concurrent"]}
_WARM = 20
_TRIAL = 100
_MOST = 200_000
_HELD = 100
_SETTLE_S = 0.7
_ALONE_S = 0.1


def run(table: Table, peers: Sequence[Peer]) -> None:
    """Take all samples, round by round, every second round in the opposite order."""
    here = [peer for peer in peers if _met(table, peer)]
    for number in range(table.plan.rounds):
        for peer in beside.turned(here, number):
            if peer.name not in table.book.trouble:
                _round(table, peer, number)
    for peer in here:
        if peer.name not in table.book.trouble:
            _guarded(table, peer, f"{peer.name} memory of queued jobs", _queued_memory, 0)
            if holds(table, peer):
                _guarded(table, peer, f"{peer.name} memory of running jobs", _running_memory, 0)


def holds(table: Table, peer: Peer) -> bool:
    """Say whether the memory of a peer's running jobs is measured."""
    return peer.holds_many and (table.plan.running_memory or peer is LIMPET)


def _met(table: Table, peer: Peer) -> bool:
    try:
        if peer.packages:
            table.say(f"{peer.name}: its environment")
        table.meet(peer)
    except NotInstalled as error:
        table.book.trouble[peer.name] = str(error)
        table.say(f"{peer.name}: {error}")
        return False
    return True


def _round(table: Table, peer: Peer, number: int) -> None:
    _guarded(table, peer, f"round {number + 1}: {peer.name} enqueue", _enqueue)
    for kind in peer.kinds:
        if peer.name not in table.book.trouble:

            def work(table: Table, seat: Seat, kind: str = kind) -> Found:
                return _work(table, seat, kind)

            _guarded(table, peer, f"round {number + 1}: {peer.name} {kind}", work)
    if peer is LIMPET and peer.name not in table.book.trouble:
        beside.run(table, number)


def _guarded(table: Table, peer: Peer, name: str, take: Take, again: int = AGAIN) -> None:
    """Take a sample with fresh processes on an empty server; trouble ends the peer's part."""

    def once() -> Found:
        table.server.flush()
        seat = table.seat(peer)
        try:
            return take(table, seat)
        finally:
            seat.close()

    table.guarded(peer.name, name, once, again)


def _enqueue(table: Table, seat: Seat) -> Found:
    """Enqueue in every way the peer has; nobody works meanwhile."""
    found: Found = []
    kind, name = seat.peer.kinds[-1], seat.peer.name
    for way, measure in (OWN_WAYS if seat.peer is LIMPET else WAYS).items():
        if seat.enqueue(way, kind, 0, _WARM) is None:
            continue
        trial = seat.enqueue(way, kind, 0, _TRIAL) or 0.0
        size = min(max(int(trial * table.plan.enqueue_s), _TRIAL), _MOST)
        found.append((measure, name, [seat.enqueue(way, kind, 0, size)]))
    return found


def _fill(seat: Seat, kind: str, first: int, size: int) -> None:
    """Enqueue in the fastest way the peer has."""
    for way in ("bulk", "concurrent", "enqueue"):
        if seat.enqueue(way, kind, first, size) is not None:
            return


def _queued_memory(table: Table, seat: Seat) -> Found:
    """Let a queue grow from one size to a bigger one: what is there once is not counted."""
    kind, size = seat.peer.kinds[-1], table.plan.enqueue * (40 if seat.peer.pace > FAST else 4)
    _fill(seat, kind, 0, table.plan.enqueue)
    before = _memory_alone(table, seat)
    _fill(seat, kind, 0, size)
    used = _memory_alone(table, seat) - before
    found: Found = [("memory queued", seat.peer.name, [used / size])]
    if seat.peer is LIMPET:
        found.append(("payload bytes", seat.peer.name, [_payload_bytes(table)]))
    return found


def _payload_bytes(table: Table) -> float:
    """Measure the payloads that limpet wrote."""
    client = table.server.client
    written = [len(text) for key in client.keys("limpet:*:jobs") for text in client.hvals(key)]
    return sum(written) / max(len(written), 1)


def _work(table: Table, seat: Seat, kind: str) -> Found:
    """Fill, start a worker, let it drain, then hand it single jobs."""
    peer, board, name = seat.peer, table.board, seat.peer.name
    singles = 0 if peer is LIMPET else table.plan.latencies
    size = max(int(peer.pace * table.plan.drain_s), 50)
    board.clear(size + singles)
    _fill(seat, kind, 0, size)
    born = time.monotonic()
    worker = seat.start_worker(kind, slots=peer.drain_slots)
    try:
        got = seat.drain(worker, born, size)
        seat.tell("pace", kind=kind, first=size, count=singles, gap_s=beside.GAP_S)
    finally:
        seat.end(worker)
    if wrong := board.wrong(0, size + singles):
        raise Trouble(f"{wrong} of {size + singles} {kind} jobs did not run exactly once")
    waits = [board.ran[n] - board.sent[n] for n in range(size, size + singles)]
    return [
        (f"drain {kind}", name, [got.rate]),
        (f"latency {kind}", name, [wait * 1000 for wait in waits]),
        ("start-up", name, [got.startup_s * 1000]),
        (f"worker us {kind}", name, [got.worker_us]),
        (f"server us {kind}", name, [got.server_us]),
        (f"commands {kind}", name, [got.commands]),
        ("rss", name, [got.rss_kb / 1024]),
    ]


def _running_memory(table: Table, seat: Seat) -> Found:
    """Let a worker take 100 jobs that do not end, and kill it: they are with it all the same."""
    board = table.board
    board.clear(1)
    board.counts[HOLD:] = bytes(len(board.counts) - HOLD)
    empty = _held_by_a_dead_worker(table, seat, 0, 1)  # what is there once is there now
    used = _held_by_a_dead_worker(table, seat, HOLD, _HELD) - empty
    return [("memory running", seat.peer.name, [used / _HELD])]


def _held_by_a_dead_worker(table: Table, seat: Seat, first: int, count: int) -> int:
    kind = seat.peer.kinds[-1]
    seat.enqueue("enqueue", kind, first, count)
    worker = seat.start_worker(kind)
    try:
        _wait_for(table, first)
    finally:
        seat.end(worker)
    return _memory_alone(table, seat)


def _memory_alone(table: Table, seat: Seat) -> int:
    """Read the server's memory when no client but ours is there."""
    seat.end_producer()
    time.sleep(_ALONE_S)
    return table.server.memory()


def _wait_for(table: Table, number: int) -> None:
    """Wait until a job runs, and until those taken ahead are with the worker too."""
    deadline = time.monotonic() + 20
    while not table.board.counts[number]:
        if time.monotonic() > deadline:
            raise Trouble("its worker held no job within 20 s")
        time.sleep(0.02)
    time.sleep(_SETTLE_S)

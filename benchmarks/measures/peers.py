"""All queues in turn: enqueue, drain, latency, start-up, memory, CPU."""

import time
from collections.abc import Callable, Sequence

from benchmarks.board import HOLD, LET_GO
from benchmarks.catalogue import BARE, LIMPET, Peer
from benchmarks.places import NotInstalled
from benchmarks.seat import Seat, Trouble
from benchmarks.table import Found, Table

Take = Callable[[Table, Seat], Found]
FAST = 10_000
WAYS = {"enqueue": "enqueue one", "bulk": "enqueue bulk", "concurrent": "enqueue 100 concurrent"}
_WARM = 20
_HELD = 100
_GAP_S = 0.006


def run(table: Table, peers: Sequence[Peer]) -> None:
    """Take all samples, round by round, every second round in the opposite order."""
    here = [peer for peer in (*peers, BARE) if _met(table, peer)]
    for number in range(table.plan.rounds):
        for peer in here if number % 2 == 0 else reversed(here):
            if peer.name not in table.book.trouble:
                _round(table, peer, number)
    for peer in here:
        if peer is not BARE and peer.name not in table.book.trouble:
            _guarded(table, peer, f"{peer.name} memory of queued jobs", _queued_memory)
            if peer.holds_many:
                _guarded(table, peer, f"{peer.name} memory of running jobs", _running_memory)


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
    if peer is not BARE:
        _guarded(table, peer, f"round {number + 1}: {peer.name} enqueue", _enqueue)
    for kind in peer.kinds:
        if peer.name not in table.book.trouble:

            def work(table: Table, seat: Seat, kind: str = kind) -> Found:
                return _work(table, seat, kind)

            _guarded(table, peer, f"round {number + 1}: {peer.name} {kind}", work)


def _guarded(table: Table, peer: Peer, name: str, take: Take) -> None:
    """Take a sample with fresh processes on an empty server; trouble ends the peer's part."""

    def once() -> Found:
        table.server.flush()
        seat = table.seat(peer)
        try:
            return take(table, seat)
        finally:
            seat.close()

    try:
        table.sample(name, once)
    except Trouble as error:
        table.book.trouble[peer.name] = str(error)
        table.say(f"{name}: {error}")


def _enqueue(table: Table, seat: Seat) -> Found:
    """Enqueue in every way the peer has; nobody works meanwhile."""
    found: Found = []
    kind, name = seat.peer.kinds[-1], seat.peer.name
    for way, measure in WAYS.items():
        if seat.enqueue(way, kind, 0, _WARM) is None:
            continue
        size = table.plan.enqueue
        if way != "enqueue":
            size *= 10 if seat.peer.pace > FAST else 2
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
    before = table.server.memory()
    _fill(seat, kind, 0, size)
    found: Found = [("memory queued", seat.peer.name, [(table.server.memory() - before) / size])]
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
    peer, plan = seat.peer, table.plan
    size = max(int(peer.pace * plan.drain_s), 50)
    table.board.clear(size + plan.latencies)
    _fill(seat, kind, 0, size)
    born = time.monotonic()
    worker = seat.start_worker(kind)
    try:
        got = seat.drain(worker, born, size)
        seat.tell("pace", kind=kind, first=size, count=plan.latencies, gap_s=_GAP_S)
    finally:
        seat.end(worker)
    wrong = table.board.wrong(0, size + plan.latencies)
    if wrong:
        raise Trouble(f"{wrong} of {size + plan.latencies} {kind} jobs did not run exactly once")
    board, name = table.board, peer.name
    waits = [board.ran[n] - board.sent[n] for n in range(size, size + plan.latencies)]
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
    """Let 100 jobs be with a worker that does not end them."""
    kind, board = seat.peer.kinds[-1], table.board
    board.counts[HOLD:] = bytes(len(board.counts) - HOLD)
    seat.enqueue("enqueue", kind, HOLD, 1)
    empty = table.server.memory()
    seat.enqueue("enqueue", kind, HOLD + 1, _HELD)
    worker = seat.start_worker(kind)
    try:
        deadline = time.monotonic() + 10
        while not board.finished(HOLD, 1) and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(1.0)  # those it takes ahead are with it by then
        used = table.server.memory() - empty
    finally:
        board.counts[LET_GO] = 1
        seat.end(worker)
    return [("memory running", seat.peer.name, [used / _HELD])]

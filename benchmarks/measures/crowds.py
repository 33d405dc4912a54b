"""limpet alone: idle workers, several processes, special jobs, sizes of payload, a slow job."""

import asyncio
import time
from functools import partial

from benchmarks.catalogue import LIMPET
from benchmarks.cores import SERVER_CORE, pin
from benchmarks.measures.beside import turned
from benchmarks.seat import Trouble
from benchmarks.table import Found, Table
from limpet import AsyncLimpet

_SETTLE_S = 0.3
#: What several processes do: nothing at all, or a little work; and how much of it.
KINDS = (("async", "processes", 1.0), ("busy:50", "processes with 50 us of work", 0.25))
#: The part of a drain that is enough where no bar is judged.
_SHARE = 0.2


def run(table: Table) -> None:
    """Take each sample as often as there are rounds."""
    for number in range(table.plan.rounds):
        for count in table.plan.idle:
            table.sample(f"idle workers {count}", partial(idle, table, count))
        for kind in table.plan.special:
            table.sample(f"drain {kind}", partial(special, table, kind))
        for size in table.plan.payloads:
            table.sample(f"payload {size:,} B", partial(payload, table, size))
        table.sample(f"slow job, round {number + 1}", lambda: slow(table))
        _float(table, number)


def _float(table: Table, number: int) -> None:
    """Several processes need all cores: nothing is pinned meanwhile."""
    pin(table.server.process.pid, None)
    try:
        for count in table.plan.processes:
            for kind, measure, share in KINDS:
                size = _size(table, share)
                table.sample(
                    f"{measure} {count}, round {number + 1}",
                    partial(drain, table, kind, measure, str(count), count, size),
                )
    finally:
        pin(table.server.process.pid, SERVER_CORE)


def _size(table: Table, share: float = 1.0) -> int:
    return max(int(LIMPET.pace * table.plan.drain_s * share), 50)


def drain(
    table: Table, kind: str, measure: str, subject: str, processes: int = 0, size: int = 0
) -> Found:
    """Drain jobs of a kind with one pinned worker, or with several that are not."""
    size = size or _size(table)
    table.server.flush()
    table.board.clear(size)
    seat = table.seat(LIMPET)
    workers = []
    try:
        enqueued = seat.enqueue("bulk", kind, 0, size)
        born = time.monotonic()
        if processes:
            workers = [seat.start_worker(kind, core=None) for _ in range(processes)]
        else:
            workers = [seat.start_worker(kind)]
        got = seat.drain(workers[0], born, size)
    finally:
        for worker in workers:
            seat.end(worker)
        seat.close()
    if got.wrong:
        raise Trouble(f"{got.wrong} of {size} {kind} jobs did not run exactly once")
    return [
        (f"{measure}: drain", subject, [_steady(table, size)]),
        (f"{measure}: server us", subject, [got.server_us]),
        (f"{measure}: enqueue", subject, [enqueued]),
    ]


def _steady(table: Table, size: int) -> float:
    """Jobs a second from the first quarter on: by then all processes are there."""
    times = sorted(table.board.ran[:size])
    first = times[size // 4]
    return (size - size // 4 - 1) / max(times[-1] - first, 1e-9)


def special(table: Table, kind: str) -> Found:
    """Drain plain, unique or locked jobs."""
    return drain(table, kind, "special", kind, size=_size(table, _SHARE))


def payload(table: Table, size: int) -> Found:
    """Drain jobs with a text of this size."""
    share = min(1.0, 5_000 / size)
    count = _size(table, _SHARE * share)
    return drain(table, f"payload:{size}", "payload", f"{size:,}", size=count)


def slow(table: Table) -> Found:
    """Drain no-ops with and without one slow job in front of them, in turns: drains are short."""
    kinds = (("without", 0.0), (f"{table.plan.slow_s:g} s job", table.plan.slow_s))
    return [
        ("slow job: drain", name, [_with_slow(table, slow_s)])
        for number in range(table.plan.pairs)
        for name, slow_s in turned(kinds, number)
    ]


def _with_slow(table: Table, slow_s: float) -> float:
    size = 10_000 if table.plan.drain_s > 0.1 else 100  # noqa: PLR2004 - a tiny run
    table.server.flush()
    table.board.clear(size + 1)
    seat = table.seat(LIMPET)
    worker = None
    try:
        if slow_s:
            seat.enqueue("bulk", f"slow:{slow_s}", size, 1)
        seat.enqueue("bulk", "async", 0, size)
        born, worker = time.monotonic(), seat.start_worker("async")
        return seat.drain(worker, born, size).rate
    finally:
        if worker is not None:
            seat.end(worker)
        seat.close()


def idle(table: Table, count: int) -> Found:
    """Let workers wait on one queue; count the script calls that one push causes."""
    table.server.flush()
    return asyncio.run(_idle(table, count))


async def _idle(table: Table, count: int) -> Found:
    url = table.server.url
    workers = [AsyncLimpet(url, heartbeat=60, lease=600) for _ in range(count)]
    producer, got = AsyncLimpet(url), 0
    waiting = [asyncio.create_task(one.queue("idle").pop(wait=20)) for one in workers]
    try:
        while int(table.server.client.info("clients")["blocked_clients"]) < count:  # noqa: ASYNC110 - nobody tells us
            await asyncio.sleep(0.02)
        before = _scripts(table)
        await producer.queue("idle").push(b"x")
        await asyncio.sleep(_SETTLE_S)
        after = _scripts(table)
        got = sum(1 for task in waiting if task.done())
    finally:
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        for one in (*workers, producer):
            await one.close()
    return [
        ("idle: workers woken", str(count), [float(got)]),
        ("idle: script calls", str(count), [float(after - before)]),
    ]


def _scripts(table: Table) -> int:
    stats = table.server.client.info("commandstats")
    return sum(
        int(stats[f"cmdstat_{name}"]["calls"])
        for name in ("eval", "evalsha")
        if f"cmdstat_{name}" in stats
    )

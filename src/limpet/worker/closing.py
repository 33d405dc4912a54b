"""The end of a shift: grace for what runs, the rest goes back to its place."""

import asyncio
import contextlib
import logging
import random

from limpet.errors import LimpetError
from limpet.worker.bench import Bench
from limpet.worker.outcomes import Why
from limpet.worker.runner import judge_stop
from limpet.worker.slots import Running

log = logging.getLogger("limpet.worker")
#: How long stopped jobs may take to end before they are given back nevertheless.
END_S = 1.0
#: How long the server may take to hear of it; after that the lease tells it.
TELL_S = 5.0
LOOK_S = 0.02


async def drain(bench: Bench, grace_s: float, now: asyncio.Event) -> None:
    """Wait until all jobs ended, the grace time is over, or there is no time any more."""
    deadline = asyncio.get_running_loop().time() + grace_s
    if bench.running and grace_s and not now.is_set():
        log.info("limpet: stopping: %d jobs are running", len(bench.running))
    hurry = asyncio.ensure_future(now.wait())
    try:
        while bench.running and not now.is_set():
            left_s = deadline - asyncio.get_running_loop().time()
            if left_s <= 0:
                return
            await asyncio.wait({hurry}, timeout=min(left_s, LOOK_S))
    finally:
        hurry.cancel()


async def give_back(bench: Bench) -> None:
    """Stop what still runs, and give it back; no attempt is spent."""
    for running in list(bench.running):
        running.stop(Why.RELEASED)
    loop = asyncio.get_running_loop()
    deadline = loop.time() + END_S
    while bench.running and loop.time() < deadline:
        await _room(bench, LOOK_S)
    try:
        async with asyncio.timeout(TELL_S):
            await asyncio.gather(*(_let_go(bench, running) for running in list(bench.running)))
            await bench.acks.settle()
    except (TimeoutError, LimpetError) as error:
        log.warning("limpet: not all jobs could be settled, their lease will: %s", error)


async def _room(bench: Bench, within_s: float) -> None:
    bench.room.clear()
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(bench.room.wait(), within_s)


async def _let_go(bench: Bench, running: Running) -> None:
    """Settle a job that will not end: the process ends, and it with it."""
    if running.settling or running.why is None:
        return
    bench.running.discard(running)
    log.warning("limpet: job %s of %s did not end", running.job.id, running.job.task)
    await bench.finish.tell(running.delivery, judge_stop(running.run, running.why, random.random()))

"""arq."""

import asyncio
from typing import Any

from arq import create_pool
from arq.connections import ArqRedis, RedisSettings
from arq.worker import Worker, func

from benchmarks.peers.common import PORT, SLOTS, amark, hundred, leave, signalled

SETTINGS = RedisSettings(host="127.0.0.1", port=PORT)
_pools: list[ArqRedis] = []


async def job(_context: dict[str, Any], number: int) -> None:
    """Do nothing."""
    await amark(number)


async def _pool() -> ArqRedis:
    if not _pools:
        _pools.append(await create_pool(SETTINGS))
    return _pools[0]


async def enqueue(_kind: str, numbers: range) -> None:
    """One job per call."""
    pool = await _pool()
    for number in numbers:
        await pool.enqueue_job("job", number)


async def concurrent(_kind: str, numbers: range) -> None:
    """100 tasks on one loop."""
    pool = await _pool()

    async def one(number: int) -> None:
        await pool.enqueue_job("job", number)

    await hundred(one, numbers)


async def work(_kind: str) -> None:
    """Look for jobs every 5 ms, 100 at a time; keep no results."""
    worker = Worker(
        [func(job, name="job", keep_result=0)],
        redis_settings=SETTINGS,
        max_jobs=SLOTS,
        poll_delay=0.005,
        handle_signals=False,
    )
    running = asyncio.create_task(worker.async_run())
    await signalled()
    del running
    leave()

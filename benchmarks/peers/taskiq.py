"""TaskIQ with taskiq-redis."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from taskiq.receiver import Receiver
from taskiq_redis import RedisStreamBroker

from benchmarks.peers.common import SLOTS, URL, amark, hundred, leave, mark, signalled

broker = RedisStreamBroker(url=URL, xread_count=SLOTS)
TASKS = {
    "sync": broker.task(task_name="sync")(mark),
    "async": broker.task(task_name="async")(amark),
}
_started: list[bool] = []


async def _start() -> None:
    if not _started:
        await broker.startup()
        _started.append(True)


async def enqueue(kind: str, numbers: range) -> None:
    """One job per call."""
    await _start()
    for number in numbers:
        await TASKS[kind].kiq(number)


async def concurrent(kind: str, numbers: range) -> None:
    """100 tasks on one loop."""
    await _start()
    await hundred(TASKS[kind].kiq, numbers)


async def work(_kind: str) -> None:
    """Streams: acked after the run, given to others when idle too long."""
    broker.is_worker_process = True
    await broker.startup()
    with ThreadPoolExecutor(SLOTS) as threads:
        receiver = Receiver(
            broker,
            executor=threads,
            max_async_tasks=SLOTS,
            max_prefetch=SLOTS,
            validate_params=False,
            run_startup=False,
        )
        running = asyncio.create_task(receiver.listen(asyncio.Event()))
        await signalled()
        del running
        leave()

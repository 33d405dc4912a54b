"""streaQ."""

import asyncio

from streaq import Worker

from benchmarks.peers.common import SLOTS, URL, amark, calls_of, hundred, leave, mark, signalled

worker = Worker(redis_url=URL, concurrency=SLOTS, prefetch=SLOTS, handle_signals=False)
TASKS = {
    "sync": worker.task(name="sync", ttl=0)(mark),
    "async": worker.task(name="async", ttl=0)(amark),
}

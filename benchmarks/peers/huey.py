"""Huey."""

import logging
import os

from huey import RedisHuey
from huey.consumer import Consumer

from benchmarks.peers.common import URL, leave, mark, wait_for_signal

#: The fastest of 1 to 16.
THREADS = int(os.environ.get("BENCH_THREADS", "4"))
huey = RedisHuey("bench", url=URL, results=False, utc=True)


@huey.task(name="sync")
def sync(number: int) -> None:
    """Do nothing."""
    mark(number)


def enqueue(_kind: str, numbers: range) -> None:
    """One job per call."""
    for number in numbers:
        sync(number)


def work(_kind: str) -> None:
    """Worker threads with a blocking pop; a job taken is gone from the server."""
    logging.disable(logging.INFO)
    consumer = Consumer(
        huey, workers=THREADS, periodic=False, backoff=1.0, check_worker_health=False
    )
    consumer.start()
    wait_for_signal()
    leave()

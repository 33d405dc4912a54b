"""Dramatiq."""

import os

os.environ.setdefault("dramatiq_queue_prefetch", "1000")  # read when dramatiq is imported

import dramatiq
from dramatiq.brokers.redis import RedisBroker
from dramatiq.middleware import AsyncIO

from benchmarks.peers.common import URL, amark, leave, mark, wait_for_signal

#: The fastest of 1 to 64; from 8 on it makes little difference.
THREADS = int(os.environ.get("BENCH_THREADS", "16"))
broker = RedisBroker(url=URL, middleware=[AsyncIO()])
dramatiq.set_broker(broker)
TASKS = {
    "sync": dramatiq.actor(mark, actor_name="sync"),
    "async": dramatiq.actor(amark, actor_name="async"),
}


def enqueue(kind: str, numbers: range) -> None:
    """One message per call."""
    send = TASKS[kind].send
    for number in numbers:
        send(number)


def work(_kind: str) -> None:
    """Worker threads in one process; acks come one by one."""
    worker = dramatiq.Worker(broker, worker_threads=THREADS, worker_timeout=100)
    worker.start()
    wait_for_signal()
    leave()

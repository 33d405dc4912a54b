"""Celery."""

import logging

from celery import Celery, group

from benchmarks.peers.common import URL, calls_of, leave, mark, when_told

app = Celery("bench", broker=URL)
app.conf.update(
    task_acks_late=True,
    task_ignore_result=True,
    worker_prefetch_multiplier=100,
    worker_hijack_root_logger=False,
    broker_connection_retry_on_startup=True,
    worker_enable_remote_control=False,
    worker_send_task_events=False,
    broker_transport_options={"visibility_timeout": 3600},
)


@app.task(name="sync")
def sync(number: int) -> None:
    """Do nothing."""
    mark(number)


def enqueue(_kind: str, numbers: range) -> None:
    """As its guide shows it."""
    for number in numbers:
        sync.delay(number)


def bulk(_kind: str, numbers: range) -> None:
    """Groups over one producer; each job is still a message of its own."""
    with app.producer_pool.acquire(block=True) as producer:
        for part in calls_of(numbers):
            group(sync.s(number) for number in part).apply_async(producer=producer)


def work(_kind: str) -> None:
    """The solo pool: no other process, no thread."""
    logging.disable(logging.INFO)
    worker = app.Worker(
        pool="solo", without_gossip=True, without_mingle=True, without_heartbeat=True, quiet=True
    )
    when_told(leave)
    worker.start()

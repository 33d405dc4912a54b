"""RQ."""

import logging

from redis import Redis
from rq import Queue, SimpleWorker
from rq.timeouts import BaseDeathPenalty

from benchmarks.peers.common import URL, amark, calls_of, leave, mark, when_told

queue = Queue(connection=Redis.from_url(URL))
TASKS = {"sync": mark, "async": amark}


class NoDeathPenalty(BaseDeathPenalty):
    """Jobs need no time limit here: one alarm less per job."""

    def setup_death_penalty(self) -> None:
        """Set nothing."""

    def cancel_death_penalty(self) -> None:
        """Clear nothing."""


class Worker(SimpleWorker):
    """Runs jobs in its own process, without a fork for each."""

    death_penalty_class = NoDeathPenalty


def enqueue(kind: str, numbers: range) -> None:
    """One job per call."""
    for number in numbers:
        queue.enqueue(_of(kind), number, result_ttl=0)


def bulk(kind: str, numbers: range) -> None:
    """`enqueue_many`: one pipeline per call."""
    for part in calls_of(numbers):
        queue.enqueue_many(
            [Queue.prepare_data(_of(kind), (number,), result_ttl=0) for number in part]
        )


def _of(kind: str) -> str:
    return f"benchmarks.peers.common.{TASKS[kind].__name__}"


def work(_kind: str) -> None:
    """Simple worker, nothing logged."""
    logging.disable(logging.WARNING)
    worker = Worker([queue], connection=queue.connection)
    worker._install_signal_handlers = lambda: None  # noqa: SLF001 - it would wait for its job
    when_told(leave)
    worker.work(logging_level="ERROR")

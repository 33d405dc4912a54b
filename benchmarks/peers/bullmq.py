"""BullMQ's port for Python."""

from typing import Any

from bullmq import Job, Queue, Worker

from benchmarks.peers.common import SLOTS, URL, amark, calls_of, hundred, leave, signalled

CONNECTION = {"connection": URL}
KEEP_NOTHING = {"removeOnComplete": True}
_queues: list[Queue] = []


def _queue() -> Queue:
    if not _queues:
        _queues.append(Queue("bench", CONNECTION))
    return _queues[0]


async def enqueue(_kind: str, numbers: range) -> None:
    """One job per call."""
    for number in numbers:
        await _queue().add("job", {"number": number}, KEEP_NOTHING)


async def bulk(_kind: str, numbers: range) -> None:
    """`addBulk`: one pipeline per call."""
    for part in calls_of(numbers):
        jobs = [{"name": "job", "data": {"number": n}, "opts": KEEP_NOTHING} for n in part]
        await _queue().addBulk(jobs)


async def concurrent(_kind: str, numbers: range) -> None:
    """100 tasks on one loop."""

    async def one(number: int) -> None:
        await _queue().add("job", {"number": number}, KEEP_NOTHING)

    await hundred(one, numbers)


async def _run(job: Job, _token: Any) -> None:
    await amark(job.data["number"])


async def work(_kind: str) -> None:
    """100 jobs at a time; each under a lock that is renewed."""
    worker = Worker("bench", _run, {**CONNECTION, "concurrency": SLOTS})
    await signalled()
    del worker
    leave()

"""Managing a queue in bounded steps: cancel by payload, adopt, leave, declare dead, review."""

from collections.abc import Callable, Sequence

from limpet.commands import finish, look, manage, push, workers
from limpet.commands.push import NewJob, PushAnswer
from limpet.flows.base import Flow
from limpet.flows.pop import Source, tend
from limpet.keys import QueueKeys
from limpet.options import MAX_BATCH
from limpet.values import Receipt


def push_all(keys: QueueKeys, jobs: Sequence[NewJob | bytes]) -> Flow[PushAnswer]:
    """Queue any number of jobs, one round trip per thousand."""
    pushed, born = [], False
    for first in range(0, len(jobs), MAX_BATCH):
        answer: PushAnswer = yield push.push_any(keys, jobs[first : first + MAX_BATCH])
        pushed += answer.pushed
        born = born or answer.born
    return PushAnswer(pushed, born)


def find(keys: QueueKeys, payload: bytes) -> Flow[list[tuple[str, bool]]]:
    """Find all jobs with a payload, as (id, whether it runs)."""
    found: dict[str, bool] = {}
    cursor = "0"
    while True:
        cursor, pairs = yield look.find(keys, cursor, payload)
        found.update(pairs)
        if cursor == "0":
            return list(found.items())


def cancel_payload(keys: QueueKeys, payload: bytes) -> Flow[int]:
    """Cancel every copy of a payload."""
    found = yield from find(keys, payload)
    ids, cancelled = [job_id for job_id, _ in found], 0
    for first in range(0, len(ids), 100):
        cancelled += yield manage.cancel(keys, ids[first : first + 100], payload)
    return cancelled


def adopt(keys: QueueKeys, source: str, make: Callable[[bytes], NewJob]) -> Flow[tuple[int, bool]]:
    """Move a plain list into the queue, from its head, until it is empty."""
    moved, born = 0, False
    while True:
        head: list[bytes] = yield push.glimpse(keys, source, 100)
        if not head:
            return moved, born
        answer: PushAnswer | None = yield push.adopt(keys, source, [make(p) for p in head])
        if answer is not None:
            moved += sum(pushed.created for pushed in answer.pushed)
            born = born or answer.born


def stop_work(keys: QueueKeys, worker: str) -> Flow[int]:
    """Leave a queue; what is held goes back, a bounded batch at a time."""
    total = 0
    while True:
        answer: tuple[bool, int] = yield workers.stop_work(keys, worker)
        total += answer[1]
        if answer[0]:
            return total


def review(
    keys: QueueKeys, worker: str, older_ms: int, known: Callable[[], frozenset[Receipt]]
) -> Flow[int]:
    """Give back what the server thinks we hold but we do not; answers how many.

    A server that lost its last writes, in a failover or a restart, has forgotten that these jobs
    ended; as long as the worker lives, nobody else would get them or the locks they hold.
    """
    after, strange, returned = "", [], 0
    while True:
        after, held = yield workers.holds(keys, worker, older_ms, after)
        mine = known()
        strange += [receipt for receipt in held if receipt not in mine]
        if not after:
            break
    for first in range(0, len(strange), MAX_BATCH):
        returned += len((yield finish.release(keys, strange[first : first + MAX_BATCH], None)))
    return returned


def fail_worker(source: Source, worker: str) -> Flow[bool]:
    """Declare a worker dead and return what it holds."""
    known: bool = yield workers.fail_worker(source.keys, worker)
    if known:
        yield from tend(source)
    return known

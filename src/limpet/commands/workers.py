"""Workers: start and stop of work, heartbeat, housekeeping."""

import json
from dataclasses import dataclass

from limpet.commands.base import Command, Reply, command, loads, misread
from limpet.commands.take import show
from limpet.errors import WorkerLost
from limpet.keys import QueueKeys
from limpet.options import WorkerOptions
from limpet.scripts import script
from limpet.values import Receipt, WorkerView


def start_work(
    keys: QueueKeys, worker: str, options: WorkerOptions, host: str, pid: int
) -> Command[bool]:
    """Register a worker with a queue; answers whether the queue is new."""

    def read(reply: Reply) -> bool:
        match reply:
            case [b"started", born]:
                return bool(born)
        misread("start_work", reply)

    info: dict[str, object] = {"name": options.name, "host": host, "pid": pid}
    info["lease_ms"] = options.lease_ms
    if options.tasks:
        info["tasks"] = options.tasks
    return command(
        "start_work",
        keys,
        read,
        worker=worker,
        lease_ms=options.lease_ms,
        stride_ms=options.stride_ms,
        info=json.dumps(info),
    )


def stop_work(keys: QueueKeys, worker: str, limit: int = 100) -> Command[tuple[bool, int]]:
    """Leave a queue and give back what is held; answers (finished, returned)."""

    def read(reply: Reply) -> tuple[bool, int]:
        match reply:
            case [b"stopped" | b"more" as word, returned]:
                return word == b"stopped", returned
        misread("stop_work", reply)

    return command("stop_work", keys, read, worker=worker, limit=limit)


def fail_worker(keys: QueueKeys, worker: str) -> Command[bool]:
    """Declare a worker dead; answers whether it served the queue."""

    def read(reply: Reply) -> bool:
        match reply:
            case [b"failed"]:
                return True
            case [b"unknown"]:
                return False
        misread("fail_worker", reply)

    return command("fail_worker", keys, read, worker=worker)


@dataclass(frozen=True, slots=True)
class Tended:
    """What housekeeping did, and whether there is more to do."""

    promoted: int
    returned: int
    more: bool


def tend(keys: QueueKeys, crash_limit: int, dead_limit: int, limit: int = 100) -> Command[Tended]:
    """Bring in due jobs and return what dead workers hold."""

    def read(reply: Reply) -> Tended:
        match reply:
            case [b"tended", promoted, returned, more]:
                return Tended(promoted, returned, more == 1)
        misread("tend", reply)

    return command("tend", keys, read, crash_limit=crash_limit, dead_limit=dead_limit, limit=limit)


@dataclass(frozen=True, slots=True)
class Beat:
    """The answer to a heartbeat in one queue."""

    lost: bool
    tend: bool
    #: Milliseconds until something needs tending; -1 if nothing is in sight.
    next_in_ms: int
    cancelled: tuple[str, ...]
    #: Milliseconds until a schedule fires; -1 if there is none.
    fires_in_ms: int = -1


def beat(queues: list[QueueKeys], worker: str) -> Command[list[Beat]]:
    """Renew the lease of a worker in any number of queues."""
    made = script("beat")

    def read(reply: Reply) -> list[Beat]:
        if len(reply) != len(queues):
            misread("beat", reply)
        return [
            Beat(
                word == b"lost", word == b"tend", next_in, tuple(i.decode() for i in ids), fires_in
            )
            for word, next_in, ids, fires_in in reply
        ]

    keys = tuple(key for queue in queues for key in queue.pick(made.keys))
    return Command(made, keys, (worker,), read, ",".join(q.queue for q in queues))


def renew(
    keys: QueueKeys, worker: str, receipts: list[Receipt]
) -> Command[tuple[frozenset[int], frozenset[int]]]:
    """Renew the lease in one queue; answers positions of lost and of cancelled receipts."""
    shown = show(receipts)

    def read(reply: Reply) -> tuple[frozenset[int], frozenset[int]]:
        match reply:
            case [b"renewed", stale, told]:
                return shown.back(stale), shown.back(told)
            case [b"lost"]:
                raise WorkerLost(worker)
        misread("renew", reply)

    return command("renew", keys, read, worker=worker, tail=shown.args)


def holds(
    keys: QueueKeys, worker: str, older_ms: int, after: str
) -> Command[tuple[str, list[Receipt]]]:
    """List what a worker holds of old hand-outs; answers where to go on ("": the end) and them."""

    def read(reply: Reply) -> tuple[str, list[Receipt]]:
        match reply:
            case [b"holds", last, *flat]:
                pairs = zip(flat[::2], flat[1::2], strict=True)
                return last.decode(), [Receipt(i.decode(), int(fence)) for i, fence in pairs]
        misread("holds", reply)

    return command("holds", keys, read, worker=worker, older_ms=older_ms, after=after)


def abandon(keys: QueueKeys) -> Command[int]:
    """Give up a request whose reply never came; sent under that request's own number."""

    def read(reply: Reply) -> int:
        match reply:
            case [b"abandoned", returned]:
                return int(returned)
        misread("abandon", reply)

    return command("abandon", keys, read)


def crew(keys: QueueKeys) -> Command[list[WorkerView]]:
    """List the workers of a queue."""

    def read(reply: Reply) -> list[WorkerView]:
        match reply:
            case [b"crew", *flat]:
                rows = zip(flat[::4], flat[1::4], flat[2::4], flat[3::4], strict=True)
                return [_worker(keys.queue, *row) for row in rows]
        misread("crew", reply)

    return command("crew", keys, read)


def _worker(queue: str, worker: bytes, raw: bytes, left: bytes, held: int) -> WorkerView:
    info = loads(raw)
    return WorkerView(
        id=worker.decode(),
        queue=queue,
        name=str(info.get("name", "")),
        host=str(info.get("host", "")),
        pid=int(info.get("pid") or 0),
        lease_ms=int(info.get("lease_ms") or 0),
        lease_left_ms=None if left == b"inf" else int(left),
        handouts=held,
        tasks=tuple(str(task) for task in info.get("tasks") or ()),
    )

# Generated from src/limpet/aio/producer.py by `python3 dev.py docs`; edit that file.
"""The producing side of a queue."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from types import EllipsisType

from limpet.commands import manage, push
from limpet.commands.push import NewJob
from limpet.errors import ConfigError, Duplicate
from limpet.flows import manage as manage_flows
from limpet.intake import Item, id_of, is_strict, list_key_of, new_job
from limpet.options import MAX_BATCH, Duration, OnTwin, Payload, UniqueMode, payload_bytes
from limpet.sync.base import QueueBase
from limpet.values import Pushed


class Producer(QueueBase):
    """Push, cancel, adopt."""

    def push(
        self,
        payload: Payload,
        *,
        unique: UniqueMode | EllipsisType | None = ...,
        key: Payload | None = None,
        lock: Payload | EllipsisType | None = ...,
        delay: Duration | None = None,
        at: float | datetime | None = None,
        front: bool = False,
        id: str | None = None,
        on_twin: OnTwin | EllipsisType = ...,
        lock_limit: int | EllipsisType = ...,
        keep: Duration | None = None,
    ) -> Pushed:
        """Queue one job.

        Args:
            payload: Any bytes, kept untouched; text becomes UTF-8.
            unique: "waiting" or "running": refuse a twin while one waits, or until it ended.
            key: What makes twins the same; the payload if not given.
            lock: At most one job with this key runs (more with the queue's `lock_limit`).
            delay: Not before this time has passed.
            at: Not before this moment.
            front: Ahead of all others.
            id: Your own id; pushing it again while the job is there adds nothing.
            on_twin: "keep" the first, "replace" its payload and time, or "raise" `Duplicate`.
            lock_limit: How many jobs with this lock may run at once.
            keep: Keep the outcome for this long after the end, for `result`.

        Returns:
            The job's id; `created` is False if another job was in the way, whose id it then is.
        """
        item = Item(payload, unique, key, lock, delay, at, front, id, on_twin, lock_limit, keep)
        return (self.push_many([item]))[0]

    def push_many(
        self,
        items: Iterable[Payload | Item],
        *,
        unique: UniqueMode | EllipsisType | None = ...,
        lock: Payload | EllipsisType | None = ...,
        delay: Duration | None = None,
        at: float | datetime | None = None,
        front: bool = False,
        on_twin: OnTwin | EllipsisType = ...,
    ) -> list[Pushed]:
        """Queue many jobs, left to right, one round trip per thousand.

        Options are for all jobs; an `Item` says its own. A wrong item raises before any is sent.
        """
        if isinstance(items, (str, bytes, bytearray)) or not isinstance(items, Iterable):
            raise ConfigError("push_many takes a list of payloads; push takes one")
        common = Item(b"", unique, None, lock, delay, at, front, None, on_twin)
        each = [(i if isinstance(i, Item) else Item(i)).over(common) for i in items]
        if not each:
            raise ConfigError("there is nothing to push: give at least one payload")
        answer = self.push_jobs([new_job(self.policy, item) for item in each])
        for item, pushed in zip(each, answer, strict=True):
            if not pushed.created and is_strict(self.policy, item.on_twin):
                raise Duplicate(self.name, pushed.id)
        return answer

    def push_jobs(self, jobs: Sequence[NewJob | bytes]) -> list[Pushed]:
        """Queue jobs that were checked already; bytes are the payload of a plain one."""
        self._limpet.register(self.name)
        if len(jobs) > MAX_BATCH:
            answer = self._run(manage_flows.push_all(self._keys, jobs))
        else:
            answer = self._send(push.push_any(self._keys, jobs))
        if answer.born:
            self._limpet.register(self.name, again=True)
        return answer.pushed

    def cancel(self, *, payload: Payload | None = None, id: str | None = None) -> int:
        """Cancel by payload (every copy) or by id; answers how many.

        Jobs that do not run are gone at once, with their marks. The workers of running ones are
        told, and whatever ends such a delivery then ends the job as cancelled.
        """
        if (payload is None) == (id is None):
            raise ConfigError("say what to cancel: either payload= or id=")
        if id is not None:
            job_id = id_of(id)
            return self._send(manage.cancel(self._keys, [job_id], None)) if job_id else 0
        wanted = payload_bytes(b"" if payload is None else payload, self.policy.max_payload)
        return self._run(manage_flows.cancel_payload(self._keys, wanted))

    def adopt(self, list_key: str) -> int:
        """Take over an existing plain list, head first; answers how many jobs it gave.

        The list empties as its elements move, each in the same step that queues it. Marks and
        locks are built by the queue's policy; twins are merged.
        """
        source = list_key_of(list_key)
        self._limpet.register(self.name)
        flow = manage_flows.adopt(
            self._keys, source, lambda payload: new_job(self.policy, Item(payload))
        )
        moved, born = self._run(flow)
        if born:
            self._limpet.register(self.name, again=True)
        return moved

"""Looking: stats, inspect, one job, failures, locks, search."""

from typing import Any

from limpet.commands.base import Command, Reply, as_bytes, command, loads, misread, number, readable
from limpet.commands.take import enqueued_at
from limpet.keys import QueueKeys
from limpet.states import State
from limpet.values import Failure, JobView, LockView, Receipt, Stats


def stats(keys: QueueKeys) -> Command[Stats]:
    """Count what is in the queue and what went through it."""

    def read(reply: Reply) -> Stats:
        match reply:
            case [b"stats", *flat]:
                names = [name.decode() for name in flat[::2]]
                found: dict[str, Any] = dict(zip(names, flat[1::2], strict=True))
                found["paused"] = bool(found["paused"])
                return Stats(**{k: v for k, v in found.items() if k in Stats.__slots__})
        misread("stats", reply)

    return command("stats", keys, read)


def view_of(queue: str, ms: int, row: list[bytes]) -> JobView:
    """Read one job as scripts show it."""
    job_id, payload, raw, state, when, worker, fence = row
    facts, name, running = loads(raw), job_id.decode(), state == b"running"
    at = number({"at": when}, "at") if when else None
    return JobView(
        queue=queue,
        id=name,
        payload=payload,
        state=State(state.decode()),
        enqueued_at=enqueued_at(name, facts),
        deliveries=number(facts, "deliveries") + running,
        crashes=number(facts, "crashes"),
        retries=number(facts, "retries"),
        at=at,
        elapsed=max(ms - at, 0) if running and at is not None else None,
        worker=worker.decode() or None,
        receipt=Receipt(name, int(fence)) if fence else None,
        unique=as_bytes(facts.get("unique")),
        lock=as_bytes(facts.get("lock")),
        reason=readable(facts.get("reason") or facts.get("error")),
    )


def inspect(keys: QueueKeys, state: State, start: int, count: int) -> Command[list[JobView]]:
    """Show jobs of one state by position."""

    def read(reply: Reply) -> list[JobView]:
        match reply:
            case [b"jobs", ms, *rows]:
                return [view_of(keys.queue, ms, row) for row in rows]
        misread("inspect", reply)

    return command("inspect", keys, read, state=state.value, start=start, count=count)


def job(keys: QueueKeys, job_id: str) -> Command[JobView | None]:
    """Show one job, wherever it is."""

    def read(reply: Reply) -> JobView | None:
        match reply:
            case [b"job", ms, row]:
                return view_of(keys.queue, ms, row)
            case [b"unknown"]:
                return None
        misread("job", reply)

    return command("job", keys, read, id=job_id)


def failures(keys: QueueKeys, start: int, count: int) -> Command[list[Failure]]:
    """Show the last errors, newest first."""

    def read(reply: Reply) -> list[Failure]:
        match reply:
            case [b"failures", *rows]:
                return [_failure(loads(row)) for row in rows]
        misread("failures", reply)

    return command("failures", keys, read, start=start, count=count)


def _failure(facts: dict[str, Any]) -> Failure:
    return Failure(
        id=str(facts.get("id", "")),
        message=readable(facts.get("message")) or "",
        at=number(facts, "at"),
        deliveries=number(facts, "deliveries"),
    )


def locks(keys: QueueKeys, start: int, count: int) -> Command[list[LockView]]:
    """Show who holds which lock and how many wait for it."""

    def read(reply: Reply) -> list[LockView]:
        match reply:
            case [b"locks", *flat]:
                rows = zip(flat[::3], flat[1::3], flat[2::3], strict=True)
                return [LockView(lock, holder.decode(), parked) for lock, holder, parked in rows]
        misread("locks", reply)

    return command("locks", keys, read, start=start, count=count)


def find(
    keys: QueueKeys, cursor: str, payload: bytes
) -> Command[tuple[str, list[tuple[str, bool]]]]:
    """One step of a search by payload; answers the next cursor and (id, whether it runs) pairs."""

    def read(reply: Reply) -> tuple[str, list[tuple[str, bool]]]:
        match reply:
            case [b"found", after, flat]:
                pairs = zip(flat[::2], flat[1::2], strict=True)
                return after.decode(), [(i.decode(), runs == b"1") for i, runs in pairs]
        misread("find", reply)

    return command("find", keys, read, cursor=cursor, payload=payload)

"""The world of a queue in abstract form: as it is on the server, and as the model has it.

    world = read_world(client, "mail")          # from the server, in one atomic round trip
    assert not differences(world, model_world(model))
    assert not invariants(client, "mail")

A world is a dict of plain values:

    jobs       id -> state, payload, place, deliveries, crashes, retries, unique, mode, lock, ...
    line       ids in the order they are served (suspects, then the front, then the rest)
    parked     lock -> ids, in the order they are called
    marks      unique key -> id          locks      lock -> ids that hold it
    workers    name -> end of its lease on the queue clock
    tick, seen, stride                   the queue clock
    last       (ms, seq, fence) given out last
    counters   completed, failed, ...    failures   (id, message, ms, deliveries), newest first
    dead       ids, oldest first         cancelled  ids told to end
    scheduled  ids, first due first      paused     bool

How the server keeps these things (ghosts, leases, tokens, facts) is not in it; that this is
consistent is for `invariants` to say.
"""

import json
from typing import Any

import redis

from limpet.commands.base import as_bytes
from limpet.states import State
from tests.model.dump import Dump, dump
from tests.model.invariants import invariants
from tests.model.moves import Job, Moves

__all__ = ["World", "abstract", "differences", "invariants", "model_world", "read_world"]

World = dict[str, Any]
COUNTERS = ("completed", "failed", "cancelled", "recovered", "refused", "merged")


def read_world(client: redis.Redis, queue: str) -> World:
    """Read the world of a queue from the server."""
    return abstract(dump(client, queue))


def abstract(found: Dump) -> World:
    """Make a world from a dump."""
    clock, stats = found.texts("clock"), found.fields("stats")
    parked: dict[bytes, list[str]] = {}
    for lock, rest in found.grouped("parked"):
        parked.setdefault(lock, []).append(rest[16:].decode())
    locks: dict[bytes, list[str]] = {}
    for lock, job_id in found.grouped("locks"):
        locks.setdefault(lock, []).append(job_id.decode())
    return {
        "jobs": _jobs(found, parked),
        "line": found.line,
        "parked": parked,
        "marks": {key: job_id.decode() for key, job_id in found.fields("unique").items()},
        "locks": {lock: sorted(ids) for lock, ids in locks.items()},
        "workers": {worker.decode(): end for worker, end in found.scored("workers")},
        "tick": int(clock.get("tick", 0)),
        "seen": int(clock["seen"]) if "seen" in clock else None,
        "stride": int(clock["stride"]) if "stride" in clock else None,
        "last": tuple(int(clock.get(name, 0)) for name in ("ms", "seq", "fence")),
        "counters": {name: int(stats.get(name.encode(), 0)) for name in COUNTERS},
        "failures": [_failure(raw) for raw in found.elements("failures")],
        "dead": found.ids("dead"),
        "scheduled": found.ids("scheduled"),
        "cancelled": sorted(found.members("cancelled")),
        "paused": "paused" in found.types,
    }


def _jobs(found: Dump, parked: dict[bytes, list[str]]) -> dict[str, dict[str, Any]]:
    running, leases = found.texts("running"), found.leases
    scores = {name: dict(found.scored(name)) for name in ("scheduled", "dead")}
    aside = {job_id for ids in parked.values() for job_id in ids}
    jobs = {}
    for raw, payload in found.fields("jobs").items():
        job_id, fence, worker, at, due, dead_at = raw.decode(), None, None, None, None, None
        state = State.PARKED if job_id in aside else State.WAITING
        if job_id in running:
            state, fence = State.RUNNING, int(running[job_id])
            if fence in leases:
                worker, at = leases[fence].worker, leases[fence].at
        elif raw in scores["scheduled"]:
            state, due = State.SCHEDULED, int(scores["scheduled"][raw])
        elif raw in scores["dead"]:
            state, dead_at = State.DEAD, int(scores["dead"][raw])
        placed = state not in (State.SCHEDULED, State.DEAD)
        jobs[job_id] = {
            "state": str(state),
            "payload": payload,
            "place": found.place(job_id) if placed else None,
            "fence": fence,
            "worker": worker,
            "delivered_at": at,
            "due": due,
            "dead_at": dead_at,
            **_facts(job_id, found.facts.get(job_id, {})),
        }
    return jobs


def _facts(job_id: str, facts: dict[str, Any]) -> dict[str, Any]:
    enqueued, started = facts.get("enqueued"), facts.get("started")
    return {
        "enqueued_at": int(job_id.partition("-")[0] if enqueued is None else enqueued),
        "started_at": None if started is None else int(started),
        "unique": as_bytes(facts.get("unique")),
        "mode": facts.get("mode"),
        "lock": as_bytes(facts.get("lock")),
        "limit": facts.get("limit") or 1,
        "deliveries": facts.get("deliveries") or 0,
        "crashes": facts.get("crashes") or 0,
        "retries": facts.get("retries") or 0,
        "error": facts.get("error"),
        "reason": facts.get("reason"),
        "booked": facts.get("booked"),
    }


def _failure(raw: bytes) -> tuple[str, str, int, int]:
    kept = json.loads(raw)
    return kept["id"], kept["message"], int(kept["at"]), int(kept["deliveries"])


def model_world(model: Moves) -> World:
    """Make the same world from the model."""
    parked: dict[bytes, list[str]] = {}
    for job in sorted(model.of(State.PARKED), key=lambda j: j.place):
        parked.setdefault(job.lock or b"", []).append(job.id)
    running = model.running()
    locks = {job.lock for job in running if job.lock is not None}
    scheduled = sorted(model.of(State.SCHEDULED), key=lambda j: (j.due, j.id))
    return {
        "jobs": {job.id: _view(job) for job in model.jobs.values()},
        "line": [job.id for job in model.line()],
        "parked": parked,
        "marks": dict(model.marks),
        "locks": {lock: sorted(job.id for job in model.holders(lock)) for lock in locks},
        "workers": {name: worker.lease_end for name, worker in model.workers.items()},
        "tick": model.tick,
        "seen": model.seen,
        "stride": model.stride,
        "last": (model.last_ms, model.last_seq, model.last_fence),
        "counters": {name: model.counters[name] for name in COUNTERS},
        "failures": [(f.id, f.message, f.at, f.deliveries) for f in model.failures],
        "dead": [job.id for job in model.dead()],
        "scheduled": [job.id for job in scheduled],
        "cancelled": sorted(job.id for job in running if job.told),
        "paused": model.paused,
    }


def _view(job: Job) -> dict[str, Any]:
    runs = job.state is State.RUNNING
    placed = job.state not in (State.SCHEDULED, State.DEAD)
    return {
        "state": str(job.state),
        "payload": job.payload,
        "place": job.place if placed else None,
        "fence": job.fence,
        "worker": job.worker,
        "delivered_at": job.delivered_at if runs else None,
        "due": job.due if job.state is State.SCHEDULED else None,
        "dead_at": job.dead_at if job.state is State.DEAD else None,
        "enqueued_at": job.enqueued_at,
        "started_at": job.started_at,
        "unique": job.unique,
        "mode": job.mode,
        "lock": job.lock,
        "limit": job.limit,
        "deliveries": job.deliveries,
        "crashes": job.crashes,
        "retries": job.retries,
        "error": job.error,
        "reason": job.reason,
        "booked": job.booked,
    }


def differences(server: World, model: World) -> list[str]:
    """Tell in words where two worlds differ; an empty list if they are the same."""
    return [] if server == model else list(_differences("", server, model))


def _differences(path: str, server: Any, model: Any) -> list[str]:
    if server == model:
        return []
    if not (isinstance(server, dict) and isinstance(model, dict)):
        return [f"{path}: the server has {server!r}, the model {model!r}"]
    found = []
    for key in [*server, *(key for key in model if key not in server)]:
        step = f"{path}.{key}" if path else str(key)
        found += _differences(step, server.get(key, "nothing"), model.get(key, "nothing"))
    return found

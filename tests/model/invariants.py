"""What must be true of a queue on the server after every step, whatever the step was.

`invariants` reads the whole queue and lists what is wrong, in words; nothing wrong is an empty
list. `broken` does the same with a dump that is at hand already.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator

import redis

from limpet.keys import KEY_TYPES
from tests.model.dump import Dump, dump

RETURNED = ("front", "suspects")
PLACES = ("waiting", "front", "suspects", "scheduled", "parked", "running", "dead")


def invariants(
    client: redis.Redis, queue: str, *, token_taken: bool = False, mixed_modes: bool = False
) -> list[str]:
    """List every invariant that does not hold in a queue.

    token_taken: somebody who waits for work took the wake-up token and has not popped yet, so
    that it may be missing. mixed_modes: jobs with one unique key were pushed with different
    modes, so that a running one may have lost its mark to another.
    """
    return broken(dump(client, queue), token_taken=token_taken, mixed_modes=mixed_modes)


def broken(found: Dump, *, token_taken: bool = False, mixed_modes: bool = False) -> list[str]:
    """List every invariant that does not hold in a dump; see `invariants`."""
    places = _places(found)
    checks = [
        _keys(found),
        _one_place(found, places),
        _lines(found),
        _hand_outs(found),
        _indexes(found),
        _marks(found, places, mixed_modes=mixed_modes),
        _locks(found, places),
        _trials(found, places),
        _workers(found),
        _memory(found),
        _token(found, token_taken=token_taken),
    ]
    return [problem for check in checks for problem in check]


def _places(found: Dump) -> dict[str, list[str]]:
    """Where each id is: normally one place each."""
    places: dict[str, list[str]] = defaultdict(list)
    for job_id in (job_id for job_id, ghost in found.entries if not ghost):
        places[job_id].append("waiting")
    for name in ("front", "suspects", "scheduled", "dead"):
        for job_id in found.ids(name):
            places[job_id].append(name)
    for _, rest in found.grouped("parked"):
        places[rest[16:].decode()].append("parked")
    for job_id in found.texts("running"):
        places[job_id].append("running")
    return places


def _keys(found: Dump) -> Iterator[str]:
    for name in found.names - {found.keys[name] for name in KEY_TYPES}:
        yield f"the key {name} is unknown"
    for name, kind in found.types.items():
        if kind != KEY_TYPES[name]:
            yield f"{name} is a {kind}, not a {KEY_TYPES[name]}"
    gone = b"dropped" in found.fields("clock") and not found.types.get("workers")
    for name, ttl in found.ttls.items():
        if ttl >= 0 and not gone:
            yield f"{name} of a living queue will vanish in {ttl} ms"


def _one_place(found: Dump, places: dict[str, list[str]]) -> Iterator[str]:
    jobs = {job_id.decode() for job_id in found.fields("jobs")}
    for job_id in jobs | set(places):
        if len(places.get(job_id, [])) != 1:
            yield f"job {job_id} is in {places.get(job_id, [])}, not in one place"
        if job_id not in jobs:
            yield f"{job_id} stands in {places[job_id]} but is no job"
    for job_id in set(found.facts) - jobs:
        yield f"facts are kept about {job_id}, which is no job"
    for job_id in found.members("cancelled") - set(found.texts("running")):
        yield f"{job_id} is told to end but does not run"


def _lines(found: Dump) -> Iterator[str]:
    entries = found.entries
    ghosts = sum(ghost for _, ghost in entries)
    counted = int(found.fields("stats").get(b"ghosts", 0))
    if ghosts != counted:
        yield f"{ghosts} ghosts in the line, {counted} counted"
    line = [found.place(job_id) for job_id, ghost in entries if not ghost]
    if line != sorted(line):
        yield f"the line is out of order: places {line}"
    for name in RETURNED:
        for member, score in found.scored(name):
            job_id = member.decode()
            if score != found.place(job_id):
                yield f"{job_id} stands in {name} at {score}, its place is {found.place(job_id)}"
            if (found.facts.get(job_id, {}).get("crashes", 0) > 0) != (name == "suspects"):
                yield f"{job_id} is in {name} with facts {found.facts.get(job_id)}"
    for lock, rest in found.grouped("parked"):
        job_id, place = rest[16:].decode(), int(rest[:16]) - 2**52
        if (_lock(found, job_id), found.place(job_id)) != (lock, place):
            facts = found.facts.get(job_id)
            yield f"{job_id} is parked for {lock!r} at {place}, its facts are {facts}"


def _hand_outs(found: Dump) -> Iterator[str]:
    leases, left = found.leases, found.texts("left")
    running = {job_id: int(fence) for job_id, fence in found.texts("running").items()}
    workers = set(found.ids("workers"))
    for job_id, fence in running.items():
        if fence not in leases or job_id not in leases[fence].ids:
            yield f"{job_id} runs under {fence}, which did not hand it out"
    for fence, lease in leases.items():
        still = sum(running.get(job_id) == fence for job_id in lease.ids)
        if len(lease.ids) != lease.count or still != int(left.get(str(fence), lease.count)):
            yield f"hand-out {fence} {lease} has {still} running, {left.get(str(fence))} left"
        if still == 0:
            yield f"hand-out {fence} is over but kept"
        if lease.worker not in workers:
            yield f"hand-out {fence} belongs to {lease.worker}, who does not serve the queue"


def _indexes(found: Dump) -> Iterator[str]:
    leases, left = found.leases, found.texts("left")
    if max(leases, default=0) > int(found.fields("clock").get(b"fence", 0)):
        yield "a hand-out is newer than the last fence"
    if set(map(int, left)) - set(leases):
        yield f"left counts for hand-outs that are over: {left}"
    aging = sorted((int(member), int(score)) for member, score in found.scored("aging"))
    if aging != sorted((fence, fence) for fence in leases):
        yield f"aging is {found.scored('aging')}, hand-outs are {sorted(leases)}"
    held = sorted((worker.decode(), int(fence)) for worker, fence in found.grouped("held"))
    if held != sorted((lease.worker, fence) for fence, lease in leases.items()):
        yield f"held is {found.grouped('held')}, hand-outs are {leases}"


def _marks(found: Dump, places: dict[str, list[str]], *, mixed_modes: bool) -> Iterator[str]:
    marks = {key: job_id.decode() for key, job_id in found.fields("unique").items()}
    for key, job_id in marks.items():
        facts = found.facts.get(job_id, {})
        runs = places.get(job_id) == ["running"]
        if _bytes(facts.get("unique")) != key or (runs and facts.get("mode") != "running"):
            yield f"the mark {key!r} belongs to {job_id}, {places.get(job_id)} with facts {facts}"
        if places.get(job_id) in (None, ["dead"]):
            yield f"the mark {key!r} belongs to {job_id}, which is {places.get(job_id)}"
    for job_id, facts in found.facts.items():
        wanted, where = _bytes(facts.get("unique")), places.get(job_id)
        if wanted is None or marks.get(wanted) == job_id or where == ["dead"]:
            continue
        if where != ["running"] or (facts.get("mode") == "running" and not mixed_modes):
            yield f"{job_id} in {where} should hold the mark {wanted!r}, {marks.get(wanted)} does"


def _locks(found: Dump, places: dict[str, list[str]]) -> Iterator[str]:
    held: dict[bytes, set[str]] = defaultdict(set)
    named: dict[bytes, list[str]] = defaultdict(list)
    for lock, holder in found.grouped("locks"):
        held[lock].add(holder.decode())
    for job_id in found.facts:
        named[_lock(found, job_id) or b""].append(job_id)
    named.pop(b"", None)
    for lock in {*held, *named}:
        by_place: dict[str, set[str]] = defaultdict(set)
        for job_id in named[lock]:
            by_place[places.get(job_id, ["nowhere"])[0]].add(job_id)
        limits = {job_id: found.facts[job_id].get("limit") or 1 for job_id in named[lock]}
        yield from _lock_kept(lock, held[lock], by_place, limits)


def _lock_kept(
    lock: bytes, held: set[str], by_place: dict[str, set[str]], limits: dict[str, int]
) -> Iterator[str]:
    runs, parked = by_place["running"], by_place["parked"]
    if held != runs:
        yield f"the lock {lock!r} is held by {sorted(held)}, {sorted(runs)} run with it"
    if len(runs) > max([limits[job_id] for job_id in runs], default=0):
        yield f"the lock {lock!r} is held by {len(runs)}, limits are {limits}"
    # With different limits a job that needs more room may keep others parked behind it, but only
    # as long as somebody holds the lock.
    room = 1 if len(set(limits.values())) > 1 else min(limits.values(), default=1)
    if parked and len(runs) < room and not (by_place["front"] | by_place["suspects"]):
        yield f"{parked} are parked for {lock!r}, held by {sorted(runs)}, and nobody is called"


def _trials(found: Dump, places: dict[str, list[str]]) -> Iterator[str]:
    leases, running = found.leases, found.texts("running")
    expected = Counter(
        (leases[int(running[job_id])].worker, job_id)
        for job_id, facts in found.facts.items()
        if facts.get("crashes", 0) > 0 and places.get(job_id) == ["running"]
        if int(running[job_id]) in leases
    )
    kept = Counter((worker.decode(), job_id.decode()) for worker, job_id in found.grouped("trials"))
    if kept != expected:
        yield f"trials are {dict(kept)}, running suspects are {dict(expected)}"


def _workers(found: Dump) -> Iterator[str]:
    if set(found.ids("workers")) != set(found.texts("crew")):
        yield f"workers are {found.ids('workers')}, the crew is {list(found.texts('crew'))}"


def _memory(found: Dump) -> Iterator[str]:
    lanes = sorted(found.elements("lanes"))
    if lanes != sorted(found.fields("sessions")):
        yield f"lanes are {lanes}, sessions are {sorted(found.fields('sessions'))}"
    if len(found.elements("failures")) > 100:
        yield "more than 100 failures are kept"


def _token(found: Dump, *, token_taken: bool) -> Iterator[str]:
    tokens, paused = len(found.elements("wake")), "paused" in found.types
    waiting = [job_id for job_id, ghost in found.entries if not ghost] + found.ids("front")
    if tokens > 1 or (paused and tokens):
        yield f"{tokens} wake-up tokens{' in a paused queue' if paused else ''}"
    if waiting and not (tokens or paused or token_taken):
        yield f"{waiting} wait and nobody is called: no wake-up token"


def _lock(found: Dump, job_id: str) -> bytes | None:
    return _bytes(found.facts.get(job_id, {}).get("lock"))


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode("utf-8", "surrogateescape")

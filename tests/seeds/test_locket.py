"""What resque-locket promises, number by number, and the mistakes limpet does not share."""

import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import redis

import limpet as package
from limpet import BackendError, ConfigError, WorkerLost
from tests.support.servers import Server
from tests.support.waiting import wait_until

#: number: (what it says, limpet's call, why limpet differs)
STATEMENTS: dict[str, tuple[str, str, str]] = {
    "L1": (
        "no identical job runs beside a running one",
        '`limpet.queue("jobs", lock=lambda payload: payload)`',
        "",
    ),
    "L2": (
        "locked jobs of a high queue do not starve the lower ones",
        '`limpet.pop("high", "low")`',
        "",
    ),
    "L3": (
        "one call switches it on, for all queues or for those named",
        '`Limpet(url, policies={"*": {"lock": f}})`',
        "",
    ),
    "L4": (
        "a lock expires 35 seconds after its last refresh",
        "`Limpet(url, heartbeat=30, lease=35)`",
        (
            "A lock has no expiry of its own: it belongs to the running job, and that to the lease"
            " of its worker. The default lease is 10 seconds."
        ),
    ),
    "L5": (
        "it is refreshed every 30 seconds",
        "`Limpet(url, heartbeat=30, lease=35)`",
        "One heartbeat keeps all locks of a worker; the default is every second.",
    ),
    "L6": (
        "the key is the whole payload, under `locket:job_locks:`",
        "`lock=lambda payload: payload`",
        "No lock unless asked for; its key is any text or bytes, kept in `limpet:{jobs}:locks`.",
    ),
    "L7": ("a lock is tried before a job runs", "`queue.pop()`", ""),
    "L8": (
        "got it: a key with an expiry is set",
        "`queue.locks()`",
        "No expiry: see L4.",
    ),
    "L9": (
        "got it: the counter of locked jobs is destroyed",
        "`queue.stats().parked`",
        "There is no counter: jobs that wait for a lock are parked, and counted exactly.",
    ),
    "L10": ("got it: a thread keeps extending the lock", "heartbeat", ""),
    "L11": (
        "lock and counter are destroyed after success and after failure",
        "`queue.ack(delivery)`, `queue.fail(delivery)`",
        "",
    ),
    "L12": ("then an identical job runs at once", "`queue.pop()`", ""),
    "L13": ("not got: the job is put back, never lost", '`queue.inspect(state="parked")`', ""),
    "L14": ("not got: a counter goes up", "`queue.stats().parked`", ""),
    "L15": ("the counters are one hash for all queues", "`queue.stats().parked`", "One per queue."),
    "L16": (
        "a queue with all its jobs locked is skipped",
        '`limpet.pop("high", "low")`',
        "It is asked, and answers at once: what is parked is not in line.",
    ),
    "L17": (
        "counters are cleared whenever there is nothing to do",
        "`queue.stats().parked`",
        "Nothing needs clearing: a parked job is called when its lock is free.",
    ),
    "L18": ("a dead worker blocks its twin for the lock's duration", "`Limpet(url, lease=35)`", ""),
    "L19": ("a job that runs longer stays locked", "heartbeat", ""),
    "L20": (
        "refresh, duration and key function can be chosen",
        '`Limpet(url, heartbeat=30, lease=35, policies={"*": {"lock": f}})`',
        "",
    ),
    "L21": (
        "the key function gets the job, and may leave out what changes",
        "`lock=f`",
        "It gets the payload.",
    ),
    "L22": ("jobs with other keys run in parallel", "`queue.push(x, lock=k)`", ""),
    "L23": ("a queue that grows after a job ended is not locked", "`queue.pop()`", ""),
    "L24": (
        "the text names a call that does not exist",
        "this page",
        "A test looks up every call named in these pages.",
    ),
    "L25": ("off by default: nothing is locked", "`queue.push(x)`", ""),
    "L26": (
        "switching it on twice is switching it on once",
        '`limpet.queue("jobs", lock=f)`',
        "",
    ),
    "L27": ("a refresh of zero or less is an error; fractions are fine", "`ConfigError`", ""),
    "L28": (
        "a duration must be a whole number above zero",
        "`ConfigError`",
        'Fractions, `timedelta` and text such as "35s" are fine.',
    ),
    "L29": (
        "a duration shorter than the refresh is an error; equal is not",
        "`ConfigError`",
        "When the client is made. Equal is an error too: the lock would end while it is renewed.",
    ),
    "L30": ("a job without its lock is not run", "`queue.pop()`", ""),
    "L31": (
        "it is made anew at the tail, of class and arguments",
        "`queue.pop()`",
        "It stays itself, and comes back to its place.",
    ),
    "L32": ("queues not named try no lock", '`Limpet(url, policies={"jobs": {"lock": f}})`', ""),
    "L33": ("removing a queue removes its counter", "`queue.drop()`", ""),
    "L34": (
        "counters are not cleared when there was a job",
        "`queue.stats().parked`",
        "As L17: there is nothing to clear.",
    ),
    "L35": (
        "a lock is empty, and any release deletes all counters",
        "`queue.locks()`",
        "A lock names its job, and its release touches nothing else.",
    ),
    "L-c1": ("two can get the same lock", "`queue.pop()`", ""),
    "L-c2": ("a lock has no owner: others delete and renew it", "`queue.ack(delivery)`", ""),
    "L-c3": ("a runnable job hides behind a locked one", "`queue.pop()`", ""),
    "L-c4": ("a busy low queue keeps a freed high one skipped", '`limpet.pop("high", "low")`', ""),
    "L-c5": ("between pop and put back the job is nowhere", "`queue.pop()`", ""),
    "L-c6": ("locked jobs go to the tail, and workers spin", "`queue.pop(wait=5)`", ""),
    "L-c7": ("hooks and threads outlive their job", "`queue.ack(delivery)`", ""),
    "L-c8": ("the lock is taken in the child, not in the parent", "`queue.pop()`", ""),
    "L-c9": ("the key depends on the order of keys in the payload", "`lock=f`", ""),
    "L-c10": ("mistakes show at the first job", "`Limpet(url, heartbeat=40, lease=35)`", ""),
    "L-c11": ("a lost refresh starts a second copy, and nobody is told", "`WorkerLost`", ""),
    "L-c12": (
        "locks left by crashes, marks without jobs, jobs thrown away",
        '`queue.push(x, unique="waiting", lock=k)`',
        "",
    ),
}

#: A lease short enough to see it end.
SHORT = {"heartbeat": 0.2, "lease": 0.6}
SYNC = pytest.mark.parametrize("flavour", ["sync"], indirect=True)
DOCS = Path(__file__).resolve().parents[2] / "docs"


def whole(payload: bytes) -> bytes:
    """Lock by the whole payload."""
    return payload


def ms_of(plain: redis.Redis) -> int:
    """Read the server's clock."""
    seconds, microseconds = plain.time()
    return int(seconds * 1000 + microseconds // 1000)


def payloads(deliveries: list[Any]) -> list[bytes]:
    """List what was delivered."""
    return [job.payload for job in deliveries]


@pytest.fixture
def pair(connect: Any) -> tuple[Any, Any]:
    """One queue, locked by payload, as two workers see it."""
    return tuple(connect(policies={"*": {"lock": whole}}).queue("jobs") for _ in range(2))


def test_identical_jobs_do_not_run_together(pair: Any) -> None:
    """L1, L7, L8, L30: no second one is handed out while the first runs; the lock names its job."""
    mine, other = pair
    first = mine.push_many([b"x", b"x"])[0]

    taken = mine.pop()
    beside = mine.pop() + other.pop()

    assert [job.id for job in taken] == [first.id]
    assert beside == []
    (lock,) = mine.locks()
    assert (lock.lock, lock.holder, lock.parked) == (b"x", first.id, 1)


def test_lower_queues_are_not_starved(connect: Any) -> None:
    """L2, L16: with all jobs of the high queue locked, a worker gets on with the low one."""
    busy, idle = connect(), connect()
    for name in ("high", "low"):
        busy.queue(name).push_many([b"1", b"2", b"3"], lock=name)
    (held,) = busy.queue("high").pop()

    served = idle.pop("high", "low", count=5)
    busy.ack(held)

    assert [(job.queue, job.payload) for job in served] == [("low", b"1")]
    assert payloads(idle.pop("high", "low", count=5)) == [b"2"]


@pytest.mark.parametrize(
    ("policies", "parallel"),
    [({"*": {"lock": whole}}, [1, 1]), ({"a": {"lock": whole}}, [1, 2]), ({}, [2, 2])],
)
def test_it_is_switched_on_for_all_or_some_queues(
    connect: Any, policies: dict[str, Any], parallel: list[int]
) -> None:
    """L3, L25, L32: in one place, when the client is made; nowhere without that."""
    limpet = connect(policies=policies)
    for name in ("a", "b"):
        limpet.queue(name).push_many([b"x", b"x"])

    running = [len(limpet.queue(name).pop(count=5)) for name in ("a", "b")]

    assert running == parallel


def test_its_own_numbers_will_do(connect: Any) -> None:
    """L4, L5, L20: 30 and 35 seconds are a heartbeat and a lease like any other."""
    limpet = connect(heartbeat=30, lease=35)
    limpet.queue("jobs").push(b"x", lock=b"x")

    limpet.queue("jobs").pop()

    assert [view.lease_ms for view in limpet.workers()] == [35_000]


def test_a_lock_can_be_read_on_the_server(pair: Any, plain: redis.Redis) -> None:
    """L6: its key, and the job that holds it, in one set beside the queue."""
    mine, _ = pair
    mine.push(b"the whole payload")

    (job,) = mine.pop()

    held = plain.zrange("limpet:{jobs}:locks", 0, -1)
    assert held == [b"17:the whole payload|" + job.id.encode()]


def test_a_long_job_stays_locked(connect: Any, plain: redis.Redis) -> None:
    """L10, L19: heartbeats keep the lock for several leases."""
    mine, other = connect(**SHORT).queue("jobs"), connect(**SHORT).queue("jobs")
    mine.push_many([b"1", b"2"], lock=b"x")
    (job,) = mine.pop()
    until_ms = ms_of(plain) + 1500

    wait_until(lambda: other.pop() or ms_of(plain) >= until_ms, step=0.05)

    assert [lock.holder for lock in mine.locks()] == [job.id]
    assert mine.ack(job) == [job.id]
    assert payloads(other.pop()) == [b"2"]


@pytest.mark.parametrize("end", ["ack", "fail", "release", "retry", "cancel", "recover"])
def test_however_a_job_ends_its_lock_is_right(pair: Any, end: str) -> None:
    """L11, L12: free at once when the job ended or went back; kept when another took it over."""
    mine, other = pair
    mine.push_many([b"x", b"x"])
    (job,) = mine.pop()
    assert other.pop() == []

    if end == "cancel":
        mine.cancel(id=job.id)
        mine.ack(job)
    elif end == "recover":
        (job,) = other.recover(older_than=0)
    else:
        getattr(mine, end)(job)
    served = other.pop()

    if end == "recover":
        assert (served, [lock.holder for lock in mine.locks()]) == ([], [job.id])
    else:
        assert [one.id == job.id for one in served] == [end == "release"]
        assert [lock.holder for lock in mine.locks()] == [served[0].id]
    assert mine.verify().ok


def test_locked_jobs_are_parked_and_counted(pair: Any) -> None:
    """L9, L13, L14, L15, L17, L34: none is lost, and the count is right after every step."""
    mine, other = pair
    mine.push_many([b"x"] * 3)
    counts = []

    for _ in range(3):
        (job,) = mine.pop()
        assert other.pop() == []
        stats = mine.stats()
        counts.append((stats.waiting, stats.parked, stats.running))
        mine.ack(job)

    assert counts == [(0, 2, 1), (0, 1, 1), (0, 0, 1)]
    assert (mine.stats().completed, mine.stats().pending) == (3, 0)
    assert mine.inspect(state="parked") == []


@SYNC
def test_our_page_moves_a_queue(run_page: Any, connect: Any, plain: redis.Redis) -> None:
    """L2, L13: what our page tells to do takes all jobs over, and their locks are made."""
    queue = connect().queue("jobs", lock=whole)
    plain.rpush("resque:queue:jobs", b"x", b"x", b"y")
    plain.hset("resque:locket:queue_lock_counters", "jobs", 2)

    moved = run_page("resque-locket")["move"](plain, queue)

    assert moved == 3
    assert list(plain.scan_iter("resque:*")) == []
    assert payloads(queue.pop(count=9)) == [b"x", b"y"]


def test_a_dead_worker_blocks_no_longer_than_its_lease(connect: Any, hold: Any) -> None:
    """L18, L-c12: killed with SIGKILL, it leaves no lock for ever; its job is served first."""
    queue = connect(**SHORT).queue("jobs")
    queue.push_many([b"1", b"2"], lock=b"x")
    holder = hold("jobs", **SHORT)

    assert queue.pop() == []
    holder.kill()
    (first,) = queue.pop(wait=5)
    beside = queue.pop()
    queue.ack(first)
    (second,) = queue.pop()

    assert (first.id, first.payload) == (holder.ids[0], b"1")
    assert beside == []
    assert second.payload == b"2"


def test_the_key_may_leave_out_what_changes(connect: Any) -> None:
    """L20, L21: two payloads that differ in a time stamp only are held apart."""

    def lock(payload: bytes) -> str:
        return str(json.loads(payload)["args"])

    queue = connect(policies={"jobs": {"lock": lock}}).queue("jobs")
    for start_at in (1, 2):
        queue.push(json.dumps({"args": [7], "start_at": start_at}))

    assert len(queue.pop(count=5)) == 1
    assert queue.stats().parked == 1


def test_other_keys_run_in_parallel(pair: Any) -> None:
    """L22: and a lock may let more than one in, if that is asked for."""
    mine, other = pair
    mine.push_many([b"x", b"y", b"x", b"z"])
    wide = mine._limpet.queue("wide", lock=b"all", lock_limit=2)
    wide.push_many([b"1", b"2", b"3"])

    assert payloads(mine.pop(count=2)) == [b"x", b"y"]
    assert payloads(other.pop(count=2)) == [b"z"]
    assert payloads(wide.pop(count=3)) == [b"1", b"2"]


def test_a_queue_that_grows_is_served(pair: Any) -> None:
    """L23: all its jobs were locked; one ended, new ones came: what can run is served."""
    mine, other = pair
    mine.push_many([b"x", b"x", b"x"])
    (job,) = mine.pop()
    assert other.pop() == []

    mine.ack(job)
    mine.push_many([b"y", b"z"])

    assert payloads(other.pop(count=9)) == [b"x", b"y", b"z"]


def names_of_calls(text: str) -> set[str]:
    """Find the calls of ours that a page names."""
    code = " ".join(
        re.findall(r"`[^`\n]+`", text) + re.findall(r"```python\n.*?```", text, re.DOTALL)
    )
    return set(re.findall(r"\b(?:limpet|queue)\.(\w+)\(", code))


def test_every_call_our_pages_name_exists() -> None:
    """L24: whatever they tell people to call is there to be called, in both flavours."""
    pages = [DOCS / "seeds.md", *sorted((DOCS / "coming-from").glob("*.md"))]
    doors = [package.Limpet, package.Queue, package.AsyncLimpet, package.AsyncQueue]

    named = {name for page in pages for name in names_of_calls(page.read_text("utf-8"))}

    assert "pop" in named
    for kind in (doors[:2], doors[2:]):
        assert [name for name in named if not any(hasattr(door, name) for door in kind)] == []


def test_asking_twice_is_asking_once(connect: Any) -> None:
    """L26: however many make the queue, with the same policy, a job takes one lock."""
    queues = [connect(policies={"*": {"lock": whole}}).queue("jobs", lock=whole) for _ in range(3)]
    queues[0].push(b"x")

    queues[1].pop()

    assert len(queues[2].locks()) == 1


@pytest.mark.parametrize(
    "options",
    [
        {"heartbeat": 0},
        {"heartbeat": -1},
        {"heartbeat": "often"},
        {"lease": 0},
        {"lease": -35},
        {"lease": "long"},
        {"heartbeat": 40, "lease": 35},
        {"heartbeat": 35, "lease": 35},
        {"policies": {"jobs": {"lock": 7}}},
        {"policies": {"jobs": {"lock_limit": 0}}},
        {"policies": {"jobs": {"locked": True}}},
    ],
)
def test_mistakes_show_when_the_client_is_made(connect: Any, options: dict[str, Any]) -> None:
    """L27, L28, L29, L-c10: not at the first job."""
    with pytest.raises(ConfigError):
        connect(**options)


def test_a_wrong_lease_leaves_the_worker_as_it_was(limpet: Any) -> None:
    """L28: zero is an error here too, found before the present worker is stopped."""
    limpet.start_work("jobs")
    worker = limpet.worker

    with pytest.raises(ConfigError, match="lease"):
        limpet.start_worker(lease=0)

    assert [view.id for view in limpet.workers()] == [worker]


@pytest.mark.parametrize(
    "options",
    [{"heartbeat": 0.5, "lease": 1.5}, {"heartbeat": "30s", "lease": "35s"}, {"lease": None}],
)
def test_times_may_be_fractions_or_text(connect: Any, options: dict[str, Any]) -> None:
    """L27, L28: whatever can be understood, and a lease without an end."""
    limpet = connect(**options)

    limpet.start_work("jobs")

    assert len(limpet.workers()) == 1


def test_a_locked_job_comes_back_to_its_place(pair: Any) -> None:
    """L31, L-c6: with its own id and time, ahead of all that came after it."""
    mine, other = pair
    ids = [one.id for one in mine.push_many([b"x", b"x", b"y", b"z"])]
    (first,) = mine.pop()
    assert payloads(other.pop()) == [b"y"]

    mine.ack(first)

    assert [job.id for job in mine.inspect(0, 10)] == [ids[1], ids[3]]
    (second,) = other.pop()
    assert (second.id, second.enqueued_at) == (ids[1], int(ids[1].partition("-")[0]))


def test_a_dropped_queue_keeps_no_lock(pair: Any, plain: redis.Redis) -> None:
    """L33: neither held nor wanted ones; the next job with that key runs at once."""
    mine, other = pair
    mine.push_many([b"x", b"x"])
    mine.pop(count=2)

    mine.drop()
    mine.push(b"x")

    assert plain.exists("limpet:{jobs}:locks", "limpet:{jobs}:parked") == 0
    assert payloads(other.pop()) == [b"x"]


def test_ending_a_job_touches_no_other_lock(pair: Any) -> None:
    """L35: neither in its queue nor in others."""
    mine, other = pair
    elsewhere = mine._limpet.queue("elsewhere")
    elsewhere.push_many([b"x", b"x"])
    mine.push_many([b"x", b"y", b"y"])
    job, _ = mine.pop(count=2)
    elsewhere.pop(count=2)
    assert other.pop() == []

    mine.ack(job)

    assert [(lock.lock, lock.parked) for lock in mine.locks()] == [(b"y", 1)]
    assert [(lock.lock, lock.parked) for lock in elsewhere.locks()] == [(b"x", 1)]


def test_a_lock_has_one_holder_in_every_race(pair: Any, together: Any) -> None:
    """L-c1: two workers reach for it together, again and again; one gets it."""
    mine, other = pair

    for n in range(40):
        mine.push_many([b"%d" % n] * 2)
        shares = together(lambda: mine.pop(count=2), lambda: other.pop(count=2))
        (job,) = [one for share in shares for one in share]
        assert len(mine.locks()) == 1
        mine.ack(job)
        mine.cancel(payload=job.payload)

    assert mine.stats().completed == 40


def test_a_frozen_holder_can_do_nothing_when_it_wakes(connect: Any, hold: Any) -> None:
    """L-c2, L-c11: another has its job and its lock by then; it is told, and changes nothing."""
    queue = connect(**SHORT).queue("jobs")
    queue.push_many([b"1", b"2"], lock=b"x")
    holder = hold("jobs", **SHORT)

    holder.freeze()
    (job,) = queue.pop(wait=5)
    holder.thaw()
    answers = [holder.ask("ack"), holder.ask("release"), holder.ask("renew")]

    assert [job.id] == holder.ids
    assert answers == [[], [], "WorkerLost"]
    assert [lock.holder for lock in queue.locks()] == [job.id]
    assert queue.pop() == []
    assert queue.ack(job) == [job.id]


def test_a_runnable_job_does_not_hide(pair: Any) -> None:
    """L-c3: it is served at once, however many locked ones stand before it."""
    mine, other = pair
    mine.push_many([b"x"] * 150)
    mine.pop()
    for _ in range(2):
        assert other.pop() == []

    mine.push(b"free")

    assert payloads(other.pop()) == [b"free"]


def test_a_free_lock_is_seen_although_others_are_busy(connect: Any, hold: Any) -> None:
    """L-c4: the holder died; the high queue is served again, though the low one never ends."""
    limpet = connect(**SHORT)
    limpet.queue("high").push_many([b"1", b"2"], lock=b"x")
    limpet.queue("low").push_many([b"low"] * 1000)
    holder = hold("high", **SHORT)
    served: list[str] = []

    def work() -> bool:
        (job,) = limpet.pop("high", "low")
        limpet.ack(job)
        served.append(job.queue)
        return served.count("high") == 2

    assert [work() for _ in range(3)] == [False] * 3
    holder.kill()
    wait_until(work, within=5, step=0.02)

    assert served[:3] == ["low"] * 3
    assert limpet.queue("high").stats().pending == 0


def test_a_job_is_always_somewhere(pair: Any, watch: Any) -> None:
    """L-c5: finding it locked and putting it aside is one step on the server."""
    mine, other = pair
    mine.push_many([b"x"] * 5)
    mine.pop()
    other._limpet.start_work("jobs")

    with watch() as sent:
        found = other.pop(count=9)

    stats = mine.stats()
    assert (found, sent) == ([], ["pop"])
    assert (stats.waiting, stats.parked, stats.running) == (0, 4, 1)


def test_waiting_for_a_lock_costs_nothing(
    pair: Any, plain: redis.Redis, together: Any, watch: Any
) -> None:
    """L-c6: who waits asks once, and is called when the holder ends."""
    mine, other = pair
    mine.push_many([b"x", b"x"])
    (job,) = mine.pop()
    other.pop()

    def end_later() -> None:
        wait_until(lambda: plain.info("clients")["blocked_clients"])
        mine.ack(job)

    with watch() as sent:
        found, _ = together(lambda: other.pop(wait=20), end_later)

    assert payloads(found) == [b"x"]
    assert [name for name in sent if name != "info"] == ["pop", "blpop", "ack", "pop"]


def test_nothing_is_left_of_a_lock(connect: Any, plain: redis.Redis) -> None:
    """L-c7: the worker lives and beats on, and its ended job holds nothing; none is refused."""
    limpet = connect(**SHORT)
    queue = limpet.queue("jobs", lock=whole)
    queue.push_many([b"x", b"x", b"y"])
    job, other = queue.pop(count=3)

    queue.ack(job)
    (again,) = queue.pop()
    queue.ack(again, other)
    lease_end = plain.zscore("limpet:{jobs}:workers", limpet.worker)
    wait_until(lambda: plain.zscore("limpet:{jobs}:workers", limpet.worker) > lease_end + 300)

    assert (job.payload, again.payload) == (b"x", b"x")
    assert queue.locks() == []
    queue.push(b"x")
    assert payloads(queue.pop()) == [b"x"]


PARENT = """
import os, sys
from limpet import Limpet

queue = Limpet(sys.argv[1]).queue("jobs")
(job,) = queue.pop()
child = os.fork()
if child == 0:
    sys.exit(0)
os.waitpid(child, 0)
print(len(queue.locks()), len(queue.renew(job).lost), queue.ack(job) == [job.id])
"""


@SYNC
def test_a_child_does_not_end_what_its_parent_holds(server: Server, connect: Any) -> None:
    """L-c8: a forked child that exits, with all its clean-up, gives nothing of the parent back."""
    queue = connect().queue("jobs")
    queue.push(b"x", lock=b"x")

    command = [sys.executable, "-c", PARENT, server.url]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True)

    assert ended.stdout.split() == ["1", "0", "True"]
    assert queue.stats().completed == 1


def test_the_order_of_keys_need_not_matter(connect: Any) -> None:
    """L-c9: with a canonical key, the same content in another order has the same lock."""

    def lock(payload: bytes) -> str:
        return json.dumps(json.loads(payload), sort_keys=True)

    queue = connect().queue("jobs", lock=lock)
    queue.push_many([b'{"a": 1, "b": 2}', b'{"b":2,"a":1}'])

    assert len(queue.pop(count=2)) == 1


def test_a_server_that_was_away_takes_no_lock_away(serve: Any, connect: Any) -> None:
    """L-c11: it stands still for longer than the lease; then the holder still is the holder."""
    server = serve()
    mine, other = [connect(server.url, **SHORT).queue("jobs") for _ in range(2)]
    mine.push_many([b"1", b"2"], lock=b"x")
    (job,) = mine.pop()
    assert other.pop() == []

    server.signal(signal.SIGSTOP)
    try:
        with pytest.raises(subprocess.TimeoutExpired):
            server.process.wait(timeout=1.5)
    finally:
        server.signal(signal.SIGCONT)
    beside = other.pop()

    assert beside == []
    assert mine.renew(job).lost == ()
    assert mine.ack(job) == [job.id]
    assert payloads(other.pop()) == [b"2"]


def test_a_lost_holder_is_told(connect: Any) -> None:
    """L-c11: at its next call, whatever that is."""
    limpet, peer = connect(), connect()
    queue = limpet.queue("jobs")
    queue.push(b"x", lock=b"x")
    (job,) = queue.pop()

    peer.fail_worker(limpet.worker)

    with pytest.raises(WorkerLost):
        queue.renew(job)
    assert queue.ack(job) == []


def test_a_refused_push_leaves_no_mark(limpet: Any, plain: redis.Redis) -> None:
    """L-c12: mark and job are one step: where the job could not be written, neither is the mark."""
    queue = limpet.queue("jobs", unique="waiting", lock=whole)
    plain.set("limpet:{jobs}:waiting", "something else")
    with pytest.raises(BackendError, match=re.escape("limpet:{jobs}:waiting")):
        queue.push(b"x")
    plain.delete("limpet:{jobs}:waiting")

    pushed = queue.push(b"x")

    assert pushed.created
    assert payloads(queue.pop()) == [b"x"]


def test_a_locked_job_is_not_thrown_away(pair: Any) -> None:
    """L-c12: refused a hundred times, it is served when its lock is free."""
    mine, other = pair
    mine.push_many([b"x", b"x"])
    (job,) = mine.pop()

    refused = [other.pop() for _ in range(100)]
    mine.ack(job)

    assert refused == [[]] * 100
    assert payloads(other.pop()) == [b"x"]

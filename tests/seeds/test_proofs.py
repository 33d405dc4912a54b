"""Twenty-two things the five systems get wrong, proven against real servers and processes."""

import ast
import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
import redis

from limpet import BackendError, ConfigError, Receipt, State
from tests.support.servers import Server
from tests.support.waiting import wait_until

Connect = Callable[..., Any]
Serve = Callable[..., Server]
Together = Callable[..., list[Any]]

#: Proof -> what it shows, limpet's call, why limpet differs.
STATEMENTS: dict[str, tuple[str, str, str]] = {
    "P1": (
        "jobs of a killed worker are served next, in order, soon after its lease ended",
        "`queue.pop(wait=5)`",
        "A worker runs one such job at a time: popped and acked one by one, they come in order.",
    ),
    "P2": ("a job given back is the next one served", "`queue.release(delivery)`", ""),
    "P3": ("snapshot, log and replica keep every job and its count", "any call", ""),
    "P4": ("of two workers that race for a lock, one has it", "`queue.push(x, lock=k)`", ""),
    "P5": (
        "a worker that slept past its lease changes nothing when it wakes",
        "`queue.renew()`, `queue.ack()`, `queue.release()`",
        "",
    ),
    "P6": ("a free job behind a locked one is served at once", "`queue.push(x, lock=k)`", ""),
    "P7": (
        "a high queue whose holder died is served right after the lease, however busy the low one",
        '`limpet.pop("high", "low")`',
        "",
    ),
    "P8": ("scripts may be flushed between any two calls", "any call", ""),
    "P9": ("a waiting job is removed and pushed again", "`queue.cancel(id=i)`", ""),
    "P10": ("a unique job is cancelled and pushed again", "`queue.cancel(payload=x)`", ""),
    "P11": ("of 200 equal pushes at once one is created", '`queue.push(x, unique="waiting")`', ""),
    "P12": ("recover takes each job at most once", "`queue.recover(count, older_than=0)`", ""),
    "P13": (
        "payloads, keys and messages are any bytes",
        "`queue.push()`, `queue.fail()`",
        "Ids of your own have a fixed set of characters; others are refused at the door.",
    ),
    "P14": (
        "one fresh job is found among 10,000 running ones",
        "`queue.pop()`, `queue.claim()`",
        "",
    ),
    "P15": ("clients an hour apart see the same", "any call", ""),
    "P16": (
        "a stall longer than the client's timeout loses and doubles nothing",
        "`queue.pop()`",
        "",
    ),
    "P17": ("a dropped queue does not come back", "`queue.drop()`", ""),
    "P18": ("a list with elements in it is taken over", "`queue.adopt(list_key)`", ""),
    "P19": (
        "the same id twice is two jobs, ended apart",
        "`queue.push(x)`, `queue.ack(delivery)`",
        "",
    ),
    "P20": (
        "odd positions, ids and receipts get an empty answer",
        "`queue.inspect()`, `queue.ack()`",
        "",
    ),
    "P21": (
        "the order of keys does not matter where the caller says so",
        "`queue.push(x, unique=..., key=canonical)`",
        "",
    ),
    "P22": (
        "one running and one waiting, never more",
        '`queue.push(x, unique="waiting", lock=k)`',
        "",
    ),
}

#: A worker process that does what it is told, one expression a line.
PUPPET = """
import sys, time
real, offset_s = time.time, float(sys.argv[2])
time.time = lambda: real() + offset_s
time.time_ns = lambda: int((real() + offset_s) * 1e9)
from concurrent.futures import ThreadPoolExecutor
from limpet import Limpet, LimpetError

def attempt(call, *args, **options):
    try:
        return call(*args, **options)
    except LimpetError as error:
        return type(error).__name__

def at_once(count, call):
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(lambda _: call(), range(count)))

limpet = Limpet(sys.argv[1], heartbeat=0.2, lease=0.6)
queue = limpet.queue("work", timeout=30)
held = []
print("'ready'", flush=True)
for line in sys.stdin:
    print(repr(eval(line)), flush=True)
"""
QUICK = {"heartbeat": 0.2, "lease": 0.6}
#: Seconds after which the jobs of a worker killed under these options must be back in line.
BACK_S = 0.6 + 2.0


class Puppet:
    """A process with a limpet client that evaluates what it is told."""

    def __init__(self, url: str, offset_s: float) -> None:
        """Start it; its clock goes wrong by so many seconds."""
        command = [sys.executable, "-c", PUPPET, url, str(offset_s)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.answer()

    def tell(self, expression: str) -> None:
        """Have it evaluate an expression."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{expression}\n")
        self.process.stdin.flush()

    def answer(self) -> Any:
        """Wait for the value of what it was told."""
        assert self.process.stdout is not None
        return ast.literal_eval(self.process.stdout.readline())

    def ask(self, expression: str) -> Any:
        """Have it evaluate an expression; gives the value."""
        self.tell(expression)
        return self.answer()

    def take(self, count: int) -> list[str]:
        """Have it take jobs and hold them; gives their ids."""
        taken: list[str] = self.ask(
            f"held.extend(queue.pop(count={count})) or [d.id for d in held[-{count}:]]"
        )
        return taken

    def kill(self) -> None:
        """Kill it with SIGKILL."""
        with self.process:
            self.process.kill()


@pytest.fixture
def puppet(server: Server) -> Iterator[Callable[..., Puppet]]:
    """Start any number of worker processes; all are killed at the end."""
    started: list[Puppet] = []

    def start(url: str | None = None, offset_s: float = 0) -> Puppet:
        started.append(Puppet(url or server.url, offset_s))
        return started[-1]

    yield start
    for one in started:
        one.kill()


def payloads(found: list[Any]) -> list[bytes]:
    """The payloads of deliveries or views."""
    return [one.payload for one in found]


def everything(queue: Any) -> dict[str, Any]:
    """All jobs in all states, and all counters."""
    shown = {
        state.value: [
            (v.id, v.payload, v.deliveries, v.crashes, v.retries, v.receipt, v.worker, v.lock)
            for v in queue.inspect(0, 1000, state)
        ]
        for state in State
    }
    stats = queue.stats()
    counted = stats.completed, stats.failed, stats.cancelled, stats.recovered, stats.merged
    return {**shown, "counted": counted, "locks": queue.locks()}


def drain(queue: Any) -> list[bytes]:
    """Take and ack one job after the other until nothing is left."""
    taken = []
    while found := queue.pop():
        taken += payloads(found)
        queue.ack(*found)
    return taken


# -- what comes back --------------------------------------------------------------------------


def test_jobs_of_a_killed_worker_are_served_next(
    connect: Connect, puppet: Callable[..., Puppet]
) -> None:
    """P1: kill -9 with four jobs in hand: they are next, in order; a neighbour keeps its own."""
    neighbour, peer = connect(**QUICK), connect(**QUICK)
    queue = peer.queue("work")
    queue.push_many([str(n) for n in range(9)])
    victim = puppet()
    assert len(victim.take(3)) == 3
    (kept,) = neighbour.queue("work").pop()
    assert len(victim.take(1)) == 1
    peer.start_work("work")

    victim.kill()
    killed_at = time.monotonic()
    wait_until(lambda: queue.stats().waiting == 8)

    assert time.monotonic() - killed_at < BACK_S
    assert drain(queue) == [b"0", b"1", b"2", b"4", b"5", b"6", b"7", b"8"]
    view = queue.job(kept.id)
    assert (kept.payload, view.receipt, view.deliveries) == (b"3", kept.receipt, 1)
    assert neighbour.ack(kept) == [kept.id]
    assert queue.stats().recovered == 4


def test_who_waits_gets_the_job_of_a_killed_worker(
    connect: Connect, puppet: Callable[..., Puppet]
) -> None:
    """P1: a peer that waits in pop is woken by the return, not by asking again."""
    queue = connect(**QUICK).queue("work")
    queue.push("alone")
    victim = puppet()
    ids = victim.take(1)
    victim.kill()
    killed_at = time.monotonic()

    (found,) = queue.pop(wait=20)

    assert time.monotonic() - killed_at < BACK_S
    assert ([found.id], found.crashes, found.deliveries) == (ids, 1, 2)


def test_a_job_given_back_is_served_next(connect: Connect) -> None:
    """P2: release, twice and by two workers: always the oldest first, at its old place."""
    one, two = connect().queue("work"), connect().queue("work")
    one.push_many(["a", "b", "c", "d"])
    (a,), (b,), (c,) = one.pop(), two.pop(), one.pop()

    released = [two.release(b), one.release(c, a)]

    assert released == [[b.id], [c.id, a.id]]
    assert payloads(two.pop()) == [b"a"]
    assert payloads(one.pop(count=9)) == [b"b", b"c", b"d"]


# -- what survives the server -----------------------------------------------------------------


def furnish(limpet: Any) -> Any:
    """Fill a queue with jobs in all states; two were delivered twice, two are in hand."""
    queue = limpet.queue("work", lock_limit=1)
    queue.push_many([b"a", b"b", b"c"])
    queue.release(*queue.pop(count=2))
    queue.pop(count=2)
    queue.push_many([b"locked 1", b"locked 2"], lock="l")
    (gone,) = queue.pop()
    queue.fail(gone, "no")
    queue.pop(count=2)
    queue.push(b"later", delay="1h")
    queue.push_many([b"unique", b"unique", b"plain"], unique="waiting")
    stats = queue.stats()
    assert (stats.running, stats.waiting, stats.parked) == (3, 2, 1)
    assert (stats.scheduled, stats.dead) == (1, 1)
    return queue


@pytest.mark.parametrize("options", [(), ("--appendonly", "yes")], ids=["snapshot", "aof"])
def test_a_restart_keeps_every_job(
    serve: Serve, connect: Connect, options: tuple[str, ...]
) -> None:
    """P3: the server is killed and started again; jobs, counts, marks and receipts are there."""
    server = serve(*options)
    queue = furnish(connect(server.url))
    before = everything(queue)
    with server.client() as client:
        held = [Receipt(v.id, v.receipt.fence) for v in queue.inspect(0, 9, "running")]
        if not options:
            client.save()

    server.kill()
    server.start()

    assert everything(queue) == before
    assert queue.push(b"unique", unique="waiting").created is False
    assert queue.ack(*held) == [receipt.id for receipt in held]
    assert payloads(queue.pop(count=9)) == [b"locked 2", b"unique", b"plain"]


@pytest.mark.parametrize("flavour", ["sync"], indirect=True)
def test_a_promoted_replica_has_every_job(serve: Serve, connect: Connect) -> None:
    """P3: the server is killed, its replica promoted: the same jobs, and the work goes on."""
    server, replica = serve("--repl-diskless-sync-delay", "0", tcp=True), serve(tcp=True)
    with server.client() as old, replica.client() as new:
        new.replicaof("127.0.0.1", server.port)
        wait_until(lambda: new.info("replication")["master_link_status"] == "up", within=20)
        queue = furnish(connect(server.url, timeout=1, **QUICK))
        before = everything(queue)
        assert old.wait(1, 5000) == 1
        server.kill()
        new.replicaof("NO", "ONE")

    peer = connect(replica.url, **QUICK)
    copy = peer.queue("work")
    after = everything(copy)
    peer.start_work("work")
    wait_until(lambda: copy.stats().recovered == 3)

    assert after == before
    taken = [b"a", b"b", b"locked 1", b"locked 2", b"unique", b"plain"]
    assert drain(copy) == taken


# -- locks ------------------------------------------------------------------------------------


@pytest.mark.parametrize("flavour", ["sync"], indirect=True)
def test_two_workers_race_for_a_lock_a_thousand_times(connect: Connect, together: Together) -> None:
    """P4: whoever has the job has the lock; never two at a time, and none of 1000 is left."""
    queues = [connect().queue("work", lock="the only one") for _ in range(2)]
    queues[0].push_many([str(n) for n in range(1000)])
    held, done = threading.Lock(), []

    def race(queue: Any) -> None:
        while len(done) < 1000:
            for delivery in queue.pop(wait=0.2):
                assert held.acquire(blocking=False)
                assert [view.holder for view in queue.locks()] == [delivery.id]
                held.release()
                done.extend(queue.ack(delivery))

    together(*[partial(race, queue) for queue in queues])

    assert len(set(done)) == len(done) == 1000
    assert (queues[0].locks(), queues[0].stats().pending) == ([], 0)


def test_a_worker_that_slept_past_its_lease_changes_nothing(
    connect: Connect, puppet: Callable[..., Puppet]
) -> None:
    """P5: stopped and continued; its renew, ack, fail and release are told that it is too late."""
    queue = connect(**QUICK).queue("work")
    queue.push("job", lock="l")
    sleeper = puppet()
    ids = sleeper.take(1)

    sleeper.process.send_signal(signal.SIGSTOP)
    (taken,) = queue.pop(wait=20)
    before = everything(queue)
    sleeper.process.send_signal(signal.SIGCONT)
    verbs = ["ack", "release", "fail", "renew", "ack", "release"]
    answers = [sleeper.ask(f"attempt(queue.{verb}, held[0])") for verb in verbs]

    assert [taken.id] == ids
    assert answers == [[], [], False, "WorkerLost", [], []]
    assert everything(queue) == before
    assert queue.ack(taken) == [taken.id]


def test_a_free_job_passes_a_locked_one(connect: Connect) -> None:
    """P6: it is served at once; the locked one is next when its lock is free."""
    one, two = connect().queue("work"), connect().queue("work")
    one.push_many(["first", "second"], lock="l")
    (first,) = one.pop()
    one.push_many(["free", "free too"])

    (free,) = two.pop()
    stats = two.stats()
    one.ack(first)

    assert (free.payload, stats.parked, stats.waiting) == (b"free", 1, 1)
    assert payloads(two.pop(count=9)) == [b"second", b"free too"]
    assert two.stats().parked == 0


def test_a_busy_low_queue_does_not_hide_a_high_one(
    connect: Connect, puppet: Callable[..., Puppet]
) -> None:
    """P7: the holder of high's lock is killed; high is served soon after, low all the while."""
    limpet = connect(**QUICK)
    high, low = limpet.queue("work"), limpet.queue("low")
    high.push_many(["high 1", "high 2"], lock="l")
    victim = puppet()
    victim.take(1)
    served: list[str] = []
    victim.kill()
    deadline = time.monotonic() + BACK_S

    while "work" not in served and time.monotonic() < deadline:
        low.push("low")
        found = limpet.pop("work", "low")
        served += [d.queue for d in found]
        limpet.ack(*found)

    assert served[-1] == "work"
    assert set(served[:-1]) == {"low"}
    assert payloads(limpet.pop("work")) == [b"high 2"]


def test_unique_and_lock_together(connect: Connect, together: Together) -> None:
    """P22: one runs, one waits, the rest is refused, in whatever order things happen."""
    queues = [connect().queue("work", unique="waiting", lock="report") for _ in range(4)]
    running, most, created = threading.Lock(), [], []

    def churn(queue: Any) -> None:
        for _ in range(40):
            created.append(queue.push("report").created)
            for delivery in queue.pop():
                assert running.acquire(blocking=False)
                stats = queue.stats()
                most.append((stats.running, stats.waiting + stats.parked))
                running.release()
                queue.ack(delivery)

    together(*[partial(churn, queue) for queue in queues])

    assert {n for n, _ in most} == {1}
    assert {n for _, n in most} <= {0, 1}
    left = len(drain(queues[0]))
    assert created.count(True) == queues[0].stats().completed
    assert left <= 1


# -- scripts, marks, twins --------------------------------------------------------------------


def test_scripts_may_be_flushed_between_any_two_calls(limpet: Any, plain: redis.Redis) -> None:
    """P8: a whole life of jobs, with the script cache emptied before each call."""
    queue = limpet.queue("work")

    def flushed(call: Callable[..., Any], *args: Any, **options: Any) -> Any:
        plain.script_flush()
        return call(*args, **options)

    flushed(queue.push_many, ["a", "b", "c"], unique="running", lock="l")
    (a,) = flushed(queue.pop)
    flushed(queue.release, a)
    flushed(queue.pop)
    (again,) = flushed(queue.recover, older_than=0)
    acked, found = flushed(queue.ack_and_pop, [again])
    assert flushed(queue.fail, found[0], "no") is True
    (c,) = flushed(queue.pop)
    assert flushed(queue.retry, c, delay=60) is True
    assert flushed(queue.cancel, id=c.id) == 1
    assert flushed(queue.revive) == [found[0].id]

    assert (acked, payloads(flushed(queue.inspect))) == ([a.id], [b"b"])
    assert flushed(queue.drop) is True


def test_a_removed_job_can_be_pushed_again(limpet: Any) -> None:
    """P9: one of three waiting unique jobs is cancelled; it can come again, nothing is stuck."""
    queue = limpet.queue("work", unique="waiting")
    _, b, _ = queue.push_many(["a", "b", "c"])

    cancelled = queue.cancel(id=b.id), queue.cancel(id=b.id)
    again = queue.push("b")

    assert (cancelled, again.created) == ((1, 0), True)
    assert drain(queue) == [b"a", b"c", b"b"]
    assert queue.verify().ok


@pytest.mark.parametrize("mode", ["waiting", "running"])
def test_a_cancelled_unique_job_can_be_pushed_again(limpet: Any, mode: str) -> None:
    """P10: cancelled while it waits, or while it runs and its worker obeyed: the mark is free."""
    queue = limpet.queue("work", unique=mode)
    queue.push("x")
    waiting = queue.cancel(payload="x")
    queue.push("x")
    (held,) = queue.pop()

    running = queue.cancel(payload="x")
    acked = queue.ack(held)

    assert (waiting, running, acked) == (1, 1, [])
    assert queue.push("x").created is True
    assert (queue.stats().cancelled, queue.stats().completed) == (2, 0)


def test_of_two_hundred_pushes_one_is_created(limpet: Any, together: Together) -> None:
    """P11: 200 threads push the same at once: one new job, and 199 who are told its id."""
    queue = limpet.queue("work", unique="waiting")
    queue.push("connected")

    answers = together(*[partial(queue.push, "same")] * 200)

    assert [pushed.created for pushed in answers].count(True) == 1
    assert len({pushed.id for pushed in answers}) == 1
    assert payloads(queue.inspect(0, 300)) == [b"connected", b"same"]
    assert queue.stats().refused == 199


@pytest.mark.parametrize("flavour", ["sync"], indirect=True)
def test_of_pushes_from_many_processes_one_is_created(
    limpet: Any, puppet: Callable[..., Puppet]
) -> None:
    """P11: the same from two processes with 100 threads each."""
    queue = limpet.queue("work", unique="waiting")
    puppets = [puppet() for _ in range(2)]
    push = "queue.push('same', unique='waiting')"

    for one in puppets:
        one.tell(f"[(p.id, p.created) for p in at_once(100, lambda: {push})]")
    answers = [answer for one in puppets for answer in one.answer()]

    assert [created for _, created in answers].count(True) == 1
    assert {job_id for job_id, _ in answers} == {view.id for view in queue.inspect(0, 300)}
    assert queue.stats().refused == 199


def test_the_order_of_keys_does_not_matter_if_the_caller_says_so(limpet: Any) -> None:
    """P21: payloads stay as they are; the key, made of sorted content, tells twins."""
    queue = limpet.queue("work", unique="waiting")
    texts = ['{"a": 1, "b": [2]}', '{"b":[2],"a":1}', '{"a": 1, "b": [3]}']

    def push(text: str) -> Any:
        canonical = json.dumps(json.loads(text), sort_keys=True)
        return queue.push(text, key=canonical, lock=canonical)

    created = [push(text).created for text in texts]

    assert created == [True, False, True]
    first, third = queue.pop(count=9)
    assert [first.payload.decode(), third.payload.decode()] == [texts[0], texts[2]]
    assert push(texts[1]).created is True
    assert (queue.pop(), queue.stats().parked) == ([], 1)


# -- bytes, numbers, clocks -------------------------------------------------------------------


def test_recover_takes_each_job_at_most_once(connect: Connect) -> None:
    """P12: age 0 and a huge count: every running job once, by either of two who ask."""
    one, two = connect().queue("work"), connect().queue("work")
    one.push_many([str(n) for n in range(120)])
    one.pop(count=60)
    two.pop(count=60)

    mine, theirs = one.recover(10**12, older_than=0), two.recover(10**12, older_than=0)

    assert payloads(mine) == payloads(theirs) == [b"%d" % n for n in range(120)]
    assert (len(one.ack(*mine)), len(two.ack(*theirs))) == (0, 120)


ODD = [b"", b"*", b"a:b_c*d", b"\0", b"\xff\xfe\0{}", "ü☃\n\r".encode(), b" ", b"%d", b"x" * 2**20]


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: repr(odd[:12]))
def test_any_bytes_are_fine(limpet: Any, odd: bytes) -> None:
    """P13: as payload, as unique key, as lock, as message; through every way a job can take."""
    queue = limpet.queue("work", unique="running")
    pushed = queue.push(odd, key=odd, lock=odd)

    (first,) = queue.pop()
    refused = queue.push(odd, key=odd)
    queue.release(first)
    queue.pop()
    (again,) = queue.recover(older_than=0)
    queue.retry(again, message=odd)
    (last,) = queue.pop(wait=5)
    failed = queue.fail(last, odd)

    assert {first.payload, again.payload, last.payload} == {odd}
    assert (refused.created, refused.id, failed) == (False, pushed.id, True)
    message = queue.last_failure().message
    assert message == (odd if len(odd) <= 8192 else odd[:8189] + b"...").decode("utf-8", "replace")
    assert queue.push(odd, key=odd).created is True
    assert queue.cancel(payload=odd) == 1


@pytest.mark.parametrize("name", ["a*b", "ü", "", "a b", "x" * 201, "1-1", "NUL\0"])
def test_odd_ids_are_refused_at_the_door(limpet: Any, name: str) -> None:
    """P13: an id of your own that cannot be is an error before anything is sent."""
    with pytest.raises(ConfigError):
        limpet.queue("work").push(b"x", id=name)

    assert limpet.queues() == []


def test_a_fresh_job_is_found_among_ten_thousand_running(limpet: Any) -> None:
    """P14: the first call gets it, whether pop or claim asks."""
    queue = limpet.queue("work")
    queue.push_many([b"old"] * 10_000)
    while queue.pop(count=1000):
        pass
    queue.push_many([b"fresh 1", b"fresh 2"])

    popped, claimed = queue.pop(), queue.claim()

    assert queue.stats().running == 10_002
    assert payloads(popped) == [b"fresh 1"]
    assert (claimed.state, claimed.delivery.payload) == ("READY", b"fresh 2")
    assert queue.drop() is True


@pytest.mark.parametrize("flavour", ["async"], indirect=True)
def test_clients_an_hour_apart_see_the_same(
    connect: Connect, plain: redis.Redis, puppet: Callable[..., Puppet]
) -> None:
    """P15: one process an hour ahead, one an hour behind: same states, same ages, same leases."""
    queue = connect(**QUICK).queue("work", timeout=30)
    queue.push("job")
    (held,) = queue.pop()
    puppets = [puppet(offset_s=offset_s) for offset_s in (3600, -3600)]

    for one in puppets:
        one.ask("(queue.push('soon', delay=0.2), queue.push('late', delay='30m')) and None")
        one.ask("held.extend(queue.pop(wait=10))")
    look = "(queue.claim().state, queue.claim(timeout=0).delivery.id)"
    states = [one.ask(look) for one in puppets]
    view = (
        "[(v.id, v.payload, v.state.value, v.enqueued_at, v.at) for v in queue.inspect(0,9,'%s')]"
    )
    views = [[one.ask(view % state) for one in puppets] for state in ("running", "scheduled")]

    assert states == [("PROCESSING", held.id)] * 2
    assert views[0][0] == views[0][1]
    assert views[1][0] == views[1][1]
    now_ms = plain.time()[0] * 1000
    assert [p for _, p, *_ in views[0][0]] == [b"job", b"soon", b"soon"]
    assert all(abs(enqueued - now_ms) < 60_000 for *_, enqueued, _ in views[0][0] + views[1][0])
    assert queue.renew(held).lost == ()
    assert [one.ask("queue.ack(*held) == [d.id for d in held]") for one in puppets] == [True] * 2


# -- a server that stalls ---------------------------------------------------------------------


def test_a_stall_longer_than_the_timeout_loses_nothing(serve: Serve, connect: Connect) -> None:
    """P16: pop raises while the server is frozen; then every job is served, once, in order."""
    server = serve()
    queue = connect(server.url, timeout=1).queue("work")
    other = connect(server.url).queue("work")
    queue.push_many([str(n) for n in range(6)])
    queue.ack(*queue.pop())

    server.signal(signal.SIGSTOP)
    with pytest.raises(BackendError, match="cannot be reached"):
        queue.pop(count=2)
    server.signal(signal.SIGCONT)
    mine, theirs = queue.pop(count=2), other.pop(count=9)

    assert payloads(mine) == [b"1", b"2"]
    assert payloads(theirs) == [b"3", b"4", b"5"]
    assert len(queue.ack(*mine)) + len(other.ack(*theirs)) == 5
    assert queue.stats().pending == 0


def test_a_pop_sent_again_and_again_takes_once(
    serve: Serve, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P16: the server is frozen for several socket timeouts: one call, one job, delivered once."""
    for link in ("limpet.link.sync.link", "limpet.link.aio.link"):
        monkeypatch.setattr(f"{link}.SOCKET_TIMEOUT_S", 0.2)
    server = serve()
    queue = connect(server.url).queue("work")
    queue.push_many(["a", "b", "c"])
    assert payloads(queue.pop()) == [b"a"]

    server.signal(signal.SIGSTOP)
    thaw = threading.Timer(1.0, server.signal, [signal.SIGCONT])
    thaw.start()
    found = queue.pop()
    thaw.join()

    assert [(d.payload, d.deliveries) for d in found] == [(b"b", 1)]
    assert payloads(queue.inspect()) == [b"c"]
    assert len(queue.ack(*found)) == 1


# -- dropping, adopting, odd input ------------------------------------------------------------


def test_a_dropped_queue_does_not_come_back(
    connect: Connect, plain: redis.Redis, puppet: Callable[..., Puppet]
) -> None:
    """P17: with jobs in two hands, one of them killed later: late ends bring nothing back."""
    limpet = connect(**QUICK)
    queue = limpet.queue("work")
    queue.push_many(["a", "b", "c", "d"])
    victim = puppet()
    victim.take(1)
    held = queue.pop(count=3)

    dropped = queue.drop()
    late = queue.ack(held[0]), queue.release(held[1]), queue.fail(held[2], "late")
    victim.kill()
    wait_until(lambda: plain.zcard("limpet:{work}:workers") == 1)  # the victim's lease is over
    after = everything(queue)
    limpet.stop_worker()

    assert (dropped, late, limpet.queues()) == (True, ([], [], False), [])
    assert not any(after[state.value] for state in State)
    rest = {key.rpartition(b":")[2]: plain.ttl(key) for key in plain.keys("*")}
    assert rest.keys() <= {b"clock", b"sessions", b"lanes"}
    assert all(0 < ttl_s <= 3600 for ttl_s in rest.values())


def test_a_list_with_elements_is_adopted(limpet: Any, plain: redis.Redis) -> None:
    """P18: in order, with marks and locks; twins are merged, and the list is gone."""
    plain.rpush("resque:queue:mail", "a", "b", "a", b"\0\xff", "c")
    queue = limpet.queue("mail", unique="waiting", lock=lambda payload: payload)
    queue.push("c")

    moved = queue.adopt("resque:queue:mail")

    assert (moved, plain.exists("resque:queue:mail")) == (3, 0)
    assert queue.push("a").created is False
    found = queue.pop(count=9)
    assert payloads(found) == [b"c", b"a", b"b", b"\0\xff"]
    assert [d.lock for d in found] == payloads(found)
    assert queue.adopt("resque:queue:mail") == 0


def test_the_same_id_twice_is_two_jobs(connect: Connect) -> None:
    """P19: pushed twice in one call, taken by two workers: each ends its own."""
    one, two = connect().queue("work"), connect().queue("work")
    one.push_many(["id-7", "id-7"])
    (first,), (second,) = one.pop(), two.pop()

    failed, acked = two.fail(second, "no"), one.ack(first)

    assert first.payload == second.payload == b"id-7"
    assert (failed, acked) == (True, [first.id])
    assert (one.stats().completed, one.stats().failed) == (2, 1)
    assert [failure.id for failure in one.failures()] == [second.id]


def test_odd_questions_get_an_empty_answer(limpet: Any) -> None:
    """P20: any position of empty lines, any nonsense for a receipt or an id; then all works."""
    queue = limpet.queue("work")
    receipts = ["", "@", "x", "1-1", "1-1@", "1-1@-1", "@1", "a@b@c", "9" * 100_000, "\0@1"]
    receipts += [f"1-1@{'9' * 250}", "ü@1", "1-1@1.5", "1-1@ 1"]

    shown = [queue.inspect(start, 10**9, s) for s in State for start in (-9, -1, 0, 1, 2**50)]
    ended = [queue.ack(*receipts), queue.release(*receipts), queue.ack(Receipt("ü\0" * 500, 7))]
    missing = [queue.job(odd) for odd in ("", "x" * 100_000, "\0", "1-1")]
    queue.push("fine")

    assert not any(shown)
    assert ended == [[], [], []]
    assert missing == [None] * 4
    assert [queue.cancel(id="x" * 100_000), queue.revive("x"), queue.purge("x")] == [0, [], 0]
    assert drain(queue) == [b"fine"]

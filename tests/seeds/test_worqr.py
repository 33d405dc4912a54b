"""What worqr promises, number by number, and the mistakes limpet does not share."""

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import redis

from limpet import BackendError, ConfigError, Duplicate, Event, WorkerLost
from tests.support.servers import Server
from tests.support.waiting import wait_until

#: number: (what it says, limpet's call, why limpet differs)
STATEMENTS: dict[str, tuple[str, str, str]] = {
    "W1": ("nothing but Redis; peers look after each other", "`Limpet(url)`", ""),
    "W2": ("every step is atomic", "any call", ""),
    "W3": (
        "what a failed worker had goes back to the front",
        "`queue.pop()`",
        (
            "A worker gets one such job at a time, and others from behind it meanwhile: the job may"
            " have killed its worker."
        ),
    ),
    "W4": (
        "nothing is kept of a finished job",
        "`queue.ack(delivery)`",
        "Numbers are counted, and the last 100 errors are kept.",
    ),
    "W5": (
        "each job goes to exactly one worker",
        "`queue.pop()`",
        "At any moment. After a death it is delivered again: `delivery.deliveries`.",
    ),
    "W6": ("payloads are stored as they came", "`queue.push(x)`", ""),
    "W7": (
        "workers are told of new work at once, without polling and without blocking",
        "`queue.events()`, `queue.pop(wait=5)`",
        "Both are there: events, which carry no guarantee, and a pop that blocks, which does.",
    ),
    "W8": ("first in, first out", "`queue.push(x)`, `queue.pop()`", ""),
    "W9": (
        "enqueue adds at the end and publishes the number 1",
        "`queue.push(x)`",
        "One channel per queue: the message is `work 1`.",
    ),
    "W10": (
        "startTask takes the oldest for one worker",
        "`queue.pop()`",
        "",
    ),
    "W11": ("stopTask puts it back to where it was", "`queue.release(delivery)`", ""),
    "W12": ("finishTask deletes it", "`queue.ack(delivery)`", ""),
    "W13": ("cancelTasks removes every waiting copy", "`queue.cancel(payload=x)`", ""),
    "W14": (
        "cancelTasks publishes the task",
        "`queue.events()`",
        "The event names the job, not its payload.",
    ),
    "W15": (
        "workers finish running copies of a cancelled task",
        "`queue.renew(delivery).cancelled`",
        "Whatever ends such a delivery ends the job as cancelled.",
    ),
    "W16": (
        "startWorker registers a worker for 3 seconds",
        "`limpet.start_worker(heartbeat=1, lease=3)`",
        "It is listed from its first queue on. The default lease is 10 seconds.",
    ),
    "W17": ("every second the worker is kept for 3 more, if it is still there", "heartbeat", ""),
    "W18": ("if it is not, the worker has failed and starts anew", "`WorkerLost`", ""),
    "W19": ("startWork notes a queue of the worker", "`limpet.start_work(queue)`", ""),
    "W20": (
        "stopWork leaves a queue and returns what was in progress there",
        "`limpet.stop_work(queue)`",
        "",
    ),
    "W21": ("failWorker removes the worker", "`limpet.fail_worker(worker)`", ""),
    "W22": ("failWorker returns all its tasks, of all queues", "`limpet.fail_worker(worker)`", ""),
    "W23": (
        "failWorker publishes how much there is to do",
        "`queue.events()`",
        "The event tells how many jobs came back; a waiting worker is woken in the same step.",
    ),
    "W24": (
        "a worker serves several queues and holds several tasks",
        '`limpet.pop("a", "b", count=9)`',
        "",
    ),
    "W25": ("a task and its process are two things", "`delivery.id`, `delivery.receipt`", ""),
    "W26": (
        "options: prefix, worker id, heartbeat, timeout, check interval, debug",
        "`Limpet(url, name=..., heartbeat=..., lease=...)`",
        (
            "Keys always begin with `limpet:`; the id is the name and a random part, never used"
            " twice; every heartbeat and pop checks; what runs is shown by `inspect`."
        ),
    ),
    "W27": ("a worker that never expires", "`limpet.start_worker(lease=None)`", ""),
    "W28": (
        "two connections, which the caller may supply; host and port are needed",
        "`Limpet(url)`",
        (
            "Connections are limpet's own: it must set their timeouts and switch their repeating"
            " off. Without an address it starts a server of its own."
        ),
    ),
    "W29": (
        "connection errors are an event",
        "`BackendError`",
        "The call that could not be made raises, after the client's `timeout`.",
    ),
    "W30": (
        "list queues; peek, count, list, delete",
        "`limpet.queues()`, `queue.peek()`, `queue.len()`, `queue.inspect()`, `queue.drop()`",
        "",
    ),
    "W31": ("one task or many, in order; the event has the number", "`queue.push_many(xs)`", ""),
    "W32": ("an empty task is a task", '`queue.push(b"")`', ""),
    "W33": ("an empty list is an error", "`ConfigError`", ""),
    "W34": (
        "unique tasks, from enqueue to finish; a duplicate is an error; no lists of them",
        '`queue.push(x, unique="running", on_twin="raise")`',
        "Lists may be unique too; without `on_twin` a duplicate is an answer, not an error.",
    ),
    "W35": (
        "dequeue needs startWork, and that needs startWorker",
        "`queue.pop()`",
        "The first pop does both.",
    ),
    "W36": (
        "dequeue of an empty queue gives null, else id and task",
        "`queue.pop()`",
        "A list, since it may take many: empty, or with deliveries.",
    ),
    "W37": (
        "stop and finish need only the process id; an unknown one is passed over in silence",
        "`queue.ack(str(receipt))`, `queue.release(str(receipt))`",
        "The answer tells: an unknown or stale receipt is missing in it.",
    ),
    "W38": (
        "finish takes a result and publishes it",
        "`queue.ack(delivery)`",
        "A queue keeps no results; the event `done` tells how many.",
    ),
    "W39": ("running processes of a task", "`queue.find(x)`", ""),
    "W40": (
        "whoever starts learns of the backlog",
        "`queue.pop(wait=5)`",
        "",
    ),
    "W41": (
        "events work, done, cancel and delete",
        "`queue.events()`",
        "`done` tells a number, not a result; there are also `failed` and `lost`.",
    ),
    "W42": (
        "every instance looks for dead workers each 10 seconds",
        "`queue.pop()`, heartbeat",
        "Every worker, with each heartbeat and pop; a mere producer does not.",
    ),
    "W43": ("a worker that was given up gives its tasks up too", "`WorkerLost`", ""),
    "W44": ("tasks that never end, held by one worker", "heartbeat", ""),
    "W45": (
        "a task that always fails is to be finished; failures are not tracked",
        "`queue.fail(delivery, message)`",
        (
            "It goes to the dead list with its error, and so does a job that kills its worker three"
            " times."
        ),
    ),
    "W-c1": ("a stopped task goes to the back", "`queue.release(delivery)`", ""),
    "W-c2": ("a failing worker robs the others", "`limpet.fail_worker(worker)`", ""),
    "W-c3": ("after a refused duplicate the next task is lost", "`queue.push(x)`", ""),
    "W-c4": (
        "two pushes of a unique task are both told yes",
        '`queue.push(x, unique="running")`',
        "",
    ),
    "W-c5": (
        "marks outlive cancel and delete, hold for all queues, and are freed by plain copies",
        "`queue.cancel(payload=x)`, `queue.drop()`",
        "",
    ),
    "W-c6": ("nobody is told of returned work", "`queue.pop(wait=5)`", ""),
    "W-c7": ("recovery takes up to 13 seconds", "`Limpet(url, heartbeat=1, lease=3)`", ""),
    "W-c8": ("a lost notification is never made good", "`queue.pop(wait=5)`", ""),
    "W-c9": ("every task wakes every worker", "`queue.pop(wait=5)`", ""),
    "W-c10": ("queues are found by a scan, and names get mixed up", "`limpet.queues()`", ""),
    "W-c11": ("dequeue is three steps and leaves traces meanwhile", "`queue.pop()`", ""),
    "W-c12": ("too late to finish looks like finished", "`queue.ack(delivery)`", ""),
    "W-c13": ("a cancelled task comes back", "`queue.cancel(payload=x)`", ""),
    "W-c14": ("a deleted queue comes back", "`queue.drop()`", ""),
    "W-c15": ("timers keep the program alive; no close", "`limpet.close()`", ""),
    "W-c16": ("a stuck worker keeps its tasks for ever", "`queue.recover(older_than=60)`", ""),
    "W-c17": ("a failed worker is not told", "`WorkerLost`", ""),
}

SYNC = pytest.mark.parametrize("flavour", ["sync"], indirect=True)
#: A lease short enough to see it end.
SHORT = {"heartbeat": 0.2, "lease": 0.6}
READ = {
    b"string": lambda plain, key: plain.get(key),
    b"list": lambda plain, key: plain.lrange(key, 0, -1),
    b"set": lambda plain, key: plain.smembers(key),
    b"zset": lambda plain, key: plain.zrange(key, 0, -1, withscores=True),
    b"hash": lambda plain, key: plain.hgetall(key),
}


def world(plain: redis.Redis) -> dict[str, Any]:
    """Read everything there is about jobs; clocks, workers and requests move on their own."""
    return {
        key.decode(): READ[plain.type(key)](plain, key)
        for key in plain.scan_iter()
        if not key.endswith((b":clock", b":workers", b":sessions", b":wake"))
    }


def ms_of(plain: redis.Redis) -> int:
    """Read the server's clock."""
    seconds, microseconds = plain.time()
    return int(seconds * 1000 + microseconds // 1000)


def blocked(plain: redis.Redis, count: int = 1) -> None:
    """Wait until so many clients wait for work."""
    wait_until(lambda: plain.info("clients")["blocked_clients"] >= count)


def promptly(queue: Any) -> list[Any]:
    """Wait for work; being called must take less than half of the time it would wait."""
    started = time.monotonic()
    found: list[Any] = queue.pop(wait=10)
    assert time.monotonic() - started < 5
    return found


def line(queue: Any) -> list[bytes]:
    """List the payloads that wait, the next one first."""
    return [job.payload for job in queue.inspect(0, 100)]


@pytest.fixture
def jobs(limpet: Any) -> Any:
    """A plain queue."""
    return limpet.queue("jobs")


def test_work_of_a_killed_worker_comes_first(connect: Any, hold: Any) -> None:
    """W1, W3, W42, W-c7: within a second of its lease, by a peer, in order, ahead of the rest."""
    peer, other = connect(**SHORT), connect(**SHORT)
    queue = peer.queue("jobs")
    queue.push_many([b"a", b"b", b"c", b"d"])
    (kept,) = other.queue("jobs").pop()
    holder = hold("jobs", count=2, **SHORT)
    peer.start_work("jobs")

    holder.kill()
    wait_until(lambda: queue.stats().recovered == 2, within=SHORT["lease"] + 1 + 1)

    served = []
    for _ in range(3):
        (job,) = queue.pop()
        served.append((job.payload, job.deliveries))
        queue.ack(job)
    assert served == [(b"b", 2), (b"c", 2), (b"d", 1)]
    assert other.queue("jobs").ack(kept) == [kept.id]


def test_nothing_is_ever_half_done(connect: Any, together: Any) -> None:
    """W2: many at once push, take, end, give back and cancel; every job is accounted for."""
    queues = [connect().queue("jobs") for _ in range(4)]

    def work(queue: Any) -> None:
        for n in range(15):
            queue.push_many([b"%d" % n, b"other"])
            for job, end in zip(queue.pop(count=4), ("ack", "fail", "release"), strict=False):
                getattr(queue, end)(job)
            queue.cancel(id=queue.push(b"unwanted").id)

    together(*[lambda queue=queue: work(queue) for queue in queues])

    stats = queues[0].stats()
    ended = stats.completed + stats.cancelled
    assert ended + stats.waiting + stats.running == 4 * 15 * 3
    assert queues[0].verify().ok


def test_nothing_is_kept_of_a_finished_job(jobs: Any, plain: redis.Redis) -> None:
    """W4, W12: no key holds its payload any more, nor its id; what is left is a number."""
    jobs.push(b"the only one", unique="waiting", lock=b"the lock")
    (job,) = jobs.pop()

    jobs.ack(job)

    left = world(plain)
    assert "the only one" not in repr(left)
    assert job.id not in repr(left)
    assert left["limpet:{jobs}:stats"] == {b"completed": b"1"}


def test_each_job_goes_to_one_worker(connect: Any, together: Any) -> None:
    """W5: four workers take as fast as they can; nothing is taken twice, nothing stays."""
    queues = [connect().queue("jobs") for _ in range(4)]
    pushed = [one.id for one in queues[0].push_many([b"%d" % n for n in range(120)])]

    def take(queue: Any) -> list[str]:
        taken = []
        while found := queue.pop(count=3):
            taken += [job.id for job in found]
        return taken

    shares = together(*[lambda queue=queue: take(queue) for queue in queues])

    assert sorted(job for share in shares for job in share) == sorted(pushed)


@pytest.mark.parametrize("payload", [b"plain", b"", b"\x00\xff {} \r\n", "ü".encode()])
def test_payloads_are_stored_as_they_came(jobs: Any, plain: redis.Redis, payload: bytes) -> None:
    """W6, W32: byte for byte, nothing around them, nothing at all included."""
    pushed = jobs.push(payload)

    stored = plain.hgetall("limpet:{jobs}:jobs")
    (job,) = jobs.pop()

    assert stored == {pushed.id.encode(): payload}
    assert job.payload == payload


def test_a_waiting_worker_is_called(
    connect: Any, plain: redis.Redis, together: Any, watch: Any
) -> None:
    """W7: it asks once, waits without asking again, and is woken by the push."""
    producer, consumer = connect().queue("jobs"), connect().queue("jobs")
    producer.push(b"first")
    consumer.pop()

    def push_later() -> None:
        blocked(plain)
        producer.push(b"x")

    with watch() as sent:
        found, _ = together(lambda: consumer.pop(wait=20), push_later)

    assert [job.payload for job in found] == [b"x"]
    assert [name for name in sent if name != "info"] == ["pop", "blpop", "push_plain", "pop"]


def test_jobs_leave_in_the_order_they_came(jobs: Any) -> None:
    """W8, W31: one by one or many at once."""
    jobs.push(b"1")
    jobs.push_many([b"2", b"3"])

    assert [jobs.pop()[0].payload for _ in range(3)] == [b"1", b"2", b"3"]


@SYNC
def test_our_page_moves_a_queue(run_page: Any, jobs: Any, plain: redis.Redis) -> None:
    """W8: what our page tells to do takes all tasks over, the oldest first."""
    plain.lpush("worqr:queues:jobs", b"1", b"2", b"3")

    moved = run_page("worqr")["move"](plain, jobs)

    assert moved == 3
    assert list(plain.scan_iter("worqr:*")) == []
    assert [job.payload for job in jobs.pop(count=9)] == [b"1", b"2", b"3"]


def test_events_tell_what_happened(limpet: Any, jobs: Any) -> None:
    """W9, W14, W30, W31, W38, W41: work and done with a number, others with the job, delete."""
    with limpet.events("jobs") as events:
        jobs.push(b"a")
        unwanted = jobs.push_many([b"b", b"c", b"d"])[2]
        first, second = jobs.pop(count=2)
        jobs.ack(first)
        jobs.fail(second, "no")
        jobs.cancel(payload=b"d")
        jobs.drop()
        seen = [events.next(within=5) for _ in range(6)]

    assert seen == [
        Event("jobs", "work", count=1),
        Event("jobs", "work", count=3),
        Event("jobs", "done", count=1),
        Event("jobs", "failed", subject=second.id),
        Event("jobs", "cancel", subject=unwanted.id),
        Event("jobs", "delete"),
    ]


def test_a_job_is_taken_for_one_worker(limpet: Any, jobs: Any) -> None:
    """W10, W26: the oldest runs, and everybody sees where and for how long."""
    jobs.push_many([b"old", b"young"])

    (job,) = jobs.pop()

    (shown,) = jobs.inspect(state="running")
    assert (shown.payload, shown.worker) == (b"old", limpet.worker)
    assert (shown.receipt, shown.elapsed >= 0) == (job.receipt, True)
    assert line(jobs) == [b"young"]


def test_a_released_job_is_the_next_one(jobs: Any) -> None:
    """W11, W-c1: it goes back to where it was, not to the end."""
    jobs.push_many([b"a", b"b", b"c"])
    (first,) = jobs.pop()

    released = jobs.release(first)

    assert released == [first.id]
    assert line(jobs) == [b"a", b"b", b"c"]
    assert jobs.pop()[0].id == first.id


def test_several_released_jobs_keep_their_order(jobs: Any) -> None:
    """W11: in whatever order they are given back."""
    jobs.push_many([b"a", b"b", b"c", b"d"])
    a, b, c = jobs.pop(count=3)

    jobs.release(c, a)
    jobs.release(b)

    assert line(jobs) == [b"a", b"b", b"c", b"d"]


def test_cancel_removes_every_waiting_copy(jobs: Any) -> None:
    """W13: wherever it waits: in line, at the front, for its time; others stay."""
    jobs.push_many([b"x", b"y", b"x"])
    jobs.push(b"x", front=True)
    jobs.push(b"x", delay=60)

    cancelled = jobs.cancel(payload=b"x")

    assert cancelled == 4
    assert line(jobs) == [b"y"]
    assert (jobs.stats().scheduled, jobs.stats().cancelled) == (0, 4)


@pytest.mark.parametrize("end", ["ack", "release", "retry", "fail"])
def test_a_cancelled_running_job_ends(jobs: Any, end: str) -> None:
    """W15, W-c13: its worker is told, and however it ends the job then, it does not come back."""
    jobs.push(b"x")
    (job,) = jobs.pop()

    cancelled = jobs.cancel(payload=b"x")
    told = jobs.renew(job).cancelled
    answer = getattr(jobs, end)(job)

    assert (cancelled, told) == (1, (job,))
    assert not answer
    stats = jobs.stats()
    assert (stats.pending, stats.scheduled, stats.dead, stats.cancelled) == (0, 0, 0, 1)


def test_a_worker_is_registered_for_its_lease(limpet: Any) -> None:
    """W16, W19, W26: 1 s and 3 s will do; its queue, name and lease are there to see."""
    worker = limpet.start_worker(name="me", heartbeat=1, lease=3)

    limpet.start_work("jobs")

    (shown,) = limpet.workers()
    assert (shown.id, shown.queue, shown.name, shown.lease_ms) == (worker, "jobs", "me", 3000)
    assert 0 < shown.lease_left_ms <= 3000
    assert worker.startswith("me-")
    assert limpet.start_worker() != worker


def test_a_living_worker_keeps_its_job(connect: Any, plain: redis.Redis) -> None:
    """W17, W44: for as long as it likes; heartbeats keep it well past its lease."""
    limpet, peer = connect(**SHORT), connect(**SHORT)
    queue = limpet.queue("jobs")
    queue.push(b"endless")
    (job,) = queue.pop()
    until_ms = ms_of(plain) + 1500

    wait_until(lambda: peer.queue("jobs").pop() or ms_of(plain) >= until_ms, step=0.05)

    assert [shown.deliveries for shown in queue.inspect(state="running")] == [1]
    assert queue.ack(job) == [job.id]


def test_a_worker_that_was_given_up_learns_it(connect: Any) -> None:
    """W17, W18, W43, W-c17: beating does not bring it back; its next call says so, then it may."""
    limpet, peer = connect(**SHORT), connect(**SHORT)
    queue = limpet.queue("jobs")
    queue.push(b"x")
    queue.pop()
    lost = limpet.worker
    with peer.events("jobs") as events:
        peer.fail_worker(lost)
        told = {event.kind: event for event in (events.next(within=5), events.next(within=5))}

    wait_until(lambda: limpet._heart.lost)

    assert told["lost"].subject == lost
    assert limpet.workers() == []
    assert line(peer.queue("jobs")) == [b"x"]
    with pytest.raises(WorkerLost, match=lost):
        queue.pop()
    assert [job.payload for job in queue.pop()] == [b"x"]
    assert limpet.worker != lost


def test_stop_work_returns_what_is_held_of_that_queue(connect: Any) -> None:
    """W20, W-c2: to the front; other queues and other workers keep theirs."""
    limpet, other = connect(), connect()
    for name in ("a", "b"):
        limpet.queue(name).push_many([b"1", b"2", b"3"])
    (kept,) = other.queue("a").pop()
    in_hand = limpet.pop("a", "b", count=3)

    returned = limpet.stop_work("a")

    assert [(job.queue, job.payload) for job in in_hand] == [("a", b"2"), ("a", b"3"), ("b", b"1")]
    assert returned == 2
    assert line(limpet.queue("a")) == [b"2", b"3"]
    assert other.ack(kept) == [kept.id]
    assert limpet.ack(*in_hand) == [in_hand[2].id]
    assert {(view.id, view.queue) for view in limpet.workers()} == {
        (other.worker, "a"),
        (limpet.worker, "b"),
    }


def test_a_failed_worker_is_removed_with_all_it_held(connect: Any) -> None:
    """W21, W22, W-c2: in every queue; the healthy one beside it loses nothing."""
    failing, healthy = connect(), connect()
    for name in ("a", "b"):
        failing.queue(name).push_many([b"1", b"2"])
    taken = failing.pop("a", count=1) + failing.pop("b", count=1)
    kept = healthy.pop("a", "b", count=2)
    worker = failing.worker

    known = healthy.fail_worker(worker)

    assert known
    assert not healthy.fail_worker(worker)
    assert worker not in {view.id for view in healthy.workers()}
    assert [line(healthy.queue(name)) for name in ("a", "b")] == [[b"1"], [b"1"]]
    assert failing.ack(*taken) == []
    assert healthy.ack(*kept) == [job.id for job in kept]


@pytest.mark.parametrize("back", ["release", "stop_work", "fail_worker"])
def test_returned_work_is_announced(
    connect: Any, plain: redis.Redis, together: Any, back: str
) -> None:
    """W23, W-c6: whoever waits gets it, without the help of a heartbeat; who listens hears."""
    limpet, idle = [connect(heartbeat=60, lease=180) for _ in range(2)]
    limpet.queue("jobs").push(b"x")
    (job,) = limpet.queue("jobs").pop()
    calls = {
        "release": lambda: limpet.queue("jobs").release(job),
        "stop_work": lambda: limpet.stop_work("jobs"),
        "fail_worker": lambda: idle.fail_worker(limpet.worker),
    }

    def give_back() -> None:
        blocked(plain)
        calls[back]()

    with idle.events("jobs") as events:
        (found, _) = together(lambda: promptly(idle.queue("jobs")), give_back)
        heard = [events.next(within=5)]
        heard += [events.next(within=5)] if back == "fail_worker" else []

    assert [one.id for one in found] == [job.id]
    assert Event("jobs", "work", count=1) in heard


def test_one_worker_serves_several_queues(limpet: Any) -> None:
    """W24: and may hold several jobs of each."""
    for name in ("a", "b"):
        limpet.queue(name).push_many([b"1", b"2"])

    taken = limpet.pop("a", "b", count=9)

    assert [(job.queue, job.payload) for job in taken] == [
        (name, payload) for name in ("a", "b") for payload in (b"1", b"2")
    ]
    assert {view.queue for view in limpet.workers()} == {"a", "b"}


def test_a_job_and_its_delivery_are_two_things(jobs: Any) -> None:
    """W25: the id stays; each delivery has a receipt of its own, and its fence only grows."""
    jobs.push(b"x")
    (first,) = jobs.pop()
    jobs.release(first)

    (second,) = jobs.pop()

    assert second.id == first.id
    assert second.receipt != first.receipt
    assert second.fence > first.fence


def test_a_worker_can_be_permanent(connect: Any, hold: Any) -> None:
    """W27: killed, it keeps its job until somebody declares it dead."""
    limpet = connect()
    queue = limpet.queue("jobs")
    queue.push(b"x")
    holder = hold("jobs", lease=None)

    holder.kill()

    assert [view.lease_left_ms for view in limpet.workers()] == [None]
    assert queue.pop() == []
    assert limpet.fail_worker(holder.worker)
    assert [job.payload for job in queue.pop()] == [b"x"]


def test_a_server_that_is_not_there_is_an_error(connect: Any) -> None:
    """W29: it is raised by the call, which names the server, after the time the caller gave."""
    limpet = connect("unix:///tmp/there-is-no-server-here.sock", timeout=0.1)

    with pytest.raises(BackendError, match="there-is-no-server-here"):
        limpet.queue("jobs").push(b"x")


def test_a_queue_can_be_looked_at(limpet: Any, jobs: Any, plain: redis.Redis) -> None:
    """W30: its name, its next job, how many and which; nothing is taken by looking."""
    assert (jobs.peek(), jobs.len(), jobs.inspect()) == (None, 0, [])
    jobs.push_many([b"a", b"b"])
    before = world(plain)

    assert limpet.queues() == ["jobs"]
    assert jobs.peek().payload == b"a"
    assert jobs.len() == 2
    assert line(jobs) == [b"a", b"b"]
    assert world(plain) == before
    assert [jobs.drop(), jobs.drop()] == [True, False]


def test_nothing_to_push_is_an_error(jobs: Any) -> None:
    """W33: an empty list is a mistake of the caller."""
    with pytest.raises(ConfigError, match="nothing to push"):
        jobs.push_many([])


def test_a_job_can_be_unique_until_it_ended(jobs: Any) -> None:
    """W34: waiting or running it refuses its twins, in lists too; plain copies are welcome."""
    unique: dict[str, Any] = {"unique": "running", "on_twin": "raise"}
    first = jobs.push(b"x", **unique)
    with pytest.raises(Duplicate) as refused:
        jobs.push(b"x", **unique)
    (job,) = jobs.pop()
    with pytest.raises(Duplicate):
        jobs.push(b"x", **unique)
    plain_copy = jobs.push(b"x")

    jobs.ack(job)

    assert (refused.value.job_id, plain_copy.created) == (first.id, True)
    pushed = jobs.push_many([b"x", b"y", b"x"], unique="running")
    assert [one.created for one in pushed] == [True, True, False]


def test_the_first_pop_starts_everything(limpet: Any, jobs: Any) -> None:
    """W35, W36: a worker, its work on that queue; and an empty queue is an empty list."""
    assert limpet.worker is None

    found = jobs.pop()

    assert found == []
    assert [(view.id, view.queue) for view in limpet.workers()] == [(limpet.worker, "jobs")]


def test_a_receipt_is_all_that_is_needed(connect: Any, jobs: Any) -> None:
    """W36, W37, W-c12: as text, from anywhere; a stale or unknown one is missing in the answer."""
    jobs.push_many([b"a", b"b"])
    texts = [str(job.receipt) for job in jobs.pop(count=2)]
    other = connect().queue("jobs")

    released = other.release(texts[0])
    acked = other.ack(*texts, "unknown@1", "nonsense")

    assert released == [texts[0].partition("@")[0]]
    assert acked == [texts[1].partition("@")[0]]
    assert (jobs.ack(texts[1]), jobs.fail(texts[1]), jobs.release(texts[0])) == ([], False, [])
    assert (jobs.stats().completed, jobs.len()) == (1, 1)


def test_running_copies_can_be_found(jobs: Any) -> None:
    """W39: by payload, with their state and receipt."""
    jobs.push_many([b"x", b"y", b"x", b"x"])
    first, _, third = jobs.pop(count=3)

    found = [job for job in jobs.find(b"x") if job.state == "running"]

    assert {job.receipt for job in found} == {first.receipt, third.receipt}


def test_who_starts_late_finds_the_backlog(connect: Any) -> None:
    """W40: what was pushed while nobody listened is served at once, also with wait."""
    connect().queue("jobs").push_many([b"a", b"b", b"c"])

    taken = connect().queue("jobs").pop(count=9, wait=20)

    assert [job.payload for job in taken] == [b"a", b"b", b"c"]


def test_a_job_that_fails_ends(jobs: Any) -> None:
    """W45: counted, with its error among the last ones, and kept for people; it is not served."""
    jobs.push(b"x")
    (job,) = jobs.pop()

    ended = jobs.fail(job, "always")

    assert ended
    assert jobs.pop() == []
    assert [(dead.id, dead.reason) for dead in jobs.dead()] == [(job.id, "always")]
    assert jobs.last_failure().message == "always"


def test_a_push_after_a_refused_one_is_stored(connect: Any) -> None:
    """W-c3: whatever others did to the job in the way meanwhile."""
    mine, theirs = connect().queue("jobs"), connect().queue("jobs")
    theirs.push(b"x", unique="running")
    (job,) = theirs.pop()
    refused = mine.push(b"x", unique="running")
    theirs.ack(job)

    pushed = mine.push(b"y")

    assert not refused.created
    assert pushed.created
    assert line(mine) == [b"y"]


def test_of_two_pushes_at_once_one_is_told_yes(connect: Any, together: Any) -> None:
    """W-c4: in every race; the other one is told which job was in its way."""
    queues = [connect().queue("jobs", unique="running") for _ in range(2)]

    for n in range(50):
        a, b = together(*[lambda q=q, n=n: q.push(b"%d" % n) for q in queues])
        assert a.created is not b.created
        assert a.id == b.id

    assert queues[0].len() == 50


def test_marks_end_with_their_job(limpet: Any) -> None:
    """W-c5: by cancel and drop; each queue has its own, and plain copies do not touch them."""
    jobs, other = [limpet.queue(name, unique="running") for name in ("jobs", "other")]

    def again() -> bool:
        return bool(jobs.push(b"x").created)

    assert [again(), again(), other.push(b"x").created] == [True, False, True]
    jobs.cancel(payload=b"x")
    assert [again(), again()] == [True, False]
    jobs.drop()
    assert [again(), again()] == [True, False]
    plain_copy = jobs.push(b"x", unique=None, front=True)
    (job,) = jobs.pop()
    jobs.ack(job)
    assert job.id == plain_copy.id
    assert not again()


def test_a_lost_call_is_made_good(connect: Any, plain: redis.Redis, together: Any) -> None:
    """W-c8: a job that came without waking anybody is served by the next heartbeat."""
    queue = connect(heartbeat=0.2, lease=10).queue("jobs")
    queue.pop()

    def push_in_silence() -> None:
        blocked(plain)
        plain.hset("limpet:{jobs}:jobs", "1-1", b"x")
        plain.rpush("limpet:{jobs}:waiting", "1-1")

    found, _ = together(lambda: promptly(queue), push_in_silence)

    assert [job.payload for job in found] == [b"x"]


def test_one_job_wakes_one_worker(connect: Any, plain: redis.Redis, watch: Any) -> None:
    """W-c9: of six that wait one is called; a second at most, if a heartbeat falls in between."""
    queues = [connect().queue("jobs") for _ in range(6)]
    with ThreadPoolExecutor(6) as pool:
        waiting = [pool.submit(queue.pop, wait=20) for queue in queues]
        blocked(plain, 6)

        with watch() as sent:
            queues[0].push(b"x")
            wait_until(lambda: sum(one.done() for one in waiting) == 1)
        queues[0].push_many([b"y"] * 5)

    assert 1 <= sent.count("pop") <= 2
    assert sorted(one.result()[0].payload for one in waiting) == [b"x"] + [b"y"] * 5


@pytest.mark.parametrize("name", ["a:b", "a_b", "a*", "work jobs", "ü"])
def test_names_are_not_mixed_up(limpet: Any, watch: Any, name: str) -> None:
    """W-c10: any name is listed as it is, without a scan, and has events of its own."""
    with limpet.events(name) as events:
        limpet.queue(name).push(b"x")
        limpet.queue(name[0]).push(b"x")

        with watch() as sent:
            listed = limpet.queues()

        assert listed == sorted({name, name[0]})
        assert sent == ["smembers"]
        assert events.next(within=5) == Event(name, "work", count=1)


def test_an_empty_pop_leaves_no_trace(jobs: Any, plain: redis.Redis, watch: Any) -> None:
    """W-c11: one step, and nothing about jobs is other than before."""
    jobs.pop()
    before = world(plain)

    with watch() as sent:
        found = jobs.pop(count=5)

    assert found == []
    assert sent == ["pop"]
    assert world(plain) == before


def test_a_dropped_queue_stays_dropped(limpet: Any, jobs: Any, plain: redis.Redis) -> None:
    """W-c14: whatever its workers do with what they held, it is stale and brings nothing back."""
    jobs.push_many([b"a", b"b", b"c", b"d", b"e"])
    a, b, c, d, _ = jobs.pop(count=5)

    jobs.drop()
    late = [jobs.release(a), jobs.ack(b), jobs.fail(c), jobs.retry(d), limpet.stop_work("jobs")]

    assert late == [[], [], False, False, 0]
    assert set(world(plain)) <= {"limpet:{jobs}:lanes"}
    assert limpet.queues() == []


FORGETFUL = """
import sys
from limpet import Limpet

queue = Limpet(sys.argv[1]).queue("jobs")
print(queue.pop()[0].id)
"""


def test_a_program_ends_without_being_asked_to(server: Server, connect: Any) -> None:
    """W-c15: a client that nobody closed keeps no program alive; what it held is given back."""
    queue = connect().queue("jobs")
    pushed = queue.push(b"x")

    command = [sys.executable, "-c", FORGETFUL, server.url]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True)

    assert ended.stdout.split() == [pushed.id]
    assert line(queue) == [b"x"]


def test_a_client_can_be_closed(connect: Any, plain: redis.Redis) -> None:
    """W-c15: its worker leaves, its jobs go back, its connections end; twice is once."""
    queue = connect().queue("jobs")
    queue.push(b"x")
    before = plain.info("clients")["connected_clients"]
    leaving = connect()
    leaving.queue("jobs").pop()

    leaving.close()
    leaving.close()

    assert line(queue) == [b"x"]
    wait_until(lambda: plain.info("clients")["connected_clients"] == before)


def test_a_stuck_worker_can_be_relieved(connect: Any) -> None:
    """W-c16: it lives, so it keeps its job; by age anyone may take it over, and it is too late."""
    stuck, other = connect().queue("jobs"), connect().queue("jobs")
    stuck.push(b"x")
    (old,) = stuck.pop()
    assert other.recover(older_than=60) == []
    wait_until(lambda: stuck.inspect(state="running")[0].elapsed >= 50)

    (new,) = other.recover(older_than=0.05)

    assert (new.id, new.deliveries) == (old.id, 2)
    assert stuck.ack(old) == []
    assert other.ack(new) == [new.id]

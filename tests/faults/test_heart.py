"""The thread that keeps leases alive: nothing takes it away from a worker that lives."""

import gc
import logging
import signal
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import redis

from limpet import BackendError, Limpet
from limpet.commands import workers as worker_commands
from limpet.commands.workers import Beat
from limpet.connection.target import resolve
from limpet.flows.pop import Source
from limpet.hands import Hands
from limpet.heart import Heart
from limpet.keys import queue_keys
from limpet.options import Policy, WorkerOptions
from limpet.values import Delivery, Receipt
from tests.support.proxy import Fault, Proxy
from tests.support.puppets import Program
from tests.support.servers import Server
from tests.support.waiting import wait_until

Connect = Callable[..., Any]
#: The shortest lease that a busy machine keeps without help.
SHORT = {"heartbeat": 0.15, "lease": 0.75}


@pytest.fixture
def mine() -> Iterator[Server]:
    """A server of this test alone, that keeps its data when it is killed."""
    running = Server("--appendonly", "yes").start()
    yield running
    running.remove()


FROZEN = """
    import sys
    from limpet import Limpet, WorkerLost

    limpet = Limpet(sys.argv[1], heartbeat=0.1, lease=0.6)
    queue = limpet.queue("q")
    (job,) = queue.pop()
    print("got", job.id, flush=True)
    input()
    print("acked", queue.ack(job), flush=True)
    try:
        queue.pop()
    except WorkerLost as error:
        print("lost", error.worker == limpet.worker, flush=True)
    (again,) = queue.pop(wait=10)
    print("again", queue.ack(again), flush=True)
    limpet.close()
"""


def test_a_frozen_worker_is_told_that_it_was_declared_dead(
    server: Server, connect: Connect, plain: redis.Redis
) -> None:
    """Its job went to another worker; its late ack changes nothing; it can start anew."""
    limpet = connect(**SHORT)
    queue = limpet.queue("q")
    job = queue.push(b"a")
    with Program(FROZEN, server.url) as frozen:
        assert frozen.hear() == f"got {job.id}"
        frozen.signal(signal.SIGSTOP)
        (mine,) = queue.pop(wait=20)
        frozen.signal(signal.SIGCONT)
        frozen.tell()

        assert frozen.hear() == "acked []"
        assert frozen.hear() == "lost False"
        assert queue.ack(mine) == [job.id]
        second = queue.push(b"b")
        assert frozen.hear() == f"again ['{second.id}']"
        assert frozen.end() == (0, "")

    assert (mine.deliveries, mine.crashes) == (2, 1)
    assert queue.stats().completed == 2


@pytest.mark.parametrize("outage", ["frozen", "killed"])
def test_an_outage_of_ten_leases_takes_nothing_away(mine: Server, outage: str) -> None:
    """Workers on both ends of a long absence keep their jobs: the queue's clock stood still."""
    lease = 0.3
    clients = [Limpet(mine.url, timeout=60, heartbeat=0.1, lease=lease) for _ in range(3)]
    queues = [client.queue("q") for client in clients]
    queues[0].push_many([b"a", b"b", b"c"])
    jobs = [queue.pop()[0] for queue in queues]
    hearts = [client._heart for client in clients]

    if outage == "frozen":
        mine.signal(signal.SIGSTOP)
    else:
        mine.kill()
    threading.Event().wait(10 * lease)
    if outage == "frozen":
        mine.signal(signal.SIGCONT)
    else:
        mine.start()

    ticks = [int(clock_of(mine, "seen"))]
    wait_until(lambda: int(clock_of(mine, "seen")) > ticks[0] + 3 * lease * 1000)
    assert [heart.lost for heart in hearts if heart] == [False] * 3
    assert [queue.ack(job) for queue, job in zip(queues, jobs, strict=True)] == [
        [job.id] for job in jobs
    ]
    stats = queues[0].stats()
    assert (stats.completed, stats.recovered, stats.pending) == (3, 0, 0)
    for client in clients:
        client.close()


def clock_of(server: Server, field: str) -> bytes:
    """Read one number of the queue's clock."""
    with server.client() as plain:
        return plain.hget(queue_keys("q")["clock"], field) or b"0"


def beats_of(plain: redis.Redis) -> int:
    """Count the heartbeats in the queue, by its clock."""
    return int(plain.hget(queue_keys("q")["clock"], "tick") or 0)


def test_a_heart_lives_through_any_exception(
    connect: Connect,
    plain: redis.Redis,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A bug in a beat is told once, with its trace, and the next beat keeps the lease."""
    limpet = connect(**SHORT)
    queue = limpet.queue("q")
    queue.push(b"a")
    (job,) = queue.pop()
    real, failed = worker_commands.beat, []

    def beat(*args: Any) -> Any:
        failed.append(args)
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(worker_commands, "beat", beat)
    wait_until(lambda: len(failed) >= 3)
    monkeypatch.setattr(worker_commands, "beat", real)
    before = beats_of(plain)

    wait_until(lambda: beats_of(plain) > before + 300)
    assert queue.ack(job) == [job.id]
    told = [r for r in caplog.records if "a bug" in r.getMessage()]
    assert [bool(r.exc_info) for r in told] == [True]


def test_a_damaged_queue_costs_no_other_queue_its_lease(
    connect: Connect, plain: redis.Redis, caplog: pytest.LogCaptureFixture
) -> None:
    """One heartbeat is for all queues; if one of them cannot be read, the others are kept alive."""
    caplog.set_level(logging.WARNING, "limpet")
    limpet, other = connect(**SHORT), connect(**SHORT)
    queue = limpet.queue("q")
    queue.push(b"a")
    other.start_work("q")
    for name in ("before", "q", "then"):
        limpet.start_work(name)
    (job,) = queue.pop()

    for name in ("before", "then"):  # in one step: an empty key would mean that we are dead
        plain.set(queue_keys(name)["workers"], "not ours")
    started = beats_of(plain)
    wait_until(lambda: beats_of(plain) > started + 3000)

    assert queue.ack(job) == [job.id]
    damaged = [r for r in caplog.records if "it should be a zset" in r.getMessage()]
    assert 1 <= len(damaged) <= 2  # once per damaged queue, however many beats


def test_a_thread_that_looks_at_the_hands_does_not_mind_their_changes() -> None:
    """The heartbeat asks whether the worker is idle while jobs come and go."""
    hands, wrong, done = Hands(), [], threading.Event()
    jobs = [Delivery("q", str(n), b"", Receipt(str(n), n), 1, 1, 1) for n in range(50)]

    def look() -> None:
        try:
            while not done.is_set():
                assert hands.burden in {"none", "plain"}
        except Exception as error:  # noqa: BLE001 - told below
            wrong.append(error)

    watcher = threading.Thread(target=look)
    watcher.start()
    for _ in range(2000):
        hands.take(jobs, 3)
        hands.drop(job.receipt for job in jobs)
    done.set()
    watcher.join()

    assert wrong == []


def test_what_is_on_its_way_out_is_no_burden_and_still_ours() -> None:
    """While ack_and_pop is under way, the heart must not take its jobs for forgotten ones."""
    hands, job = Hands(), Delivery("q", "1-1", b"", Receipt("1-1", 1), 1, 1, 1)
    hands.take([job], 3)

    hands.set_down([job.receipt])
    leaving = (hands.burden, hands.receipts())
    hands.pick_up([job.receipt])
    back = (hands.burden, hands.receipts())
    hands.set_down([job.receipt])
    hands.drop([job.receipt])

    assert leaving == ("none", {job.receipt})
    assert back == ("plain", {job.receipt})
    assert (hands.burden, hands.receipts()) == ("none", frozenset())


def threads_of(worker: str) -> list[threading.Thread]:
    """The heartbeat threads of a worker."""
    return [t for t in threading.enumerate() if t.name == f"limpet-heart-{worker}"]


def test_a_client_nobody_needs_any_more_stops_beating(server: Server, plain: redis.Redis) -> None:
    """It was never closed: it is collected, its thread ends, its job goes to the next worker."""
    limpet = Limpet(server.url, **SHORT)
    limpet.queue("q").push(b"a")
    (job,) = limpet.queue("q").pop()
    worker, gone = limpet.worker, weakref.ref(limpet)
    assert worker
    assert len(threads_of(worker)) == 1
    del limpet

    gc.collect()

    wait_until(lambda: gone() is None and not threads_of(worker))
    with Limpet(server.url, **SHORT) as other:
        (again,) = other.queue("q").pop(wait=20)
    assert (again.id, again.deliveries, again.crashes) == (job.id, 2, 1)


def test_closing_waits_for_the_beat_under_way_and_gives_everything_back(
    proxy: Proxy, through: Connect, connect: Connect
) -> None:
    """However the two meet: afterwards there is no thread, no worker, and the job waits."""
    watch = connect(heartbeat=1000, lease=10_000).queue("q")
    watch.push(b"a")
    for delay_s in (0.0, 0.0, 0.02, 0.1):
        limpet = through(heartbeat=0.01, lease=60)
        queue = limpet.queue("q")
        queue.pop()
        worker = limpet.worker
        proxy.arm(*[Fault(n, delay_s=delay_s) for n in range(3)])
        proxy.wait_for(1)

        limpet.close()

        assert threads_of(worker) == []
        stats = watch.stats()
        assert (stats.waiting, stats.running, stats.workers) == (1, 0, 0)


def test_closing_without_a_server_ends_soon(mine: Server, connect: Connect) -> None:
    """There is nobody to say goodbye to: that is told, and nobody waits for it."""
    limpet = connect(mine.url, timeout=0.1, **SHORT)
    limpet.queue("q").pop()
    worker = limpet.worker
    mine.kill()
    wait_until(lambda: limpet.link.contact.lost)

    closing = threading.Thread(target=limpet.close)
    closing.start()
    closing.join(6)

    assert not closing.is_alive()
    assert threads_of(worker) == []


def test_stopping_and_starting_again_is_not_taken_for_death(
    server: Server, plain: redis.Redis
) -> None:
    """A beat that was under way while the worker left a queue and came back says nothing new."""
    with Limpet(server.url, heartbeat=0.005, lease=60) as limpet:
        limpet.queue("q").push(b"a")
        limpet.start_work("other")
        for _ in range(200):
            limpet.start_work("q")
            limpet.stop_work("q")
        (job,) = limpet.queue("q").pop()

        assert limpet.queue("q").ack(job) == [job.id]


def test_the_time_for_one_answer_fits_the_lease_twice() -> None:
    """A lost answer is noticed early enough to beat once more within the lease."""
    for heartbeat, lease in ((1, 10), (1, 3), (0.2, 0.6), (5, 6), (30, 120)):
        options = WorkerOptions("w", heartbeat, lease)
        heart = Heart(resolve("redis://nowhere"), options)
        assert heartbeat + 2 * heart._link._short_s <= lease + 0.2


def test_a_node_that_is_away_costs_the_queues_of_others_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """On a cluster each queue is beaten for by itself; those that answer come first."""
    heart = Heart(resolve("redis+cluster://nowhere:1"), WorkerOptions("w", 1, 10))
    heart._sources = {n: Source(queue_keys(n), Policy()) for n in ("a", "b", "c", "d")}
    beaten, patience = [], heart._link.timeout_s

    def send(command: Any) -> Any:
        beaten.append((command.queue, heart._link.timeout_s == patience))
        if command.queue in {"a", "c"}:
            error = BackendError("away")
            error.maybe_done = True
            raise error
        return [Beat(lost=False, tend=False, next_in_ms=-1, cancelled=())]

    monkeypatch.setattr(heart._link, "send", send)
    heart.try_beat()
    first, beaten = beaten, []
    heart.try_beat()

    assert first == [("a", True), ("b", False), ("c", False), ("d", False)]
    assert beaten == [("b", True), ("d", True), ("a", True), ("c", False)]
    assert heart._link.timeout_s == patience

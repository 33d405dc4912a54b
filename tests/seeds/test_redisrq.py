"""RedisRQ, the reliable queue as a data type: what it says, held against limpet."""

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import redis

from limpet import BackendError, ConfigError, Receipt
from tests.support.servers import Server
from tests.support.waiting import wait_until

Connect = Callable[..., Any]
Serve = Callable[..., Server]
Together = Callable[..., list[Any]]

#: Statement -> what it says, limpet's call, why limpet differs.
STATEMENTS: dict[str, tuple[str, str, str]] = {
    "R1": ("two lines: not yet delivered, and delivered", '`queue.inspect(state="running")`', ""),
    "R2": ("each element gets an id of time and number", "`queue.push(...).id`", ""),
    "R3": ("pop hands out; the element stays until acked", "`queue.pop()`", ""),
    "R4": ("ack frees the element", "`queue.ack(delivery)`", ""),
    "R5": ("memory is used for unfinished elements only", "`queue.ack(delivery)`", ""),
    "R6": ("no cluster and no AOF is needed", "`Limpet(url)`", ""),
    "R7": ("many elements a call, left to right", "`queue.push_many([...])`", ""),
    "R8": ("a missing queue is made by push", "`queue.push()`", ""),
    "R9": ("a key of another type is an error", "`BackendError`", ""),
    "R10": (
        "count, waiting time and one or more queues",
        '`limpet.pop("high", "low", count=10, wait=5)`',
        "Times are seconds, a timedelta, or text such as `500ms`.",
    ),
    "R11": ("queues are served strictly in order", '`limpet.pop("high", "low")`', ""),
    "R12": ("waiting ends with a push to any of the queues", "`queue.pop(wait=5)`", ""),
    "R13": (
        "waiting in vain answers null",
        "`queue.pop(wait=5)`",
        "Answers an empty list, as any pop that finds nothing.",
    ),
    "R14": ("answers queue, id and body of each", "`Delivery`", ""),
    "R15": ("ack takes one id or many", "`queue.ack(*deliveries)`", ""),
    "R16": ("ack answers those really removed", "`queue.ack(...)`", ""),
    "R17": (
        "after a recovery the first to finish wins",
        "`queue.ack(...)`",
        "The holder of the newest receipt wins; the older receipt is stale from the recovery on.",
    ),
    "R18": (
        "recover takes what was delivered at least so long ago",
        "`queue.recover(count, older_than)`",
        "",
    ),
    "R19": ("recover counts one more delivery", "`delivery.deliveries`", ""),
    "R20": ("recover sets the delivery time, by the server", "`delivery.delivered_at`", ""),
    "R21": (
        "recovered ones go to the end of the delivered",
        '`queue.inspect(state="running")`',
        "",
    ),
    "R22": ("inspect shows id and payload by position", "`queue.inspect(start, count)`", ""),
    "R23": ("a negative start counts from the end", "`queue.inspect(-2, 2)`", ""),
    "R24": (
        "delivered ones also show time, age and deliveries",
        '`queue.inspect(0, 10, "running")`',
        "",
    ),
    "R25": (
        "push answers a list; numbers start at 1 each millisecond; ids never go back",
        "`queue.push()`, `queue.push_many()`",
        "`push` of one answers one. The number never starts again: it is the place in line.",
    ),
    "R26": ("count is 1 unless said; nothing there is an empty list", "`queue.pop()`", ""),
    "R27": (
        "BLOCK 0 does not wait, a negative one waits for ever",
        "`queue.pop(wait=0)`, `queue.pop(wait=None)`",
        "For ever is `None`; a negative time is a `ConfigError`.",
    ),
    "R28": ("those who wait are served in order of arrival", "`queue.pop(wait=5)`", ""),
    "R29": (
        "blocking in a transaction or script is an error",
        "-",
        "limpet's calls are whole steps of their own; there is no command to put into another.",
    ),
    "R30": (
        "ack of what is not delivered removes nothing",
        "`queue.ack(...)`",
        "A missing queue answers an empty list as well.",
    ),
    "R31": (
        "recover of a missing queue, or with a count below 1",
        "`queue.recover()`",
        "A missing queue is an empty one: empty list. A count below 1 is a `ConfigError`.",
    ),
    "R32": (
        "inspect of a missing queue, out of range, or with a count below 1",
        "`queue.inspect()`",
        "A missing queue is an empty one: empty list, no error.",
    ),
    "R33": (
        "a wrong type is an error, unless something was taken already",
        '`limpet.pop("good", "bad")`',
        "",
    ),
    "R34": (
        "both counts, a type name, memory use",
        "`queue.stats()`",
        "Keys are plain hashes, lists and sets: `TYPE` and `MEMORY USAGE` work on each.",
    ),
    "R35": (
        "an emptied queue's key stays",
        "`limpet.queues()`",
        "The name stays listed until `queue.drop()`; the keys of its jobs are gone.",
    ),
    "R-c1": ("a restart lost everything", "any call", ""),
    "R-c2": ("a second snapshot stopped the server from starting", "any call", ""),
    "R-c3": ("writes were not replicated, logged or counted", "any call", ""),
    "R-c4": ("inspect of an empty list crashed the server", "`queue.inspect(1, 1)`", ""),
    "R-c5": ("a long id crashed the server", "`queue.ack('...')`", ""),
    "R-c6": ("recover handed one element out many times", "`queue.recover(older_than=0)`", ""),
    "R-c7": ("half an id acked another element", "`queue.ack('...')`", ""),
    "R-c8": ("an old consumer acked the new delivery", "`queue.ack(delivery)`", ""),
    "R-c9": (
        "a renamed key was acked under its old name",
        "`delivery.queue`",
        "A queue has several keys; do not rename them. A delivery knows its queue.",
    ),
    "R-c10": ("access rules were passed by", "any call", ""),
    "R-c11": ("ack searched the delivered list", "`queue.ack(delivery)`", ""),
    "R-c12": ("a count of 0 waited; a number was taken for a name", "`queue.pop(count=0)`", ""),
    "R-c13": ("nobody recovered by itself; no worker, no limit", "`queue.pop()`", ""),
    "R-c14": ("a native module was needed", "`Limpet(url)`", ""),
}

PAGE = Path(__file__).parents[2] / "docs" / "coming-from" / "redisrq.md"
#: Keys that say nothing about jobs: clocks, workers, names, and the memory of requests.
PASSING = {b"clock", b"workers", b"crew", b"sessions", b"lanes", b"queues"}


@pytest.fixture
def queue(limpet: Any) -> Any:
    """A queue with elements a, b and c."""
    elements = limpet.queue("rq")
    elements.push_many([b"a", b"b", b"c"])
    return elements


def payloads(found: list[Any]) -> list[bytes]:
    """The payloads of deliveries or views."""
    return [one.payload for one in found]


def world(plain: redis.Redis) -> dict[bytes, bytes | None]:
    """Everything the server stores about jobs."""
    return {k: plain.dump(k) for k in plain.keys("*") if k.rpartition(b":")[2] not in PASSING}


def freeze(limpet: Any, plain: redis.Redis) -> Callable[[int], int]:
    """Fix the server's time for a client; the answer moves it (ms from now) and tells it."""
    seconds, _ = plain.time()

    def move(by_ms: int) -> int:
        at_ms = seconds * 1000 + by_ms
        limpet.link.at_us = str(at_ms * 1000)
        return at_ms

    move(0)
    return move


# -- the structure ----------------------------------------------------------------------------


def test_elements_go_from_one_line_to_the_other(queue: Any) -> None:
    """R1, R3: popped elements leave the waiting line, first in first out, and stay as running."""
    first = queue.pop(count=2)

    assert payloads(first) == [b"a", b"b"]
    assert payloads(queue.inspect()) == [b"c"]
    assert payloads(queue.inspect(0, 10, "running")) == [b"a", b"b"]
    assert (queue.stats().waiting, queue.stats().running) == (1, 2)


def test_ids_are_time_and_number(limpet: Any, plain: redis.Redis) -> None:
    """R2: milliseconds by the server, a dash, and a number; push answers it."""
    before_ms = plain.time()[0] * 1000

    pushed = limpet.queue("rq").push(b"a")

    ms, number = map(int, pushed.id.split("-"))
    assert before_ms <= ms <= before_ms + 60_000
    assert (number, pushed.created) == (1, True)
    assert limpet.queue("rq").pop()[0].id == pushed.id


def test_ack_frees_the_element(queue: Any, plain: redis.Redis) -> None:
    """R4: after the ack neither id nor payload is stored anywhere."""
    (first, *others) = queue.pop(count=3)

    acked = queue.ack(first)

    assert acked == [first.id]
    assert not plain.hexists("limpet:{rq}:jobs", first.id)
    assert not plain.hexists("limpet:{rq}:running", first.id)
    assert [v.id for v in queue.inspect(0, 10, "running")] == [d.id for d in others]


def test_a_used_queue_keeps_no_memory(limpet: Any, plain: redis.Redis) -> None:
    """R5: after a thousand elements, as much is stored as after one."""
    queue = limpet.queue("rq")

    def through(count: int) -> set[bytes]:
        queue.push_many([b"x" * 100] * count)
        queue.ack(*queue.pop(count=count))
        return {key for key in plain.keys("limpet:{rq}:*") if key.rpartition(b":")[2] != b"wake"}

    after_one, after_thousand = through(1), through(1000)

    assert after_thousand == after_one
    assert not [k for k in after_one if k.rpartition(b":")[2] not in PASSING | {b"stats"}]
    assert sum(plain.memory_usage(key) for key in after_thousand) < 8_000


def test_a_plain_server_is_enough(limpet: Any, plain: redis.Redis) -> None:
    """R6, R-c14: no cluster, no AOF, no module."""
    limpet.queue("rq").push(b"a")

    assert payloads(limpet.queue("rq").pop()) == [b"a"]
    assert plain.info("cluster")["cluster_enabled"] == 0
    assert plain.info("persistence")["aof_enabled"] == 0
    assert [m for m in plain.module_list() if m[b"name"] != b"lua"] == []


# -- push -------------------------------------------------------------------------------------


def test_many_are_pushed_left_to_right(limpet: Any) -> None:
    """R7, R8: the queue is made by the push; places follow the order of the call."""
    queue = limpet.queue("new")

    pushed = queue.push_many([b"1", b"2", b"3"])

    assert [int(p.id.partition("-")[2]) for p in pushed] == [1, 2, 3]
    assert payloads(queue.pop(count=3)) == [b"1", b"2", b"3"]


@pytest.mark.parametrize("name", ["waiting", "jobs"])
def test_a_key_of_another_type_is_an_error(limpet: Any, plain: redis.Redis, name: str) -> None:
    """R9, R33: the error names the key; nothing is written half."""
    plain.set(f"limpet:{{rq}}:{name}", "mine")
    before = world(plain)
    queue = limpet.queue("rq")

    for call in (partial(queue.push, b"a"), queue.pop, queue.inspect, queue.stats):
        with pytest.raises(BackendError, match=rf"limpet:\{{rq\}}:{name} is a string"):
            call()

    assert world(plain) == before


def test_push_answers_one_or_a_list(limpet: Any, plain: redis.Redis) -> None:
    """R25: one for one, a list for a list; ids rise even if the server's clock goes back."""
    move = freeze(limpet, plain)
    queue = limpet.queue("rq")

    now_ms = move(0)
    first = queue.push(b"a")
    move(-60_000)
    second, third = queue.push_many([b"b", b"c"])
    later_ms = move(1)
    fourth = queue.push(b"d")

    expected = [f"{now_ms}-1", f"{now_ms}-2", f"{now_ms}-3", f"{later_ms}-4"]
    assert [p.id for p in (first, second, third, fourth)] == expected


# -- pop --------------------------------------------------------------------------------------


def test_pop_takes_one_unless_told(queue: Any) -> None:
    """R10, R26: one without a count; fewer if there are fewer; an empty list if there is none."""
    counts = [len(queue.pop()), len(queue.pop(count=10)), len(queue.pop()), len(queue.pop(5))]

    assert counts == [1, 2, 0, 0]


def test_a_missing_queue_is_an_empty_one(limpet: Any) -> None:
    """R26: pop of a name nobody used finds nothing."""
    assert limpet.pop("nowhere", "nor here", count=3) == []


def test_queues_are_served_strictly_in_order(limpet: Any) -> None:
    """R10, R11, R14: all it can from the first, then the second; each says where it is from."""
    limpet.queue("low").push_many([b"l1", b"l2", b"l3"])
    limpet.queue("high").push_many([b"h1", b"h2"])

    found = limpet.pop("high", "low", count=4)
    rest = limpet.pop("high", "low", count=4)

    seen = [(d.queue, d.payload) for d in found]
    assert seen == [("high", b"h1"), ("high", b"h2"), ("low", b"l1"), ("low", b"l2")]
    assert payloads(rest) == [b"l3"]
    assert len(limpet.ack(*found, *rest)) == 5


def test_who_waits_is_called_by_a_push_to_any_queue(connect: Connect, plain: redis.Redis) -> None:
    """R12: waiting on three queues ends with an element of whichever is pushed to."""
    consumer, producer = connect(), connect()
    for name in ("three", "one", "two"):
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(consumer.pop, "one", "two", "three", wait=20)
            wait_until(lambda: plain.info("clients")["blocked_clients"] == 1)

            producer.queue(name).push(b"x")

            assert [d.queue for d in waiting.result(timeout=10)] == [name]


def test_waiting_in_vain_ends_with_nothing(limpet: Any) -> None:
    """R13: an empty list, after the time given."""
    assert limpet.pop("one", "two", wait="150ms") == []


def test_not_waiting_and_waiting_for_ever(connect: Connect, plain: redis.Redis) -> None:
    """R27: 0 answers at once, None waits until there is something, a negative time is refused."""
    queue = connect().queue("rq")

    assert queue.pop(wait=0) == []
    with pytest.raises(ConfigError, match="wait must not be negative"):
        queue.pop(wait=-1)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(queue.pop, wait=None)
        wait_until(lambda: plain.info("clients")["blocked_clients"] == 1)
        connect().queue("rq").push(b"at last")
        assert payloads(waiting.result(timeout=10)) == [b"at last"]


def test_those_who_wait_are_served_in_order_of_arrival(
    connect: Connect, plain: redis.Redis
) -> None:
    """R28: the first to wait gets the first element, and both are served by one push of two."""
    first, second, producer = connect(), connect(), connect().queue("rq")
    for client in (first, second):
        client.start_work("rq")
    with ThreadPoolExecutor(2) as pool:

        def wait(client: Any, blocked: int) -> Any:
            waiting = pool.submit(client.queue("rq").pop, wait=20)
            wait_until(lambda: plain.info("clients")["blocked_clients"] == blocked)
            return waiting

        waiting = [wait(first, 1), wait(second, 2)]
        producer.push(b"one")
        assert payloads(waiting[0].result(timeout=10)) == [b"one"]
        waiting.append(wait(first, 2))
        producer.push_many([b"two", b"three"])

        assert payloads(waiting[1].result(timeout=10)) == [b"two"]
        assert payloads(waiting[2].result(timeout=10)) == [b"three"]


def test_who_waits_for_three_gets_up_to_three(connect: Connect, plain: redis.Redis) -> None:
    """R28: a push of two wakes one waiter, and it gets both."""
    consumer, producer = connect().queue("rq"), connect().queue("rq")
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(consumer.pop, count=3, wait=20)
        wait_until(lambda: plain.info("clients")["blocked_clients"] == 1)

        producer.push_many([b"one", b"two"])

        assert payloads(waiting.result(timeout=10)) == [b"one", b"two"]


def test_a_wrong_key_does_not_hide_what_was_taken(limpet: Any, plain: redis.Redis) -> None:
    """R33: an error if nothing was taken yet; what was taken reaches the caller; work goes on."""
    plain.set("limpet:{bad}:front", "mine")
    limpet.queue("good").push_many([b"a", b"b"])

    found = limpet.pop("good", "bad", count=5)
    with pytest.raises(BackendError, match=r"limpet:\{bad\}:front is a string"):
        limpet.pop("good", "bad", count=5)

    assert payloads(found) == [b"a", b"b"]
    assert limpet.ack(*found) == [d.id for d in found]
    limpet.queue("good").push(b"c")
    assert payloads(limpet.pop("good", "bad")) == [b"c"]


# -- ack --------------------------------------------------------------------------------------


def test_ack_answers_those_really_removed(queue: Any) -> None:
    """R15, R16, R30: several a call; twice in a call counts once; acked before is missing."""
    a, b, c = queue.pop(count=3)

    first = queue.ack(b)
    second = queue.ack(a, b, a, c)

    assert (first, second) == ([b.id], [a.id, c.id])
    assert queue.stats().completed == 3


def test_ack_of_what_was_not_delivered_is_nothing(limpet: Any, queue: Any) -> None:
    """R30: a missing queue, unknown ids, waiting elements: an empty list, and no change."""
    (view, *_) = queue.inspect()

    answers = [
        limpet.queue("nowhere").ack(Receipt("1-1", 1)),
        queue.ack(),
        queue.ack(Receipt("1-1", 1), "1-1@1"),
        queue.ack(Receipt(view.id, 0), view.id),
    ]

    assert answers == [[], [], [], []]
    assert payloads(queue.pop(count=5)) == [b"a", b"b", b"c"]


def test_after_a_recovery_one_completion_is_accepted(connect: Connect, queue: Any) -> None:
    """R17, R-c8: the newest receipt is valid; the old holder cannot ack the new delivery."""
    (old,) = queue.pop()
    other = connect().queue("rq")
    (new,) = other.recover(older_than=0)

    late, accepted, again = queue.ack(old), other.ack(new), other.ack(new)

    assert (new.id, new.receipt == old.receipt) == (old.id, False)
    assert (late, accepted, again) == ([], [old.id], [])


# -- recover ----------------------------------------------------------------------------------


def test_recover_takes_what_is_old_enough(connect: Connect, plain: redis.Redis) -> None:
    """R18, R19, R20: at least so long ago; one more delivery each, at the server's present time."""
    limpet = connect(lease=None)
    move = freeze(limpet, plain)
    queue = limpet.queue("rq")
    queue.push_many([b"a", b"b", b"c"])
    first_ms = move(0)
    queue.pop(count=2)
    move(400)
    queue.pop()

    move(999)
    early = queue.recover(count=10, older_than=1)
    now_ms = move(1000)
    found = queue.recover(count=10, older_than=1)

    assert (early, payloads(found)) == ([], [b"a", b"b"])
    assert {(d.deliveries, d.started_at, d.delivered_at) for d in found} == {(2, first_ms, now_ms)}


def test_recover_takes_no_more_than_asked(queue: Any) -> None:
    """R18, R21: the oldest first; recovered ones go to the end of the running line."""
    for _ in range(3):
        queue.pop()

    (first,) = queue.recover(older_than=0)

    assert first.payload == b"a"
    shown = [(v.payload, v.deliveries) for v in queue.inspect(0, 10, "running")]
    assert shown == [(b"b", 1), (b"c", 1), (b"a", 2)]
    assert payloads(queue.recover(count=3, older_than=0)) == [b"b", b"c", b"a"]


def test_recover_of_nothing_is_nothing(limpet: Any, queue: Any) -> None:
    """R31: a missing queue or nothing delivered: an empty list; a count below 1 is refused."""
    assert limpet.queue("nowhere").recover(count=5, older_than=0) == []
    assert queue.recover(count=5, older_than=0) == []
    for count in (0, -1):
        with pytest.raises(ConfigError, match="count must be"):
            queue.recover(count=count, older_than=0)


# -- inspect ----------------------------------------------------------------------------------


def test_inspect_shows_positions(queue: Any, plain: redis.Redis) -> None:
    """R22, R23: id and payload from a position on, or from the end; nothing is changed."""
    before = world(plain)

    shown = [
        payloads(queue.inspect(*where)) for where in [(0, 2), (1, 5), (-2, 2), (-1, 9), (-3, 1)]
    ]

    assert shown == [[b"a", b"b"], [b"b", b"c"], [b"b", b"c"], [b"c"], [b"a"]]
    assert [v.id.endswith(f"-{n}") for n, v in enumerate(queue.inspect(), 1)] == [True] * 3
    assert world(plain) == before


def test_inspect_of_delivered_ones_shows_their_delivery(
    connect: Connect, plain: redis.Redis
) -> None:
    """R24: last delivery, time since then, deliveries; the first two start anew with recover."""
    limpet = connect(lease=None)
    move = freeze(limpet, plain)
    queue = limpet.queue("rq")
    queue.push(b"a")
    first_ms = move(0)
    (held,) = queue.pop()

    move(977)
    (before,) = queue.inspect(0, 10, "running")
    second_ms = move(2000)
    queue.recover(older_than=0)
    move(2013)
    (after,) = queue.inspect(-1, 1, "running")

    assert (before.id, before.payload, before.worker) == (held.id, b"a", limpet.worker)
    assert (before.at, before.elapsed, before.deliveries) == (first_ms, 977, 1)
    assert (after.at, after.elapsed, after.deliveries) == (second_ms, 13, 2)


def test_inspect_out_of_range_is_empty(limpet: Any, queue: Any) -> None:
    """R32, R-c4: missing queue, empty line, any start; a count below 1 is refused."""
    empty = limpet.queue("nowhere")
    starts = (0, 1, -1, 5, -5, 2**53, -(2**53))

    for state in ("waiting", "running", "scheduled", "parked", "dead"):
        assert [empty.inspect(start, 10, state) for start in starts] == [[]] * len(starts)
    assert queue.inspect(3, 1) == queue.inspect(-4, 1) == queue.inspect(1, 1, "running") == []
    for count in (0, -1):
        with pytest.raises(ConfigError, match="count must be"):
            queue.inspect(0, count)
    assert payloads(queue.pop()) == [b"a"]


def test_counts_and_memory_can_be_seen(queue: Any, plain: redis.Redis) -> None:
    """R34: how many wait and how many are delivered; each key tells its type and size."""
    queue.pop()

    keys = plain.keys("limpet:{rq}:*")

    assert (queue.stats().waiting, queue.stats().running) == (2, 1)
    assert all(plain.memory_usage(key) > 0 for key in keys)
    assert {plain.type(key) for key in keys} <= {b"hash", b"list", b"zset", b"set", b"string"}


def test_an_emptied_queue_stays_listed(limpet: Any, queue: Any, plain: redis.Redis) -> None:
    """R35: the name stays until drop; no key of a job does."""
    queue.ack(*queue.pop(count=3))

    listed = limpet.queues()

    assert listed == ["rq"]
    assert plain.exists(*[f"limpet:{{rq}}:{key}" for key in ("jobs", "waiting", "running")]) == 0
    assert (queue.drop(), limpet.queues()) == (True, [])


# -- what went wrong there --------------------------------------------------------------------


def test_everything_survives_restarts(serve: Serve, connect: Connect) -> None:
    """R-c1, R-c2: snapshot and restart, twice: every element is there, in order, with its count."""
    server = serve()
    queue = connect(server.url).queue("rq")
    queue.push_many([b"a", b"b", b"c"])
    queue.pop(count=2)
    (held,) = queue.recover(older_than=0)

    for _ in range(2):
        with server.client() as client:
            client.save()
        server.kill()
        server.start()
        shown = [(v.payload, v.deliveries) for v in queue.inspect(0, 10, "running")]
        assert shown == [(b"b", 1), (b"a", 2)]
        assert payloads(queue.inspect()) == [b"c"]

    assert queue.ack(held) == [held.id]
    assert payloads(queue.pop()) == [b"c"]


def test_writes_are_logged_replicated_and_counted(serve: Serve, connect: Connect) -> None:
    """R-c3: push, pop and ack reach the log and the replica, and count as changes."""
    options = ["--appendonly", "yes", "--repl-diskless-sync-delay", "0"]
    server, replica = serve(*options, tcp=True), serve(tcp=True)
    with replica.client() as client:
        client.replicaof("127.0.0.1", server.port)
        wait_until(lambda: client.info("replication")["master_link_status"] == "up", within=20)
    queue = connect(server.url).queue("rq")
    with server.client() as client:
        before = client.info("persistence")["rdb_changes_since_last_save"]
        queue.push_many([b"a", b"b", b"c"])
        queue.ack(*queue.pop(count=2)[:1])
        client.wait(1, 5000)
        assert client.info("persistence")["rdb_changes_since_last_save"] > before

    copy = connect(replica.url).queue("rq")
    assert (payloads(copy.inspect()), payloads(copy.inspect(0, 9, "running"))) == ([b"c"], [b"b"])
    assert copy.stats().completed == 1
    log = b"".join(p.read_bytes() for p in server.folder.glob("appendonlydir/*.incr.aof"))
    assert b"limpet:{rq}:jobs" in log


@pytest.mark.parametrize(
    "receipt", ["9" * 4000, "9-9@" + "9" * 4000, "x" * 4000 + "@1", "@", "", "@1", "1@\u0663"]
)
def test_odd_receipts_are_answered_with_nothing(queue: Any, receipt: str) -> None:
    """R-c5: huge or malformed ones are no job's; the server and the queue go on."""
    queue.pop()

    answers = queue.ack(receipt), queue.release(receipt), queue.fail(receipt), queue.resume(receipt)

    assert answers == ([], [], False, None)
    assert queue.stats().running == 1


def test_recover_hands_each_out_at_most_once(queue: Any) -> None:
    """R-c6: age 0 and a count far above what is there: two delivered, two recovered."""
    queue.pop(count=2)

    found = queue.recover(count=10**9, older_than=0)

    assert payloads(found) == [b"a", b"b"]


def test_half_a_receipt_is_no_receipt(queue: Any) -> None:
    """R-c7: an id without its number, or without its fence, acks nothing, above all no other."""
    a, b = queue.pop(count=2)
    ms = a.id.partition("-")[0]

    acked = queue.ack(str(a.receipt), ms, f"{ms}@{b.fence}", b.id, f"{b.id}@", f"@{b.fence}")

    assert acked == [a.id]
    assert queue.ack(b) == [b.id]


def test_a_delivery_is_acked_where_it_came_from(limpet: Any, queue: Any) -> None:
    """R-c9: it carries its queue; the wrong queue says so instead of acking something else."""
    limpet.queue("other").push(b"x")
    (delivery,) = queue.pop()
    limpet.queue("other").pop()

    with pytest.raises(ConfigError, match="this delivery is of queue 'rq'"):
        limpet.queue("other").ack(delivery)

    assert limpet.ack(delivery) == [delivery.id]
    assert limpet.queue("other").stats().running == 1


def test_access_rules_hold(serve: Serve, connect: Connect) -> None:
    """R-c10: a user with rights to one queue works there, and cannot even look into another."""
    server = serve(tcp=True)
    with server.client() as client:
        rights = ["on", ">pw", "~limpet:{mine}:*", "~limpet:queues", "&limpet:{mine}:*", "+@all"]
        client.execute_command("ACL", "SETUSER", "joe", *rights)
    connect(server.url).queue("secret").push(b"secret")
    joe = connect(f"redis://joe:pw@127.0.0.1:{server.port}")
    joe.queue("mine").push(b"a")

    (delivery,) = joe.queue("mine").pop()

    assert joe.ack(delivery) == [delivery.id]
    for call in (joe.queue("secret").pop, joe.queue("secret").inspect, joe.queue("secret").drop):
        with pytest.raises(BackendError, match=r"No permissions|NOPERM"):
            call()
    assert connect(server.url).queue("secret").stats().waiting == 1
    joe.queue("mine").push(b"b")
    assert payloads(joe.queue("mine").pop()) == [b"b"]


def test_ack_costs_the_same_however_many_are_delivered(
    connect: Connect, plain: redis.Redis
) -> None:
    """R-c11: with ten or a thousand delivered, ack runs the same commands."""

    def calls() -> dict[str, int]:
        return {name: row["calls"] for name, row in plain.info("commandstats").items()}

    queue = connect(heartbeat=20, lease=60).queue("rq")
    plain.config_resetstat()
    queue.push(b"first")
    queue.ack(*queue.pop())
    wait_until(lambda: "cmdstat_srandmember" in calls())  # the first heartbeat is over

    costs = []
    for crowd in (10, 1000):
        queue.push_many([b"x"] * crowd)
        held = queue.pop(count=crowd)
        plain.config_resetstat()
        queue.ack(held[-1])
        costs.append(calls())

    assert costs[0] == costs[1]


def test_a_count_below_one_is_refused(queue: Any) -> None:
    """R-c12: it neither waits nor takes; a count is never mistaken for a name."""
    for count in (0, -1, True, "3"):
        with pytest.raises(ConfigError, match="count must be"):
            queue.pop(count=count, wait=20)

    assert payloads(queue.pop(2)) == [b"a", b"b"]


def test_what_a_dead_consumer_held_comes_back_through_pop(
    connect: Connect, hold: Callable[..., Any]
) -> None:
    """R-c13: a consumer is killed; another one, that waits in pop, gets its element by itself."""
    queue = connect(heartbeat=0.2, lease=0.6).queue("rq")
    queue.push(b"a")
    victim = hold("rq", heartbeat=0.2, lease=0.6)
    victim.kill()

    (delivery,) = queue.pop(wait=10)

    assert ([delivery.id], delivery.payload) == (victim.ids, b"a")
    assert (delivery.deliveries, delivery.crashes) == (2, 1)


def test_an_element_that_kills_its_consumers_is_given_up(connect: Connect) -> None:
    """R-c13: deliveries have a limit; after three deaths it is kept aside with the reason."""
    keeper = connect()
    keeper.queue("rq").push(b"poison")

    deliveries = []
    for _ in range(3):
        victim = connect()
        deliveries += [d.deliveries for d in victim.queue("rq").pop()]
        keeper.fail_worker(victim.worker)

    assert deliveries == [1, 2, 3]
    assert keeper.queue("rq").pop() == []
    assert payloads(keeper.queue("rq").dead()) == [b"poison"]


class OldServer:
    """As much of RedisRQ as the page's move uses: its replies, as its text shows them."""

    def __init__(self, waiting: list[bytes], delivered: list[bytes]) -> None:
        """Number the elements."""
        both = [*delivered, *waiting]
        self.left = {b"1601155608777-%d" % n: body for n, body in enumerate(both, 1)}
        self.delivered = list(self.left)[: len(delivered)]

    def execute_command(self, name: str, key: str, *rest: Any) -> Any:
        """Answer one of three commands."""
        if name == "RQ.RECOVER":
            return [[i, self.left[i]] for i in self.delivered][: rest[0]]
        if name == "RQ.POP":
            assert key == "COUNT"
            found = [i for i in self.left if i not in self.delivered][: rest[0]]
            self.delivered += found
            return [[rest[1].encode(), i, self.left[i]] for i in found]
        acked = [i for i in rest if i in self.delivered]
        self.delivered = [i for i in self.delivered if i not in acked]
        for one in acked:
            del self.left[one]
        return acked


def test_an_old_queue_is_moved_as_the_page_says(limpet: Any) -> None:
    """R1, R2: delivered elements first, then the others, each once, under an id made of its own."""
    old = OldServer([b"%d" % n for n in range(2, 250)], [b"0", b"1"])
    queue = limpet.queue("rq")
    (code,) = re.findall(r"```python\n(def move.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    names: dict[str, Any] = {}
    exec("from limpet import Item\n" + code, names)  # the text of our own page

    names["move"](old, "old", queue)

    assert old.left == {}
    assert queue.inspect(0, 1)[0].id == "rq:1601155608777-1"
    assert payloads(queue.pop(count=300)) == [b"%d" % n for n in range(250)]

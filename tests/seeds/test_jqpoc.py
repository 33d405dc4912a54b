"""Nuxeo's job queue proof of concept (jqpoc): what it says, held against limpet."""

import re
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import redis

from limpet import Receipt
from limpet.keys import KEY_TYPES
from tests.support.servers import Server, free_port
from tests.support.waiting import wait_until

Connect = Callable[..., Any]
Together = Callable[..., list[Any]]
Watch = Callable[[], AbstractContextManager[list[str]]]

#: Statement -> what it says, limpet's call, why limpet differs.
STATEMENTS: dict[str, tuple[str, str, str]] = {
    "N1": (
        "the constructor makes or joins a queue and sets the time-out",
        '`limpet.queue("q", timeout=30)`',
        "",
    ),
    "N2": ("pending is waiting plus running", "`queue.stats().pending`", ""),
    "N3": ("the number of running jobs", "`queue.stats().running`", ""),
    "N4": ("completed counts failures too", "`queue.stats().completed`", ""),
    "N5": ("the number of failures", "`queue.stats().failed`", ""),
    "N6": ("drop leaves nothing of the queue", "`queue.drop()`", ""),
    "N7": (
        "the last failure, and those before it by number",
        "`queue.last_failure()`, `queue.last_failure(1)`",
        "",
    ),
    "N8": ("the last 100 failures are kept", "`queue.failures()`", ""),
    "N9": ("disconnect", "`limpet.close()`", "What is held goes back to its place at once."),
    "N10": (
        "add one id or many; answers the pending count",
        "`queue.push(id)`, `queue.push_many(ids)`",
        "Answers one `Pushed` per job, which names its id; the count is `queue.stats().pending`.",
    ),
    "N11": (
        "asking answers a reference with id, key, time and state",
        "`queue.claim()`",
        "PROCESSING names no job: it is somebody else's, and `inspect` shows it.",
    ),
    "N12": ("READY: this job is yours", "`queue.claim().state`", ""),
    "N13": ("PROCESSING: others are at work", "`queue.claim().state`", ""),
    "N14": ("TIMEDOUT: at work for longer than the time-out", "`queue.claim().state`", ""),
    "N15": ("NONE: nothing there", "`queue.claim().state`", ""),
    "N16": ("done ends a job", "`queue.ack(delivery)`", ""),
    "N17": ("failure ends a job with a message", "`queue.fail(delivery, message)`", ""),
    "N18": (
        "a timed-out job may be ended by another worker",
        "`queue.ack(claim.delivery)`, `queue.fail(claim.delivery)`",
        "",
    ),
    "N19": ("resume takes a timed-out job over", "`queue.resume(claim.delivery)`", ""),
    "N20": (
        "of several who resume, one wins",
        "`queue.resume(...)` answers `None` to the others",
        "",
    ),
    "N21": (
        "an unfinished job stays for ever",
        "`queue.pop()`",
        "After three deaths of its worker it waits in the dead list; `crash_limit=0`: in line.",
    ),
    "N22": ("only ids travel", "`queue.push(id)`", "The payload may be an id, or any bytes."),
    "N23": ("every step is atomic", "each call is one script", ""),
    "N24": (
        "one connection per worker, not thread safe",
        "`Limpet(url)`",
        "A client may be shared by threads, or by tasks of one event loop.",
    ),
    "N25": (
        "a list holds waiting ids, and running ones with a time in their name",
        "`limpet:{q}:waiting`",
        "Running jobs are kept apart: fresh work never hides behind them, and any id is allowed.",
    ),
    "N26": (
        "a list of what runs",
        "`limpet:{q}:running`",
        "A hash from id to fence: ending one job does not search a list.",
    ),
    "N27": (
        "two counters, and a list of key and message",
        "`limpet:{q}:stats`, `limpet:{q}:failures`",
        "The counters share one hash; a failure is JSON, so a message may have any character.",
    ),
    "N28": ("all of it can be read with redis-cli", "`LRANGE`, `HGETALL`", ""),
    "N29": (
        "the four counts go to a metrics server all the time",
        "`queue.stats()`",
        "limpet sends nothing by itself; one read-only call gives all counts to whoever asks.",
    ),
    "N30": (
        "clocks of consumers must agree",
        "-",
        "Nothing depends on them: all times are the server's.",
    ),
    "N31": (
        "an id added twice is done twice",
        '`queue.push(id)`, or once with `unique="running"` or `id=`',
        "",
    ),
    "N32": (
        "a fresh queue counts 0 and has no failure",
        "`queue.stats()`, `queue.last_failure()`",
        "",
    ),
    "N33": (
        "the first completion counts, others answer 0",
        "`queue.ack()` answers ids, `queue.fail()` a bool",
        "",
    ),
    "N34": ("a failure counts in both counters", "`queue.fail()`", ""),
    "N35": (
        "first in, first out; then the running ones come round",
        "`queue.claim()`",
        "When nothing waits, one PROCESSING says so; running jobs do not pass by one by one.",
    ),
    "N36": (
        "resumes are counted, and the old key is worthless",
        "`queue.resume(...)`, `queue.stats().recovered`",
        "",
    ),
    "N37": ("resume of an unknown key answers NONE", "`queue.resume(...)` answers `None`", ""),
    "N38": ("drop answers 1 if the queue existed", "`queue.drop()`", ""),
    "N39": ("names differ between text and code", "-", "limpet has one name for each thing."),
    "N40": ("bulk producers send 500 ids a call", "`queue.push_many(ids)`", ""),
    "N-c1": (
        "two consumers at one moment saw different states",
        "`queue.claim()`",
        "The clock is the server's. The time-out is an option of the caller: give all the same.",
    ),
    "N-c2": ("fresh work hid behind running work", "`queue.claim()`, `queue.pop()`", ""),
    "N-c3": ("an asterisk or an empty message broke readers", "`queue.push()`, `queue.fail()`", ""),
    "N-c4": ("two copies of an id shared one key", "`queue.ack()`", ""),
    "N-c5": ("done ended a job nobody had started", "`queue.ack()`", ""),
    "N-c6": ("resume took jobs that were not timed out", "`queue.resume()`", ""),
    "N-c7": ("a script flush broke every call; keys were not declared", "any call", ""),
    "N-c8": ("the text named a wrong type for a key", "`limpet.keys.KEYS`", ""),
    "N-c9": ("no waiting, no way to go on longer", "`queue.pop(wait=5)`, `queue.renew()`", ""),
    "N-c10": ("a poison job came back for ever", "`crash_limit=3`", ""),
    "N-c11": ("ending a job searched the queue", "`queue.ack()`", ""),
    "N-c12": ("drop took six steps", "`queue.drop()`", ""),
    "N-c13": ("payloads had to live elsewhere", "`queue.push(b'...')`", ""),
}

PAGE = Path(__file__).parents[2] / "docs" / "coming-from" / "nuxeo-jqpoc.md"


@pytest.fixture
def queue(limpet: Any) -> Any:
    """A queue with jobs j1, j2 and j3."""
    jobs = limpet.queue("jobs", timeout=30)
    jobs.push_many(["j1", "j2", "j3"])
    return jobs


def world(plain: redis.Redis) -> dict[bytes, bytes | None]:
    """Everything the server stores about jobs: no clocks, no memory of requests."""
    passing = {b"clock", b"workers", b"sessions", b"lanes"}
    return {k: plain.dump(k) for k in plain.keys("*") if k.rpartition(b":")[2] not in passing}


def freeze(limpet: Any, plain: redis.Redis) -> Callable[[float], None]:
    """Fix the server's time for a client; the answer moves it to so many seconds from now."""
    seconds, micros = plain.time()
    start_us = seconds * 1_000_000 + micros

    def move(to_s: float) -> None:
        limpet.link.at_us = str(start_us + round(to_s * 1_000_000))

    move(0)
    return move


def calls(plain: redis.Redis) -> dict[str, int]:
    """How often the server has run each command so far, those inside scripts included."""
    return {k.removeprefix("cmdstat_"): v["calls"] for k, v in plain.info("commandstats").items()}


# -- managing ---------------------------------------------------------------------------------


def test_a_queue_is_joined_by_its_name(connect: Connect, plain: redis.Redis) -> None:
    """N1: a name and a time-out are enough; who says the same name is in the same queue."""
    here = connect().queue("jobs", timeout=30)
    there = connect().queue("jobs", timeout="30s")
    before = plain.dbsize()

    here.push("j1")

    assert before == 0
    assert there.claim().delivery.payload == b"j1"
    assert there.claim(timeout=0).state == "TIMEDOUT"


def test_counts_follow_a_job_through_its_life(queue: Any) -> None:
    """N2, N3, N4, N5, N34: pending, running, completed and failed, after each step."""

    def counts() -> tuple[int, int, int, int]:
        stats = queue.stats()
        return stats.pending, stats.running, stats.completed, stats.failed

    seen = [counts()]
    first, second = queue.pop(count=2)
    seen.append(counts())
    queue.ack(first)
    seen.append(counts())
    queue.fail(second, "no")
    seen.append(counts())

    assert seen == [(3, 0, 0, 0), (3, 2, 0, 0), (2, 1, 1, 0), (1, 0, 2, 1)]


def test_drop_leaves_nothing(limpet: Any, queue: Any, plain: redis.Redis) -> None:
    """N6, N38: jobs, counters and errors are gone; answers True, then False."""
    running, failed = queue.pop(count=2)
    queue.fail(failed, "no")
    limpet.stop_worker()

    answers = queue.drop(), queue.drop()

    assert answers == (True, False)
    assert queue.ack(running) == []
    assert limpet.queues() == []
    # The memory of requests stays for an hour, so that a late copy of one changes nothing.
    assert {key.rpartition(b":")[2] for key in plain.keys("*")} <= {b"clock", b"sessions", b"lanes"}
    assert all(0 < plain.ttl(key) <= 3600 for key in plain.keys("*"))


def test_failures_are_numbered_from_the_last(queue: Any) -> None:
    """N7: the last failure, and with 1 the one before."""
    first, second = queue.pop(count=2)

    queue.fail(first, "first error")
    queue.fail(second, "second error")

    assert (queue.last_failure().id, queue.last_failure().message) == (second.id, "second error")
    assert (queue.last_failure(1).id, queue.last_failure(1).message) == (first.id, "first error")


def test_the_last_hundred_failures_are_kept(limpet: Any) -> None:
    """N8: the oldest records make room; the counter goes on."""
    queue = limpet.queue("jobs")
    queue.push_many([str(n) for n in range(103)])

    for delivery in queue.pop(count=103):
        queue.fail(delivery, f"error {delivery.payload.decode()}")

    messages = [failure.message for failure in queue.failures()]
    assert messages == [f"error {n}" for n in range(102, 2, -1)]
    assert queue.last_failure(100) is None
    assert queue.stats().failed == 103


def test_close_gives_back_what_is_held(connect: Connect, queue: Any) -> None:
    """N9: the job of a client that closed is served next, no attempt spent."""
    leaving = connect()
    (held,) = leaving.queue("jobs").pop()

    leaving.close()
    leaving.close()

    (served,) = queue.pop()
    assert (served.id, served.payload, served.crashes) == (held.id, b"j1", 0)


def test_close_ends_all_connections(connect: Connect, plain: redis.Redis) -> None:
    """N9: of a client that closed, no connection is left on the server."""
    before = plain.info("clients")["connected_clients"]
    leaving = connect()
    leaving.queue("jobs").push("j1")
    leaving.queue("jobs").pop(wait=1)

    leaving.close()

    wait_until(lambda: plain.info("clients")["connected_clients"] == before)


# -- producing --------------------------------------------------------------------------------


def test_one_id_or_many_are_added_in_a_call(limpet: Any) -> None:
    """N10: one answer per job, in order; stats tells the pending count."""
    queue = limpet.queue("jobs")

    one = queue.push("j1")
    many = queue.push_many(["j2", "j3"])

    assert queue.stats().pending == 3
    assert [view.id for view in queue.inspect()] == [pushed.id for pushed in (one, *many)]


def test_five_hundred_ids_are_one_call(limpet: Any, watch: Watch) -> None:
    """N40: a bulk of 500 is one round trip and keeps its order."""
    queue = limpet.queue("jobs")
    queue.push("before")

    with watch() as sent:
        queue.push_many([f"j{n}" for n in range(500)])

    assert sent == ["push_plain"]
    assert [d.payload for d in queue.pop(count=501)[1:]] == [b"j%d" % n for n in range(500)]


def test_an_id_added_twice_is_done_twice_unless_it_is_unique(limpet: Any) -> None:
    """N31: plain jobs with equal payloads are two jobs; a unique one, or one with an id, is one."""
    queue = limpet.queue("jobs")

    plain = [queue.push("j1").created for _ in range(2)]
    unique = [queue.push("j2", unique="running").created for _ in range(2)]
    own = [queue.push("anything", id="j3").created for _ in range(2)]

    assert (plain, unique, own) == ([True, True], [True, False], [True, False])
    payloads = [d.payload for d in queue.pop(count=10)]
    assert payloads == [b"j1", b"j1", b"j2", b"anything"]


def test_an_id_travels_untouched(limpet: Any) -> None:
    """N22: what was added is what the consumer gets, byte for byte."""
    queue = limpet.queue("jobs")

    queue.push("doc:42/größe")

    assert queue.claim().delivery.payload.decode() == "doc:42/größe"


# -- asking -----------------------------------------------------------------------------------


def test_a_claimed_job_has_id_receipt_time_and_state(queue: Any, plain: redis.Redis) -> None:
    """N11, N12: READY comes with all that is needed to work on the job and to end it."""
    before_ms = plain.time()[0] * 1000

    claim = queue.claim()

    assert claim.state == "READY"
    assert (claim.delivery.payload, claim.delivery.receipt.id) == (b"j1", claim.delivery.id)
    assert claim.delivery.delivered_at >= before_ms
    assert queue.ack(str(claim.delivery.receipt)) == [claim.delivery.id]


def test_jobs_come_first_in_first_out_and_then_processing(connect: Connect, queue: Any) -> None:
    """N13, N35: whoever asks when all jobs run hears PROCESSING, without taking anything."""
    other = connect().queue("jobs")
    taken = [queue.claim().delivery.payload, other.claim().delivery.payload]
    taken.append(queue.claim().delivery.payload)

    last = other.claim()

    assert taken == [b"j1", b"j2", b"j3"]
    assert (last.state, last.delivery) == ("PROCESSING", None)
    assert {view.deliveries for view in other.inspect(0, 10, "running")} == {1}


def test_a_job_times_out_exactly_at_the_timeout(connect: Connect, plain: redis.Redis) -> None:
    """N14: PROCESSING until the time-out, TIMEDOUT from then on; nothing is taken by looking."""
    limpet = connect(lease=None)
    queue = limpet.queue("jobs", timeout=30)
    move = freeze(limpet, plain)
    queue.push("j1")
    (held,) = queue.pop()

    states = []
    for moment_s in (0, 29.999, 30, 3000):
        move(moment_s)
        states.append(queue.claim().state)

    assert states == ["PROCESSING", "PROCESSING", "TIMEDOUT", "TIMEDOUT"]
    assert queue.ack(held) == [held.id]


def test_an_empty_queue_says_none(limpet: Any) -> None:
    """N15: NONE, before there is such a queue and after its last job ended."""
    queue = limpet.queue("jobs")
    states = [queue.claim().state]

    queue.push("j1")
    queue.ack(queue.claim().delivery)

    assert [*states, queue.claim().state] == ["NONE", "NONE"]


# -- ending -----------------------------------------------------------------------------------


def test_only_the_first_completion_counts(queue: Any) -> None:
    """N16, N33: ack answers the id once; later ones, also a failure, change nothing."""
    delivery = queue.claim().delivery

    answers = queue.ack(delivery), queue.ack(delivery), queue.fail(delivery, "late")

    assert answers == ([delivery.id], [], False)
    assert (queue.stats().completed, queue.stats().failed) == (1, 0)
    assert queue.last_failure() is None


def test_a_failed_job_leaves_the_running_ones(queue: Any) -> None:
    """N17, N33: fail answers True once; the job waits for people in the dead list."""
    delivery = queue.claim().delivery

    answers = queue.fail(delivery, "no"), queue.fail(delivery, "no"), queue.ack(delivery)

    assert answers == (True, False, [])
    assert queue.stats().running == 0
    assert [view.id for view in queue.dead()] == [delivery.id]


@pytest.mark.parametrize("ending", ["ack", "fail"])
def test_a_timed_out_job_may_be_ended_by_another(connect: Connect, queue: Any, ending: str) -> None:
    """N18: who sees TIMEDOUT may end the job; the one who had it comes too late."""
    first = queue.claim().delivery
    other = connect().queue("jobs")
    queue.pop(count=2)

    seen = other.claim(timeout=0)
    ended = other.ack(seen.delivery) == [first.id] if ending == "ack" else other.fail(seen.delivery)

    assert (seen.state, seen.delivery.receipt, ended) == ("TIMEDOUT", first.receipt, True)
    assert queue.ack(first) == []
    assert (queue.stats().completed, queue.stats().running) == (1, 2)


def test_resume_takes_a_timed_out_job_over(connect: Connect, queue: Any) -> None:
    """N19, N36: a new receipt, the same number of running jobs, and the late one gets nothing."""
    held = queue.pop(count=3)
    other = connect().queue("jobs")

    resumed = other.resume(other.claim(timeout=0).delivery, timeout=0)

    assert (resumed.id, resumed.payload, resumed.deliveries) == (held[0].id, b"j1", 2)
    assert resumed.fence > held[0].fence
    assert queue.ack(held[0]) == []
    assert (queue.stats().running, queue.stats().recovered) == (3, 1)
    assert other.ack(resumed) == [held[0].id]


def test_of_many_who_resume_one_wins(connect: Connect, queue: Any, together: Together) -> None:
    """N20: eight at once; one gets the job, seven get None."""
    queue.pop(count=3)
    seen = queue.claim(timeout=0).delivery
    others = [connect().queue("jobs") for _ in range(8)]

    answers = together(*[partial(other.resume, seen, timeout=0) for other in others])

    winners = [answer for answer in answers if answer is not None]
    assert [winner.id for winner in winners] == [seen.id]
    assert queue.stats().running == 3


def test_resume_of_an_unknown_receipt_is_none(queue: Any) -> None:
    """N37: no such job, no such delivery, nonsense: None, and nothing changes."""
    delivery = queue.claim().delivery
    receipts = [Receipt("1-1", 5), Receipt(delivery.id, 5), "j1*1363343422", f"{delivery.id}@x"]

    assert [queue.resume(receipt, timeout=0) for receipt in receipts] == [None] * 4
    assert queue.ack(delivery) == [delivery.id]


@pytest.mark.parametrize(("crash_limit", "state"), [(0, "waiting"), (3, "dead")])
def test_a_job_never_completed_is_never_lost(
    connect: Connect, crash_limit: int, state: str
) -> None:
    """N21: its worker dies three times; the job is in line, or in the dead list."""
    keeper = connect(policies={"*": {"crash_limit": crash_limit}})
    queue = keeper.queue("jobs")
    pushed = queue.push("j1")

    for _ in range(3):
        victim = connect(policies={"*": {"crash_limit": crash_limit}})
        assert [d.id for d in victim.queue("jobs").pop()] == [pushed.id]
        assert keeper.fail_worker(victim.worker)

    assert (queue.job(pushed.id).state, queue.job(pushed.id).payload) == (state, b"j1")


def test_each_job_goes_to_one_consumer(connect: Connect, together: Together) -> None:
    """N23: four clients ask as fast as they can; no job is taken twice, none is left."""
    queues = [connect().queue("jobs") for _ in range(4)]
    queues[0].push_many([str(n) for n in range(200)])

    def drain(queue: Any) -> list[bytes]:
        taken = []
        while (claim := queue.claim()).state == "READY":
            taken.append(claim.delivery.payload)
            queue.ack(claim.delivery)
        return taken

    taken = chain(*together(*[partial(drain, queue) for queue in queues]))

    assert sorted(taken, key=int) == [b"%d" % n for n in range(200)]


def test_one_client_serves_many_threads(limpet: Any, together: Together) -> None:
    """N24: threads that come together share one worker, and each job goes to one of them."""
    queue = limpet.queue("jobs")
    queue.push_many([str(n) for n in range(40)])

    taken = list(chain(*together(*[partial(queue.pop, count=5)] * 8)))

    assert sorted(d.payload for d in taken) == sorted(b"%d" % n for n in range(40))
    assert {view.worker for view in queue.inspect(0, 100, "running")} == {limpet.worker}
    assert len(queue.ack(*taken)) == 40


# -- what is stored ---------------------------------------------------------------------------


def test_everything_can_be_read_with_plain_commands(queue: Any, plain: redis.Redis) -> None:
    """N25, N26, N27, N28: lines, running jobs, counters and errors are there for redis-cli."""
    failed, running = queue.pop(count=2)
    queue.fail(failed, "Error on job")
    (waiting,) = queue.inspect()

    assert plain.lrange("limpet:{jobs}:waiting", 0, -1) == [waiting.id.encode()]
    assert plain.hget("limpet:{jobs}:jobs", waiting.id) == b"j3"
    assert plain.hgetall("limpet:{jobs}:running") == {
        running.id.encode(): b"%d" % running.fence,
    }
    assert plain.hmget("limpet:{jobs}:stats", "completed", "failed") == [b"1", b"1"]
    assert b"Error on job" in plain.lrange("limpet:{jobs}:failures", 0, -1)[0]


def test_one_call_shows_all_counts_and_changes_nothing(queue: Any, plain: redis.Redis) -> None:
    """N29: whoever feeds a metrics server reads stats as often as wanted."""
    before = world(plain)

    stats = [queue.stats() for _ in range(3)][-1]

    assert (stats.pending, stats.running, stats.completed, stats.failed) == (3, 0, 0, 0)
    assert world(plain) == before


def test_clocks_of_clients_do_not_matter(
    connect: Connect, plain: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """N30, N-c1: a client whose clock is an hour ahead sees the same states as the others."""
    queue = connect().queue("jobs", timeout=30)
    queue.push("j1")
    held = queue.claim().delivery
    real = time.time

    states = []
    for offset_s in (0, 3600, -3600):
        with monkeypatch.context() as patch:
            patch.setattr(time, "time", lambda by=offset_s: real() + by)
            looker = connect().queue("jobs", timeout=30)
            looker.push("j2")
            fresh = looker.claim()
            states.append((looker.claim().state, looker.claim(timeout=0).delivery.id))
            age_ms = plain.time()[0] * 1000 - fresh.delivery.enqueued_at
            assert abs(age_ms) < 60_000

    assert states == [("PROCESSING", held.id)] * 3


def test_a_fresh_queue_is_all_zero(limpet: Any) -> None:
    """N32: counts are 0, failures None, whatever number is asked for."""
    queue = limpet.queue("never used")
    stats = queue.stats()

    assert (stats.pending, stats.running, stats.completed, stats.failed) == (0, 0, 0, 0)
    assert (queue.last_failure(), queue.last_failure(99), queue.failures()) == (None, None, [])


# -- what went wrong there --------------------------------------------------------------------


def test_fresh_work_does_not_hide_behind_running_work(limpet: Any) -> None:
    """N-c2: with a thousand running jobs the first call gets the fresh one."""
    queue = limpet.queue("jobs")
    queue.push_many([str(n) for n in range(1000)])
    assert len(queue.pop(count=1000)) == 1000
    queue.push("fresh")

    claim = queue.claim()

    assert (claim.state, claim.delivery.payload) == ("READY", b"fresh")


@pytest.mark.parametrize("text", ["*", "j1*1363343422", "a*b*c", "", "NUL \0", "%s", "línea\n"])
def test_any_id_and_any_message_is_fine(limpet: Any, text: str) -> None:
    """N-c3: asterisks, nothing at all, and odd characters come back as they went in."""
    queue = limpet.queue("jobs")
    queue.push(text)

    delivery = queue.claim().delivery
    failed = queue.fail(delivery, text)

    assert (delivery.payload.decode(), failed) == (text, True)
    assert queue.last_failure().message == text


def test_two_copies_taken_at_once_are_ended_apart(connect: Connect, plain: redis.Redis) -> None:
    """N-c4: the same id twice, taken by two workers at the same microsecond: two completions."""
    one, two = connect(lease=None), connect(lease=None)
    one.queue("jobs").push_many(["same", "same"])
    freeze(one, plain)
    two.link.at_us = one.link.at_us
    (first,), (second,) = one.queue("jobs").pop(), two.queue("jobs").pop()

    acked = one.queue("jobs").ack(first)

    assert first.delivered_at == second.delivered_at
    assert acked == [first.id]
    assert two.queue("jobs").renew(second).lost == ()
    assert two.queue("jobs").ack(second) == [second.id]


def test_a_job_nobody_started_cannot_be_done(queue: Any, plain: redis.Redis) -> None:
    """N-c5: its id, its payload, or a made-up receipt end nothing."""
    (view, *_) = queue.inspect()
    before = world(plain)

    acked = queue.ack(view.id, "j1", f"{view.id}@0", f"{view.id}@1", Receipt(view.id, 0))

    assert acked == []
    assert world(plain) == before


def test_resume_before_the_timeout_is_refused(connect: Connect, queue: Any) -> None:
    """N-c6: the rightful worker keeps its job and ends it."""
    held = queue.claim().delivery
    other = connect().queue("jobs", timeout=30)

    resumed = other.resume(held)

    assert resumed is None
    assert queue.ack(held) == [held.id]


def test_a_script_flush_breaks_nothing(queue: Any, plain: redis.Redis) -> None:
    """N-c7: every call works although the server forgot all scripts."""
    plain.script_flush()
    delivery = queue.claim().delivery
    plain.script_flush()
    resumed = queue.resume(delivery, timeout=0)
    plain.script_flush()
    acked = queue.ack(resumed)
    plain.script_flush()

    assert acked == [delivery.id]
    assert queue.stats().completed == 1


@pytest.mark.parametrize("flavour", ["async"], indirect=True)
def test_all_keys_are_declared_so_that_a_cluster_can_serve_them(
    serve: Callable[..., Server], connect: Connect
) -> None:
    """N-c7: a server in cluster mode, which refuses scripts that reach for other keys."""
    server = serve("--cluster-enabled", "yes", "--cluster-port", str(free_port()), tcp=True)
    with server.client() as client:
        client.execute_command("CLUSTER", "ADDSLOTSRANGE", 0, 16383)
        wait_until(lambda: b"cluster_state:ok" in client.execute_command("CLUSTER", "INFO"))
    queue = connect(server.url.replace("redis:", "redis+cluster:")).queue("jobs")
    queue.push_many(["j1", "j2"], lock="l")

    resumed = queue.resume(queue.claim().delivery, timeout=0)
    failed = queue.fail(resumed, "no")
    (second,) = queue.pop()

    assert (failed, second.payload, queue.ack(second)) == (True, b"j2", [second.id])
    assert queue.drop() is True


def test_keys_have_the_types_the_table_says(queue: Any, plain: redis.Redis) -> None:
    """N-c8: each key that is stored is in the table, with its type."""
    one, two, three = queue.pop(count=3)
    queue.fail(one, "no")
    queue.release(two)
    queue.retry(three, delay=60)
    queue.push("u", unique="waiting", lock="l")
    queue.pop(count=2)

    found = {
        key.rpartition(b":")[2].decode(): plain.type(key).decode()
        for key in plain.keys("limpet:{jobs}:*")
    }

    assert found.items() <= KEY_TYPES.items()
    assert {"clock", "jobs", "running", "leases", "dead", "failures", "scheduled"} <= set(found)


def test_waiting_ends_as_soon_as_there_is_a_job(connect: Connect, plain: redis.Redis) -> None:
    """N-c9: a consumer that waits is called by the push, without asking again and again."""
    consumer, producer = connect().queue("jobs"), connect().queue("jobs")
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(consumer.pop, wait=20)
        wait_until(lambda: plain.info("clients")["blocked_clients"] == 1)

        producer.push("j1")

        assert [d.payload for d in waiting.result(timeout=10)] == [b"j1"]


def test_a_long_job_is_kept_as_long_as_its_worker_lives(connect: Connect) -> None:
    """N-c9: heartbeats, or renew by hand, keep a delivery well past its lease."""
    owner = connect(heartbeat=0.1, lease=0.3)
    queue, peer = owner.queue("jobs"), connect(heartbeat=0.1, lease=0.3).queue("jobs")
    queue.push("j1")
    (held,) = queue.pop()
    done_at = time.monotonic() + 1.0

    taken = []
    while time.monotonic() < done_at:
        taken += peer.pop(wait=0.2)

    assert taken == []
    assert queue.renew(held).lost == ()
    assert queue.ack(held) == [held.id]


def test_a_poison_job_is_given_up_after_three_deaths(connect: Connect) -> None:
    """N-c10: it ends in the dead list with the reason; what waits behind it is served."""
    keeper = connect()
    queue = keeper.queue("jobs")
    queue.push_many(["poison", "good"])

    for _ in range(3):
        victim = connect()
        assert [d.payload for d in victim.queue("jobs").pop()] == [b"poison"]
        keeper.fail_worker(victim.worker)

    assert [d.payload for d in queue.pop(count=5)] == [b"good"]
    (dead,) = queue.dead()
    assert (dead.payload, dead.crashes) == (b"poison", 3)
    assert "died 3 times" in dead.reason


def test_ending_a_job_costs_the_same_in_any_crowd(connect: Connect, plain: redis.Redis) -> None:
    """N-c11: with ten or two thousand jobs waiting and running, ack makes as many commands."""
    queue = connect(heartbeat=20, lease=60).queue("jobs")
    plain.config_resetstat()
    queue.push_many(["a", "b"])
    queue.ack(*queue.pop(count=2))
    wait_until(lambda: calls(plain).get("srandmember"))  # the first heartbeat is over

    costs = []
    for crowd in (10, 1000):
        queue.push_many([str(n) for n in range(2 * crowd)])
        held = queue.pop(count=crowd)
        plain.config_resetstat()
        queue.ack(held[crowd // 2])
        costs.append(calls(plain))

    assert costs[0] == costs[1]


def test_drop_is_one_step_and_nothing_writes_after_it(
    limpet: Any, queue: Any, watch: Watch
) -> None:
    """N-c12: one script; late ends of what ran leave no trace."""
    limpet.queue("other").drop()  # from here on the server knows the script
    held = queue.pop(count=3)

    with watch() as sent:
        queue.drop()

    assert sent == ["drop", "srem"]  # and its name goes off the list of queues
    late = queue.ack(held[0]), queue.fail(held[1], "late"), queue.release(held[2])
    assert late == ([], False, [])
    assert (queue.stats().pending, queue.stats().completed) == (0, 0)
    assert queue.drop() is False


@pytest.mark.parametrize("payload", [b"", b"\0\xff*", bytes(range(256)), b"x" * 2**20])
def test_payloads_may_be_any_bytes(limpet: Any, payload: bytes) -> None:
    """N-c13: nothing needs to be stored elsewhere, up to a mebibyte."""
    queue = limpet.queue("jobs")
    queue.push(payload)

    (delivery,) = queue.pop()

    assert delivery.payload == payload


def test_an_old_queue_is_moved_as_the_page_says(limpet: Any, plain: redis.Redis) -> None:
    """N25, N26: waiting ids keep their order; what ran when its consumers stopped runs again."""
    plain.lpush("foo", "j1", "j2", "j3")
    for running in ("j0*1363343422", "j0*1363343422", "j9*1363343421"):
        plain.lpush("run:foo", running)
        plain.lpush("foo", running)
    (code,) = re.findall(r"```python\n(def move.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)  # the text of our own page

    names["move"](plain, "foo", limpet.queue("jobs"))

    moved = [d.payload for d in limpet.queue("jobs").pop(count=9)]
    assert moved == [b"j0", b"j0", b"j9", b"j1", b"j2", b"j3"]
    assert plain.exists("foo", "run:foo") == 0

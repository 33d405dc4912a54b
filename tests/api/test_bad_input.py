"""What callers may do wrong: each mistake is answered clearly, at once, and changes nothing."""

import traceback
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import redis

from limpet import BackendError, ConfigError, Item, PayloadError
from limpet.options import MAX_PAYLOAD
from limpet.values import Receipt
from tests.support.snapshot import everything

Connect = Callable[..., Any]
Call = Callable[[Any], Any]

#: A worker that beats once and then leaves the server alone.
CALM = {"heartbeat": 1000, "lease": 10_000}
#: What changes by itself: the memory of requests, the clock, the lease of the worker.
BOOKS = {"sessions", "lanes", "clock", "workers"}
NAN, ENDLESS, HALF = float("nan"), float("inf"), "\ud800"


@pytest.fixture
def untouched(plain: redis.Redis) -> Iterable[None]:
    """Whatever the test does, the server is empty afterwards."""
    yield
    assert everything(plain) == {}


def refused(error: type[Exception], words: str, *calls: Call, on: Any) -> None:
    """Each of these calls raises this error with these words."""
    for call in calls:
        with pytest.raises(error, match=words):
            call(on)


NAMES = {
    "at least one character": ["", None, 5, b"q", ["q"], {"q": 1}],
    "at most 200 bytes": ["x" * 201, "\u00e9" * 101],
    "braces and control characters": ["a{b", "a}b", "a\nb", "\0", "\u2028", HALF],
}


@pytest.mark.usefixtures("untouched")
@pytest.mark.parametrize("rule", NAMES)
def test_a_queue_name_that_breaks_a_rule_is_refused_with_the_rule(limpet: Any, rule: str) -> None:
    """Wherever a queue can be named."""
    for name in NAMES[rule]:
        refused(
            ConfigError,
            rule,
            lambda limpet, name=name: limpet.queue(name),
            lambda limpet, name=name: limpet.pop("fine", name),
            lambda limpet, name=name: limpet.start_work(name),
            lambda limpet, name=name: limpet.events(name),
            on=limpet,
        )


@pytest.mark.usefixtures("untouched")
def test_no_queue_at_all_is_refused(limpet: Any) -> None:
    """Taking from nowhere and listening to nobody are mistakes."""
    refused(ConfigError, "at least one queue", lambda x: x.pop(), lambda x: x.events(), on=limpet)


@pytest.mark.usefixtures("untouched")
@pytest.mark.parametrize("payload", [None, 5, 1.5, True, ["a"], {"a": 1}, {}, object(), HALF])
def test_a_payload_must_be_bytes_or_text(limpet: Any, payload: Any) -> None:
    """Nothing is sent, not even the good ones beside it."""
    calls: list[Call] = [
        lambda queue: queue.push(payload),
        lambda queue: queue.push_many([b"good", payload]),
        lambda queue: queue.push_many([b"good", Item(payload, delay=5)]),
        lambda queue: queue.find(payload),
    ]
    if payload is not None:
        calls.append(lambda queue: queue.cancel(payload=payload))

    refused(PayloadError, "payload must be bytes or text|half", *calls, on=limpet.queue("q"))


@pytest.mark.usefixtures("untouched")
def test_a_payload_over_the_limit_is_refused_with_both_sizes(limpet: Any) -> None:
    """The limit is the queue's own, and one byte over is too much."""
    refused(
        PayloadError,
        f"has {MAX_PAYLOAD + 1} bytes, the limit is {MAX_PAYLOAD}",
        lambda x: x.queue("q").push(b"x" * (MAX_PAYLOAD + 1)),
        on=limpet,
    )
    refused(
        PayloadError,
        "has 4 bytes, the limit is 3",
        lambda x: x.queue("q", max_payload=3).push("\u00e9\u00e9"),
        on=limpet,
    )


@pytest.mark.usefixtures("untouched")
@pytest.mark.parametrize("items", [[], "text", b"bytes", 5, None])
def test_many_payloads_must_be_a_list_of_some(limpet: Any, items: Any) -> None:
    """A text is not taken for a list of its letters, and nothing is not taken for success."""
    refused(
        ConfigError,
        "list of payloads|nothing to push",
        lambda queue: queue.push_many(items),
        on=limpet.queue("q"),
    )


@pytest.mark.usefixtures("untouched")
@pytest.mark.parametrize("count", [0, -1, 1.5, "3", None, True])
def test_a_count_must_be_a_whole_number_of_at_least_one(limpet: Any, count: Any) -> None:
    """Wherever a number of jobs is asked for."""
    refused(
        ConfigError,
        "whole number of at least 1",
        lambda queue: queue.pop(count),
        lambda queue: queue.inspect(0, count),
        lambda queue: queue.failures(0, count),
        lambda queue: queue.locks(0, count),
        lambda queue: queue.revive(count=count),
        lambda queue: queue.purge(count=count),
        on=limpet.queue("q"),
    )


@pytest.mark.usefixtures("untouched")
@pytest.mark.parametrize("start", ["0", None, 1.5, True, 2**60])
def test_a_position_must_be_a_whole_number(limpet: Any, start: Any) -> None:
    """Only `inspect` counts from the end, and nothing is that long."""
    refused(
        ConfigError,
        "must be a whole number",
        lambda queue: queue.inspect(start),
        lambda queue: queue.failures(start),
        lambda queue: queue.locks(start),
        lambda queue: queue.last_failure(start),
        on=limpet.queue("q"),
    )
    refused(
        ConfigError,
        "not negative",
        lambda x: x.failures(-1),
        lambda x: x.locks(-1),
        on=limpet.queue("q"),
    )


BAD_TIMES = [-1, NAN, ENDLESS, 1e30, "x", "", "-5s", "1e5s", [], True, timedelta(seconds=-1)]


@pytest.mark.usefixtures("untouched")
@pytest.mark.parametrize("bad", BAD_TIMES, ids=repr)
def test_a_time_must_be_one(connect: Connect, bad: Any) -> None:
    """Waits, delays, time-outs, leases: not negative, not endless, not something else."""
    limpet = connect(**CALM)
    words = "must not be negative or endless|must be seconds|write it like"
    refused(
        ConfigError,
        words,
        lambda x: x.queue("q").pop(wait=bad),
        lambda x: x.pop("q", wait=bad),
        lambda x: x.queue("q").push(b"a", delay=bad),
        lambda x: x.queue("q").retry("1-1@1", bad),
        lambda x: x.queue("q").release("1-1@1", delay=bad),
        lambda x: x.queue("q", timeout=bad),
        lambda x: x.queue("q").events().next(bad),
        lambda x: x.start_worker(heartbeat=bad),
        lambda x: x.start_worker(lease=bad),
        lambda x: connect(timeout=bad),
        lambda x: connect(heartbeat=bad),
        lambda x: connect(lease=bad),
        on=limpet,
    )


@pytest.mark.usefixtures("untouched")
@pytest.mark.parametrize(
    ("heartbeat", "lease", "words"),
    [
        (1, 1, "longer than heartbeat"),
        (2, 1, "longer than heartbeat"),
        ("1s", "500ms", "longer than heartbeat"),
        (1, 0, "longer than heartbeat"),
        (0, 1, "longer than nothing"),
        (0, None, "longer than nothing"),
    ],
)
def test_heartbeat_and_lease_must_fit(
    connect: Connect, heartbeat: Any, lease: Any, words: str
) -> None:
    """A living worker must never be declared dead; the running one stays as it is."""
    limpet = connect(**CALM)

    refused(
        ConfigError,
        words,
        lambda _: connect(heartbeat=heartbeat, lease=lease),
        lambda x: x.start_worker(heartbeat=heartbeat, lease=lease),
        on=limpet,
    )


@pytest.mark.usefixtures("untouched")
@pytest.mark.parametrize("name", ["", "a b", "x" * 101, 5, b"x", "a\n"])
def test_a_worker_name_must_be_short_and_plain(connect: Connect, name: Any) -> None:
    """It becomes part of keys and log lines."""
    refused(
        ConfigError,
        "worker name",
        lambda _: connect(name=name),
        lambda x: x.start_worker(name=name),
        on=connect(),
    )


@pytest.mark.usefixtures("untouched")
def test_a_call_without_time_is_refused(connect: Connect) -> None:
    """A timeout of nothing could never reach a server."""
    refused(ConfigError, "longer than nothing", lambda _: connect(timeout=0), on=None)


STRANGE_RECEIPTS: dict[str, Any] = {
    "empty": "",
    "no fence": "1-1",
    "empty fence": "1-1@",
    "no id": "@1",
    "below zero": "1-1@-1",
    "a fraction": "1-1@1.5",
    "other digits": "1-1@\u0661",
    "huge id": "x" * 10**6 + "@1",
    "huge fence": "1-1@" + "9" * 10**6,
    "half a character": f"{HALF}@1",
    "of no job": "1-1@1",
    "a value of no job": Receipt("1-1", 1),
    "an empty value": Receipt("", 0),
    "a value below zero": Receipt("1-1", -1),
    "a huge value": Receipt("x" * 10**6, 10**50),
    "a value of nothing": Receipt(None, None),  # type: ignore[arg-type]
    "a value of other things": Receipt(5, "1"),  # type: ignore[arg-type]
    "half a value": Receipt(HALF, 1),
}


@pytest.mark.parametrize("kind", STRANGE_RECEIPTS)
def test_a_receipt_of_no_delivery_holds_nothing(
    connect: Connect, plain: redis.Redis, kind: str
) -> None:
    """However strange it is: the answer is that it holds nothing, and no other job is touched."""
    queue, receipt = connect(**CALM).queue("q"), STRANGE_RECEIPTS[kind]
    queue.push_many([b"a", b"b"])
    (held,) = queue.pop()
    before = contents(plain)

    answers = [
        queue.ack(receipt),
        queue.release(receipt),
        queue.fail(receipt, "no"),
        queue.retry(receipt),
        queue.resume(receipt, timeout=0),
        queue.ack(receipt, held, receipt),
    ]

    assert answers[:5] == [[], [], False, False, None]
    assert answers[5] == [held.id]
    assert {*before} - {*contents(plain)} <= {"running", "leases", "aging", "held", "left"}
    assert contents(plain)["jobs"].keys() == before["jobs"].keys() - {held.id.encode()}


def contents(plain: redis.Redis) -> dict[str, Any]:
    """Read what the queue holds, without its books."""
    found = {key.rpartition(":")[2]: value for key, (_, _, value) in everything(plain).items()}
    return {key: value for key, value in found.items() if key not in BOOKS}


@pytest.mark.parametrize("shown", [None, 5, b"1-1@1", ("1-1", 1), [], object()])
def test_something_that_is_no_receipt_is_refused(limpet: Any, shown: Any) -> None:
    """A mistake in the program is told, not answered with "stale"."""
    refused(
        ConfigError,
        "show ",
        lambda x: x.queue("q").ack(shown),
        lambda x: x.queue("q").release(shown),
        lambda x: x.queue("q").fail(shown),
        lambda x: x.queue("q").retry(shown),
        lambda x: x.queue("q").resume(shown),
        lambda x: x.queue("q").renew(shown),
        lambda x: x.queue("q").ack_and_pop([shown]),
        lambda x: x.ack(shown),
        lambda x: x.release(shown),
        on=limpet,
    )


def test_a_delivery_of_another_queue_is_refused(limpet: Any) -> None:
    """It would be stale there for ever; the error names both queues."""
    limpet.queue("q").push(b"a")
    (job,) = limpet.queue("q").pop()

    refused(
        ConfigError,
        "of queue 'q', not 'other'",
        lambda x: x.ack(job),
        lambda x: x.fail(job),
        lambda x: x.renew(job),
        on=limpet.queue("other"),
    )
    assert limpet.ack(job) == [job.id]


STRANGE_IDS = ["", "x", "1-1", "a b", "\0", "\u00e9", HALF, "x" * 10**6, None, 5, b"x"]


@pytest.mark.parametrize("strange", STRANGE_IDS, ids=lambda i: repr(i)[:12])
def test_an_id_of_no_job_is_unknown(connect: Connect, plain: redis.Redis, strange: Any) -> None:
    """However strange it is: nothing is found, nothing is changed."""
    limpet = connect(**CALM)
    queue = limpet.queue("q")
    queue.push(b"a")
    queue.fail(*queue.pop(), "no")
    before = contents(plain)

    answers = [queue.job(strange), queue.revive(strange), queue.purge(strange)]
    answers += [queue.cancel(id=strange)] if strange is not None else [0]
    answers += [limpet.fail_worker(strange)]

    assert answers == [None, [], 0, 0, False]
    assert contents(plain) == before


@pytest.mark.usefixtures("untouched")
@pytest.mark.parametrize("own", ["", "1-1", "a b", "\0", "\u00e9", HALF, "x" * 201, 5, b"x", ["x"]])
def test_an_own_id_must_be_plain(limpet: Any, own: Any) -> None:
    """It must never look like one of the server's, nor break a log line."""
    refused(
        ConfigError,
        "job id may have|looks like an id made by the server",
        lambda queue: queue.push(b"a", id=own),
        lambda queue: queue.push_many([b"good", Item(b"a", id=own)]),
        on=limpet.queue("q"),
    )


def test_thousands_of_receipts_and_ids_are_no_problem(connect: Connect) -> None:
    """They are sent in parts, whatever the server's own limits are."""
    queue = connect(**CALM).queue("q", dead_limit=5000)
    queue.push_many([b"%d" % n for n in range(3000)])
    jobs = [job for _ in range(3) for job in queue.pop(count=1000)]

    assert queue.renew(*jobs).lost == ()
    assert len(queue.release(*jobs)) == 3000
    jobs = [job for _ in range(3) for job in queue.pop(count=1000)]
    strangers = [f"stranger-{n}" for n in range(9000)]
    assert queue.revive(*strangers) == []
    assert queue.purge(*strangers) == 0
    assert len(queue.ack(*[f"{s}@1" for s in strangers], *jobs)) == 3000


@pytest.mark.usefixtures("untouched")
def test_a_moment_needs_a_time_zone(limpet: Any) -> None:
    """A clock on the wall is not a moment; nor is something else."""
    naive = datetime(2030, 1, 1)  # noqa: DTZ001 - that is the mistake
    for at in (naive, "tomorrow", -1, NAN, ENDLESS, True, datetime(1, 1, 1, tzinfo=UTC)):
        refused(
            ConfigError,
            "time zone",
            lambda queue, at=at: queue.push(b"a", at=at),
            on=limpet.queue("q"),
        )


@pytest.mark.usefixtures("untouched")
def test_options_that_contradict_each_other_are_refused(limpet: Any) -> None:
    """Two times, a front place for later, a key of what is not unique, two ways to cancel."""
    queue, now = limpet.queue("q"), datetime.now(UTC)
    refused(ConfigError, "not both", lambda q: q.push(b"a", delay=1, at=now), on=queue)
    refused(
        ConfigError, "cannot go to the front", lambda q: q.push(b"a", front=True, at=now), on=queue
    )
    refused(ConfigError, "say unique=", lambda q: q.push(b"a", key="k"), on=queue)
    refused(
        ConfigError,
        "either payload= or id=",
        lambda q: q.cancel(),
        lambda q: q.cancel(payload=b"a", id="a"),
        on=queue,
    )


@pytest.mark.usefixtures("untouched")
@pytest.mark.parametrize("mode", ["always", "", 5, True, b"waiting", []])
def test_an_unknown_way_of_being_unique_is_refused(limpet: Any, mode: Any) -> None:
    """In the policy of a queue and in a push."""
    refused(
        ConfigError,
        "unique must be|on_twin must be|key must be|lock must be",
        lambda x: x.queue("q", unique=mode),
        lambda x: x.queue("q").push(b"a", unique=mode),
        lambda x: x.queue("q", on_twin=mode),
        lambda x: x.queue("q").push(b"a", unique="waiting", on_twin=mode),
        on=limpet,
    )
    if not isinstance(mode, str | bytes):
        refused(
            ConfigError,
            "key must be|lock must be",
            lambda x: x.queue("q").push(b"a", unique="waiting", key=mode),
            lambda x: x.queue("q").push(b"a", lock=mode),
            lambda x: x.queue("q", lock=mode),
            on=limpet,
        )


@pytest.mark.usefixtures("untouched")
def test_unknown_options_are_refused_by_name(connect: Connect) -> None:
    """A misspelt option is not silently left out, whichever way it comes."""
    limpet = connect()
    refused(ConfigError, "no option 'uniqe'", lambda x: x.queue("q", uniqe="waiting"), on=limpet)
    refused(
        ConfigError, "no option 'uniqe'", lambda _: connect(policies={"q": {"uniqe": 1}}), on=None
    )
    for policies in (5, {"q": 5}, {"*": None}):
        refused(ConfigError, "mapping", lambda _, p=policies: connect(policies=p), on=None)
    for number in (-1, 1.5, "3", True, None):
        for option in ("lock_limit", "crash_limit", "dead_limit", "max_payload"):
            refused(
                ConfigError,
                f"{option} must be a whole number",
                lambda x, o=option, n=number: x.queue("q", **{o: n}),
                on=limpet,
            )


@pytest.mark.usefixtures("untouched")
@pytest.mark.parametrize("state", ["ready", "", None, 5])
def test_an_unknown_state_is_refused_with_the_known_ones(limpet: Any, state: Any) -> None:
    """The error lists them."""
    refused(
        ConfigError,
        "scheduled, waiting, parked, running, dead",
        lambda queue: queue.inspect(state=state),
        on=limpet.queue("q"),
    )


@pytest.mark.parametrize("message", [None, 5, ["x"], object()])
def test_an_error_must_be_text_or_an_exception(limpet: Any, message: Any) -> None:
    """The job stays where it is."""
    queue = limpet.queue("q")
    queue.push(b"a")
    (job,) = queue.pop()

    refused(
        ConfigError,
        "text or exception",
        lambda queue: queue.fail(job, message),
        lambda queue: queue.retry(job, 0, message),
        on=queue,
    )
    assert queue.ack(job) == [job.id]


@pytest.mark.parametrize(
    "key", ["", None, 5, b"x", HALF, "limpet:queues", "limpet:{q}:waiting", "limpet:{x}:jobs"]
)
def test_only_a_list_of_another_program_can_be_adopted(limpet: Any, key: Any) -> None:
    """A queue that adopts its own line would never end."""
    queue = limpet.queue("q")
    queue.push(b"a")

    refused(ConfigError, "name ", lambda queue: queue.adopt(key), on=queue)
    assert queue.stats().waiting == 1


BAD_URLS = {
    "redis://:hunter2@host:port/0": "cannot be read",
    "redis://:hun/ter2@host": "cannot be read",
    "redis://:12/hunter2@host": "names no host",
    "redis://:12#hunter2@host": "names no host",
    "redis://u:12?hunter2=x@host": "option that is not known",
    "http://:hunter2@host": "scheme 'http'",
    "redis://:hunter2@host/zero": "not the number of a database",
    "redis://:hunter2@host?db=x": "value that cannot be used",
    "redis://:hunter2@host?decode_responses=yes": "'decode_responses'",
    "redis://:hunter2@host?socket_timeout=99": "'socket_timeout'",
    "redis://:hunter2@": "names no host",
    "unix://:hunter2@host/path": "names no path",
    "redis+sentinel://:hunter2@host": "each sentinel needs host:port",
    "redis+sentinel://:hunter2@host:1": "name the service",
    "hunter2": "scheme ''",
    "redis://:hunter2@[": "cannot be read",
}


@pytest.mark.parametrize("url", BAD_URLS)
def test_a_url_that_makes_no_sense_is_refused_without_its_password(
    connect: Connect, url: str
) -> None:
    """At the door, with the forms that work; neither error nor traceback shows what was given."""
    with pytest.raises(ConfigError, match=BAD_URLS[url]) as error:
        connect(url)

    trace = traceback.TracebackException.from_exception(error.value, capture_locals=False)
    shown = "".join(trace.format())
    assert "redis://" in str(error.value) or "redis+sentinel://" in str(error.value)
    assert [
        secret for secret in ("hunter", "ter2") if secret in shown.partition("ConfigError")[2]
    ] == []


@pytest.mark.parametrize("url", [5, b"redis://host", ["redis://host"], object()])
def test_a_url_must_be_text(connect: Connect, url: Any) -> None:
    """Something else is refused in the same way."""
    refused(ConfigError, "cannot be read", lambda _: connect(url), on=None)


def test_a_foreign_list_of_queues_is_named(limpet: Any, plain: redis.Redis) -> None:
    """The key in which all queues are listed is in use by somebody else."""
    plain.set("limpet:queues", "mine")
    before = everything(plain)

    refused(
        BackendError,
        "limpet:queues holds something that is not of limpet",
        lambda x: x.queue("q").push(b"a"),
        lambda x: x.queue("q").pop(),
        lambda x: x.queues(),
        on=limpet,
    )
    assert everything(plain) == before


@pytest.mark.parametrize("call", ["revive", "purge"])
@pytest.mark.parametrize("wrong", [["1-1"], ("1-1", "1-2")])
def test_dead_jobs_are_named_one_by_one(limpet: Any, call: str, wrong: object) -> None:
    """A list in place of ids would name no job, and be passed over in silence."""
    with pytest.raises(ConfigError, match="one by one"):
        getattr(limpet.queue("mail"), call)(wrong)

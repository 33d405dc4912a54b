"""What resque-uniqueue promises, number by number, and the mistakes limpet does not share."""

import json
import socketserver
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
import redis

from limpet import BackendError, ConfigError, Item
from tests.support.servers import free_port
from tests.support.waiting import wait_until

#: number: (what it says, limpet's call, why limpet differs)
STATEMENTS: dict[str, tuple[str, str, str]] = {
    "U1": (
        "identical payloads never wait in a queue at the same time",
        '`limpet.queue("mail", unique="waiting")`',
        "",
    ),
    "U2": ("each queue is unique for itself", '`queue.push(x, unique="waiting")`', ""),
    "U3": (
        "a server with scripting is needed, Redis 2.6",
        "`Limpet(url)`",
        "limpet needs Redis 7.0 or Valkey 7.2, and says so.",
    ),
    "U4": (
        "switched on first while the queues are empty",
        "`queue.adopt(list_key)`",
        (
            "Not needed: an existing list is taken over, its twins merged. Jobs pushed to a limpet"
            " queue before it was unique have no mark, so they are no twins of later ones."
        ),
    ),
    "U5": ("off until it is switched on", "`Limpet(url)`", ""),
    "U6": (
        "switched on without names: for all queues",
        '`Limpet(url, policies={"*": {"unique": "waiting"}})`',
        "",
    ),
    "U7": (
        "switched on with names: for these queues only",
        '`Limpet(url, policies={"mail": {"unique": "waiting"}})`',
        "",
    ),
    "U8": (
        "push, pop and removing a queue change, nothing else",
        "`queue.push(x)`, `queue.pop()`, `queue.drop()`",
        "What ends or returns a job keeps its mark right as well: cancel, fail, release, retry.",
    ),
    "U9": (
        "a set beside the queue holds the payloads that wait",
        "`limpet:{mail}:unique`",
        "A hash, from the payload (or its digest, if long) to the id of the job.",
    ),
    "U10": (
        "a list beside the queue holds the time of each job",
        "`job.enqueued_at`",
        "No list: the id of a job tells when it was pushed, in milliseconds.",
    ),
    "U11": ("the times stand in the order of the jobs", "`queue.inspect(0, 10)`", ""),
    "U12": (
        "push compares the lengths of the three keys first",
        "`queue.verify()`",
        (
            "A job and its mark are one step, so nothing is compared at every push; `verify` looks"
            " at everything when asked."
        ),
    ),
    "U13": (
        "push raises if they differ",
        "`queue.verify()`, `queue.repair()`",
        "Damage is reported and mended, it never stops a push.",
    ),
    "U14": (
        "only a payload that was not there gets in",
        "`queue.push(x).created`",
        "",
    ),
    "U15": ("a duplicate changes nothing", "`queue.push(x)`", "It is counted: `stats().refused`."),
    "U16": ("first in, first out", "`queue.push(x)`, `queue.pop()`", ""),
    "U17": ("one atomic step, whoever pushes and pops meanwhile", "`queue.push(x)`", ""),
    "U18": (
        "pop compares the lengths too, and raises",
        "`queue.verify()`",
        "As with push: damage never stops a pop.",
    ),
    "U19": (
        "pop gives the payload, and its time with it",
        "`delivery.payload`, `delivery.enqueued_at`",
        "The time stands beside the payload, not in it.",
    ),
    "U20": ("once popped, an identical job may be pushed", '`unique="waiting"`', ""),
    "U21": ("removing a queue removes its marks and times", "`queue.drop()`", ""),
    "U22": (
        "the whole payload is compared, class and arguments",
        "`queue.push(x)`, `queue.push(x, key=k)`",
        "",
    ),
    "U23": (
        "push answers the length of the queue",
        "`queue.push(x).id`, `queue.len()`",
        "Push answers the id of the job; the length is a question of its own.",
    ),
    "U24": (
        "push of a duplicate answers nothing, and does not raise",
        "`queue.push(x).created`",
        "It answers False and the id of the job in the way.",
    ),
    "U25": (
        "push takes a time to be kept with the job",
        "`job.enqueued_at`",
        "Only the server tells the time; put a time of your own into the payload.",
    ),
    "U26": (
        "the time kept is that of the push, by the client's clock",
        "`job.enqueued_at`",
        "By the server's clock; the first delivery is `started_at`.",
    ),
    "U27": ("a payload with a time of its own keeps it", "`delivery.payload`", ""),
    "U28": (
        "pop of an empty queue gives nothing; of a unique one, what a plain one gives",
        "`queue.pop()`",
        "",
    ),
    "U29": (
        "naming queues alone switches nothing on",
        '`Limpet(url, policies={"mail": {...}})`',
        "",
    ),
    "U30": (
        "a server that is too old is refused by its version",
        "`BackendError`",
        "At the first call; the error names the versions that will do.",
    ),
    "U31": ("a push makes the queue known; unique or not", "`limpet.queues()`", ""),
    "U32": ("plain queues can be removed too", "`queue.drop()`", ""),
    "U33": (
        "any of the three keys being longer is an error that asks for empty queues",
        "`queue.verify()`, `queue.repair()`",
        "The report names each problem, and it can be mended with jobs in the queue.",
    ),
    "U34": ("scripts are loaded when first used", "`queue.push(x)`", ""),
    "U35": ("plain queues are not touched", "`queue.push(x)`", ""),
    "U-c1": ("one removed job blocks the queue for ever", "`queue.cancel(id=i)`", ""),
    "U-c2": ("push does not make the check it promises", "`queue.verify()`", ""),
    "U-c3": ("check and pop are two steps", "`queue.pop()`", ""),
    "U-c4": ("switched on for a queue with jobs, pop raises", "`queue.adopt(list_key)`", ""),
    "U-c5": ("a crash loses the popped job", "`queue.pop()`, `queue.ack(delivery)`", ""),
    "U-c6": ("an identical job can run beside the first", '`unique="running"`', ""),
    "U-c7": ("another order of keys makes another job", "`queue.push(x, key=k)`", ""),
    "U-c8": ("a queue named in another type is silently not unique", "`ConfigError`", ""),
    "U-c9": ("restart or script flush: every call fails from then on", "`queue.push(x)`", ""),
    "U-c10": ("keys are made up in scripts: no cluster", '`Limpet("redis+cluster://...")`', ""),
    "U-c11": ("removing a queue is three steps", "`queue.drop()`", ""),
    "U-c12": ("times come from clients' clocks", "`job.enqueued_at`", ""),
    "U-c13": ("no bulk push", "`queue.push_many(xs)`", ""),
    "U-c14": ("the time in the payload defeats locks", '`unique="waiting", lock=...`', ""),
}

SYNC = pytest.mark.parametrize("flavour", ["sync"], indirect=True)


def keys_of(plain: redis.Redis, queue: str) -> set[str]:
    """Name the keys a queue has on the server."""
    prefix = f"limpet:{{{queue}}}:"
    return {key.decode().removeprefix(prefix) for key in plain.scan_iter(f"{prefix}*")}


@pytest.fixture
def mail(limpet: Any) -> Any:
    """A queue in which identical jobs do not wait twice."""
    return limpet.queue("mail", unique="waiting")


NO_SCRIPT = b"-NOSCRIPT No matching script.\r\n"
NO_FLAGS = b"-ERR Error compiling script (new function): user_script:1: unexpected symbol\r\n"


class OldServer(socketserver.StreamRequestHandler):
    """A server from before Redis 7.0: it does not know scripts that open with their flags."""

    def handle(self) -> None:
        """Answer commands until the client leaves."""
        while head := self.rfile.readline():
            words = []
            for _ in range(int(head[1:])):
                size = int(self.rfile.readline()[1:])
                words.append(self.rfile.read(size + 2)[:-2])
            self.wfile.write({b"EVALSHA": NO_SCRIPT, b"EVAL": NO_FLAGS}.get(words[0], b":1\r\n"))


@pytest.fixture
def old_server() -> Iterator[str]:
    """Give the address of a server that is too old."""
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), OldServer) as serving:
        serving.daemon_threads = True
        threading.Thread(target=serving.serve_forever, args=(0.01,), daemon=True).start()
        yield f"redis://127.0.0.1:{serving.server_address[1]}"
        serving.shutdown()


def test_identical_payloads_never_wait_together(connect: Any, together: Any) -> None:
    """U1, U17: however many push and pop at once, no payload is twice in the line."""
    queues = [connect().queue("mail", unique="waiting") for _ in range(4)]

    def produce(queue: Any) -> int:
        pushed = [queue.push(payload) for _ in range(15) for payload in (b"a", b"b", b"c")]
        return sum(one.created for one in pushed)

    def consume(queue: Any) -> int:
        served = 0
        for _ in range(30):
            found = queue.pop(count=2)
            line = [job.payload for job in queue.inspect(0, 100)]
            assert len(line) == len(set(line))
            served += len(queue.ack(*found))
        return served

    calls = [(produce, queues[0]), (produce, queues[1]), (consume, queues[2]), (consume, queues[3])]
    made, also_made, served, also_served = together(*[lambda c=c: c[0](c[1]) for c in calls])

    assert made + also_made == served + also_served + queues[0].len()
    assert queues[0].verify().ok


def test_a_job_that_comes_back_merges_with_its_twin(mail: Any) -> None:
    """U1: a returned job keeps its place, and the twin pushed meanwhile is merged into it."""
    first = mail.push(b"a")
    mail.push(b"b")
    (taken,) = mail.pop()
    mail.push(b"a")

    mail.release(taken)

    assert [job.payload for job in mail.inspect(0, 10)] == [b"a", b"b"]
    assert mail.peek().id == first.id
    assert mail.stats().merged == 1


def test_each_queue_is_unique_for_itself(connect: Any) -> None:
    """U2: the same payload may wait in two queues."""
    limpet = connect(policies={"*": {"unique": "waiting"}})

    pushed = [limpet.queue(name).push(b"x") for name in ("mail", "orders", "mail")]

    assert [one.created for one in pushed] == [True, True, False]


def test_a_server_that_is_too_old_is_named_so(connect: Any, old_server: str) -> None:
    """U3, U30: the first call says which servers will do; nobody has to read a Lua error."""
    limpet = connect(old_server)

    with pytest.raises(BackendError, match=r"Redis 7\.0.*Valkey 7\.2"):
        limpet.queue("mail").push(b"x")


def test_an_existing_list_is_adopted_with_its_twins(mail: Any, plain: redis.Redis) -> None:
    """U4, U-c4: a list with jobs in it becomes a unique queue: marks built, twins merged."""
    plain.rpush("resque:queue:mail", b"a", b"b", b"a", b"c")

    adopted = mail.adopt("resque:queue:mail")

    assert adopted == 3
    assert plain.exists("resque:queue:mail") == 0
    assert [mail.push(payload).created for payload in (b"a", b"b", b"c")] == [False] * 3
    assert [job.payload for job in mail.pop(count=10)] == [b"a", b"b", b"c"]


@SYNC
def test_our_page_moves_a_queue(run_page: Any, mail: Any, plain: redis.Redis) -> None:
    """U4, U9, U10: what our page tells to do takes all jobs over and leaves no key behind."""
    plain.rpush("resque:queue:mail", b"a", b"b")
    plain.sadd("resque:queue:mail:uniqueue", b"a", b"b")
    plain.rpush("resque:queue:mail:start_at", 1, 2)

    moved = run_page("resque-uniqueue")["move"](plain, mail)

    assert moved == 2
    assert list(plain.scan_iter("resque:*")) == []
    assert [job.payload for job in mail.pop(count=9)] == [b"a", b"b"]


def test_without_a_word_nothing_is_unique(limpet: Any) -> None:
    """U5: twins are welcome until somebody says otherwise."""
    queue = limpet.queue("mail")

    pushed = [queue.push(b"x"), queue.push(b"x")]

    assert [one.created for one in pushed] == [True, True]
    assert queue.len() == 2


def test_all_queues_can_be_made_unique(connect: Any) -> None:
    """U6: a policy for "*" holds for queues nobody thought of yet."""
    limpet = connect(policies={"*": {"unique": "waiting"}})

    for name in ("mail", "orders", "anything"):
        created = [limpet.queue(name).push(b"x").created for _ in range(2)]
        assert created == [True, False]


def test_named_queues_can_be_made_unique(connect: Any) -> None:
    """U7: exactly those with a policy; others go on as before."""
    limpet = connect(policies={name: {"unique": "waiting"} for name in ("emails", "orders")})

    created = {
        name: [limpet.queue(name).push(b"x").created for _ in range(2)]
        for name in ("emails", "orders", "other")
    }

    assert created["emails"] == created["orders"] == [True, False]
    assert created["other"] == [True, True]


@pytest.mark.parametrize("end", ["ack", "fail", "release", "retry", "cancel"])
def test_whatever_moves_a_job_moves_its_mark(mail: Any, plain: redis.Redis, end: str) -> None:
    """U8: marks follow a job through every operation, not only through three of them."""
    mail.push(b"x")
    (taken,) = mail.pop()

    if end == "cancel":
        mail.release(taken)
        mail.cancel(payload=b"x")
    else:
        getattr(mail, end)(taken)

    there = end in {"release", "retry"}
    assert plain.hlen("limpet:{mail}:unique") == there
    assert mail.push(b"x").created is not there
    assert mail.verify().ok


def test_marks_stand_beside_the_queue(mail: Any, plain: redis.Redis) -> None:
    """U9: one hash field per waiting payload, readable as it is, leading to the job."""
    pushed = mail.push_many([b"a", b"b"])

    marks = plain.hgetall("limpet:{mail}:unique")

    assert marks == {b"=a": pushed[0].id.encode(), b"=b": pushed[1].id.encode()}


def test_every_job_shows_its_time_in_order(mail: Any) -> None:
    """U10, U11: job i is shown with time i."""
    for second in (1, 2, 3):
        mail._limpet.link.at_us = f"{1_700_000_000 + second}000000"
        mail.push(f"job {second}")

    shown = [(job.payload, job.enqueued_at) for job in mail.inspect(0, 10)]

    assert shown == [(b"job %d" % n, (1_700_000_000 + n) * 1000) for n in (1, 2, 3)]


@pytest.mark.parametrize("key", ["jobs", "waiting", "unique"])
def test_damage_is_reported_and_mended_but_stops_nothing(
    mail: Any, plain: redis.Redis, key: str
) -> None:
    """U12, U13, U18, U33, U-c2: with any key out of step, push and pop go on; verify says so."""
    first = mail.push_many([b"a", b"b"])[0]
    if key == "waiting":
        plain.lrem("limpet:{mail}:waiting", 1, first.id)
    else:
        plain.hdel(f"limpet:{{mail}}:{key}", {"jobs": first.id, "unique": "=a"}[key])

    found = mail.verify()
    pushed = mail.push(b"c")
    (served,) = mail.pop()
    mail.repair()

    assert not found.ok
    assert pushed.created
    assert served.payload == (b"a" if key == "unique" else b"b")
    assert mail.verify().ok


def test_a_mark_without_its_job_refuses_nobody(mail: Any, plain: redis.Redis) -> None:
    """U13, U-c1: whose job was deleted by hand, its payload can be pushed again at once."""
    pushed = mail.push(b"a")
    plain.delete("limpet:{mail}:jobs", "limpet:{mail}:waiting", "limpet:{mail}:meta")

    again = mail.push(b"a")

    assert again.created
    assert again.id != pushed.id
    assert [job.payload for job in mail.pop(count=10)] == [b"a"]


def test_a_duplicate_changes_nothing(mail: Any, plain: redis.Redis) -> None:
    """U14, U15, U24: it is told apart by its answer; place, time and payload of the first stay."""
    first = mail.push(b"a")
    mail.push(b"b")
    before = [plain.dump(f"limpet:{{mail}}:{key}") for key in ("jobs", "waiting", "unique", "meta")]

    again = mail.push(b"a")

    after = [plain.dump(f"limpet:{{mail}}:{key}") for key in ("jobs", "waiting", "unique", "meta")]
    assert (again.created, again.id) == (False, first.id)
    assert after == before
    assert mail.stats().refused == 1


def test_jobs_leave_in_the_order_they_came(mail: Any) -> None:
    """U16: in at one end, out at the other."""
    mail.push(b"1")
    mail.push_many([b"2", b"3"])
    mail.push(b"4")

    served = [mail.pop()[0].payload, *[job.payload for job in mail.pop(count=3)]]

    assert served == [b"1", b"2", b"3", b"4"]


def test_pop_gives_payload_and_time(mail: Any, plain: redis.Redis) -> None:
    """U19: the time of the push stands beside the payload."""
    before_s = plain.time()[0]
    mail.push(b'{"class": "Mail", "args": [1]}')

    (taken,) = mail.pop()

    assert taken.payload == b'{"class": "Mail", "args": [1]}'
    assert before_s <= taken.enqueued_at // 1000 <= plain.time()[0]
    assert taken.started_at >= taken.enqueued_at


def test_once_popped_an_identical_job_may_wait(mail: Any) -> None:
    """U20: one waits while the first is being worked on, and not two."""
    mail.push(b"x")
    mail.pop()

    created = [mail.push(b"x").created for _ in range(2)]

    assert created == [True, False]


@pytest.mark.parametrize("unique", ["waiting", "running", None])
def test_a_dropped_queue_leaves_nothing(limpet: Any, plain: redis.Redis, unique: str) -> None:
    """U21, U32: unique or not, all goes but the memory of requests, and that goes in an hour."""
    queue = limpet.queue("mail", unique=unique)
    queue.push_many([b"a", b"b"])

    dropped = queue.drop()

    assert dropped
    assert keys_of(plain, "mail") <= {"clock", "sessions", "lanes"}
    assert all(0 < plain.ttl(key) <= 3600 for key in plain.scan_iter("limpet:{mail}:*"))
    assert limpet.queues() == []
    assert queue.push(b"a").created


def test_the_whole_payload_is_compared(mail: Any) -> None:
    """U22: another class or another argument is another job; long payloads count to the end."""
    jobs = [b'{"class": "A", "args": [1]}', b'{"class": "B", "args": [1]}', b"l" * 900 + b"1"]

    created = [one.created for one in mail.push_many([*jobs, b"l" * 900 + b"2", *jobs])]

    assert created == [True] * 4 + [False] * 3


def test_push_answers_the_job(mail: Any) -> None:
    """U23: its id; how many wait is told when asked."""
    ids = [mail.push(payload).id for payload in (b"a", b"b")]

    assert [job.id for job in mail.inspect(0, 10)] == ids
    assert mail.len() == 2


def test_clocks_of_clients_do_not_count(
    mail: Any, plain: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U25, U26, U-c12: a client an hour ahead pushes at the server's time."""
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + 3600)

    mail.push(b"x")

    assert abs(mail.peek().enqueued_at // 1000 - plain.time()[0]) <= 5


def test_a_payload_with_a_time_in_it_keeps_it(mail: Any) -> None:
    """U27: nothing is added to a payload and nothing is read from it."""
    payload = b'{"class":"A","start_at":12}'
    mail.push(payload)

    (taken,) = mail.pop()

    assert taken.payload == payload


def test_unique_and_plain_queues_pop_alike(limpet: Any, mail: Any) -> None:
    """U28: nothing from an empty queue, and the same payload from either kind."""
    other = limpet.queue("plain")

    assert mail.pop() == other.pop() == []

    mail.push(b"x")
    other.push(b"x")
    assert mail.pop()[0].payload == other.pop()[0].payload == b"x"


def test_a_named_queue_is_not_unique_by_that_alone(connect: Any) -> None:
    """U29: a policy without the word unique leaves twins welcome, whatever else it says."""
    limpet = connect(policies={"mail": {"on_twin": "raise"}})

    created = [limpet.queue("mail").push(b"x").created for _ in range(2)]

    assert created == [True, True]


def test_a_push_makes_the_queue_known(limpet: Any, mail: Any) -> None:
    """U31: by its name, unique or not; a dropped one is forgotten."""
    mail.push(b"x")
    limpet.queue("plain").push(b"x")

    assert limpet.queues() == ["mail", "plain"]

    mail.drop()
    assert limpet.queues() == ["plain"]


def test_scripts_are_loaded_when_needed(mail: Any, plain: redis.Redis, watch: Any) -> None:
    """U34, U-c9: after a script flush one call brings its text along, later ones do not."""
    mail.push(b"a")

    with watch() as sent:
        plain.script_flush()
        created = [mail.push(payload).created for payload in (b"b", b"c", b"b")]

    assert created == [True, True, False]
    assert sent == ["script", "push", "eval", "push", "push"]


def test_a_plain_queue_keeps_no_marks(limpet: Any, plain: redis.Redis) -> None:
    """U35: nothing of the feature is there where it is not asked for."""
    limpet.queue("plain").push(b"x")

    assert keys_of(plain, "plain").isdisjoint({"unique", "meta"})


def test_a_removed_job_blocks_nothing(mail: Any) -> None:
    """U-c1: one waiting job is cancelled; the queue serves on, and the job can come again."""
    gone = mail.push(b"a")
    mail.push(b"b")

    cancelled = mail.cancel(id=gone.id)
    again = mail.push(b"a")

    assert cancelled == 1
    assert again.created
    assert [job.payload for job in mail.pop(count=10)] == [b"b", b"a"]
    assert mail.verify().ok


def test_pop_is_one_step(mail: Any, watch: Any) -> None:
    """U-c3: one script and no other call, whether there is a job or not."""
    mail.pop()
    mail.push(b"a")

    with watch() as sent:
        found = mail.pop(), mail.pop()

    assert [len(part) for part in found] == [1, 0]
    assert sent == ["pop", "pop"]


def test_a_crash_loses_nothing(connect: Any, hold: Any) -> None:
    """U-c5: the job of a worker killed with SIGKILL is served to the next one."""
    queue = connect(heartbeat=0.2, lease=0.6).queue("mail", unique="waiting")
    pushed = queue.push(b"x")
    holder = hold("mail", heartbeat=0.2, lease=0.6)

    holder.kill()
    (taken,) = queue.pop(wait=5)

    assert holder.ids == [pushed.id] == [taken.id]
    assert (taken.payload, taken.deliveries) == (b"x", 2)


def test_a_job_can_be_unique_until_it_ended(limpet: Any) -> None:
    """U-c6: no identical job waits or runs beside a running one."""
    queue = limpet.queue("mail", unique="running")
    queue.push(b"x")
    (taken,) = queue.pop()

    refused = queue.push(b"x")
    queue.ack(taken)

    assert (refused.created, refused.id) == (False, taken.id)
    assert queue.push(b"x").created


def test_the_order_of_keys_need_not_matter(mail: Any) -> None:
    """U-c7: with a canonical key, the same content in another order is the same job."""
    contents = [{"a": 1, "b": 2}, {"b": 2, "a": 1}]

    pushed = [
        mail.push(json.dumps(content), key=json.dumps(content, sort_keys=True))
        for content in contents
    ]

    assert [one.created for one in pushed] == [True, False]


@pytest.mark.parametrize("name", [b"mail", "", "ma{il"])
def test_a_queue_named_wrongly_is_refused(connect: Any, name: Any) -> None:
    """U-c8: at the door, in policies as well as by hand; no queue is silently another one."""
    with pytest.raises(ConfigError, match="queue name"):
        connect(policies={name: {"unique": "waiting"}})
    with pytest.raises(ConfigError, match="queue name"):
        connect().queue(name)


def test_a_restart_is_survived(serve: Any, connect: Any) -> None:
    """U-c9: a server that lost all scripts is served by the same client as before."""
    server = serve("--appendonly", "yes", "--appendfsync", "always")
    queue = connect(server.url).queue("mail", unique="waiting")
    queue.push(b"a")

    server.kill()
    server.start()

    assert [queue.push(payload).created for payload in (b"a", b"b")] == [False, True]
    assert [job.payload for job in queue.pop(count=10)] == [b"a", b"b"]


@SYNC
def test_every_key_is_declared_and_in_one_slot(serve: Any, connect: Any) -> None:
    """U-c10: on a cluster, which refuses anything else, unique queues work."""
    server = serve("--cluster-enabled", "yes", "--cluster-port", str(free_port()), tcp=True)
    with server.client() as node:
        node.execute_command("CLUSTER", "ADDSLOTSRANGE", 0, 16383)
        wait_until(lambda: b"cluster_state:ok" in node.execute_command("CLUSTER", "INFO"))
    queue = connect(server.url.replace("redis:", "redis+cluster:")).queue("mail", unique="waiting")

    created = [queue.push(payload).created for payload in (b"a", b"a", b"b")]
    taken = queue.pop(count=2)

    assert created == [True, False, True]
    assert queue.ack(*taken) == [job.id for job in taken]
    assert queue.drop()


def test_drop_is_one_step(mail: Any, watch: Any) -> None:
    """U-c11: one script; then its name leaves the list of queues."""
    mail.push(b"a")

    with watch() as sent:
        mail.drop()

    assert sent == ["drop", "srem"]


def test_many_are_pushed_in_one_step(mail: Any, watch: Any) -> None:
    """U-c13: duplicates among them, and jobs with options of their own, cost no call more."""
    mail.push(b"a")

    with watch() as sent:
        pushed = mail.push_many([b"a", b"b", b"b", Item(b"c", front=True)])

    assert sent == ["push"]
    assert [one.created for one in pushed] == [False, True, False, True]
    assert [job.payload for job in mail.inspect(0, 10)] == [b"c", b"a", b"b"]


def test_unique_and_lock_work_together(connect: Any) -> None:
    """U-c14: one runs, one waits, never more; the time is not in the payload, so locks match."""

    def lock(payload: bytes) -> bytes:
        return payload

    limpets = [connect(policies={"mail": {"unique": "waiting", "lock": lock}}) for _ in range(2)]
    first, second = [limpet.queue("mail") for limpet in limpets]
    created = [first.push(b"x").created]
    (taken,) = first.pop()
    created += [first.push(b"x").created, first.push(b"x").created]

    beside = second.pop()
    first.ack(taken)
    after = second.pop()

    assert created == [True, True, False]
    assert beside == []
    assert [job.payload for job in after] == [b"x"]
    assert len(second.locks()) == 1

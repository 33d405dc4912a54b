"""The invariants see damage, the world shows what is there, and a difference can be read."""

from collections.abc import Callable

import pytest
import redis

from limpet.commands.push import NewJob
from limpet.commands.take import Taker
from limpet.keys import queue_keys
from limpet.options import WorkerOptions
from tests.model.dump import dump
from tests.model.pair import Pair
from tests.model.world import differences, invariants, model_world, read_world

KEYS = queue_keys("world")


@pytest.fixture
def pair(plain: redis.Redis) -> Pair:
    """A queue with something of everything in it."""
    made = Pair(plain, "world")
    taker = Taker("w1", "none", 3)
    twin = NewJob(b"t", unique=b"=t", mode="running")
    jobs = [
        NewJob(b"a"),
        NewJob(b"l1", lock=b"lock"),
        NewJob(b"l2", lock=b"lock"),
        twin,
        NewJob(b"b"),
    ]
    made.do("push", jobs, lane="p")
    made.do("push", [NewJob(b"s", delay_ms=5000), NewJob(b"x", id="x")], lane="p")
    for worker in ("w0", "w1"):
        made.do("start_work", worker, WorkerOptions(), "host", 1, lane=worker)
    made.do("pop", Taker("w0", "none", 3), 1, lane="w0")
    made.do("fail_worker", "w0", lane="p")
    made.do("tend", 3, 10)
    taken = made.do("pop", taker, 5, lane="w1").deliveries
    made.do("cancel", [taken[0].id], None, lane="p")
    made.do("release", [taken[-1].receipt], None, lane="w1")
    made.do("push", [NewJob(b"c"), NewJob(b"d"), NewJob(b"e")], lane="p")
    made.do("cancel", [sorted(made.model.jobs)[-3]], None, lane="p")
    return made


Damage = Callable[[redis.Redis, Pair], object]

DAMAGES: dict[str, tuple[str, Damage]] = {
    "a payload is gone": ("no job", lambda c, p: c.hdel(KEYS["jobs"], p.model.running()[0].id)),
    "a job is in no place": ("not in one place", lambda c, p: c.hset(KEYS["jobs"], "9-9", b"")),
    "a job is in two places": ("not in one place", lambda c, p: c.zadd(KEYS["dead"], {"x": 7})),
    "an id is twice in line": ("not in one place", lambda c, p: c.rpush(KEYS["waiting"], "x 7")),
    "a ghost is not counted": ("ghosts", lambda c, p: c.lpush(KEYS["waiting"], "1-1")),
    "the place is wrong": ("its place is", lambda c, p: c.zincrby(KEYS["front"], 1, _front(c))),
    "a suspect is with the others": ("running suspects", lambda c, p: c.delete(KEYS["trials"])),
    "a mark is lost": ("should hold the mark", lambda c, p: c.delete(KEYS["unique"])),
    "a mark is nobody's": ("the mark", lambda c, p: c.hset(KEYS["unique"], "=u", "9-9")),
    "a lock is lost": ("the lock", lambda c, p: c.delete(KEYS["locks"])),
    "a lease is lost": ("did not hand it out", lambda c, p: c.delete(KEYS["leases"])),
    "an index is lost": ("aging", lambda c, p: c.delete(KEYS["aging"])),
    "a worker is lost": ("does not serve", lambda c, p: c.delete(KEYS["workers"], KEYS["crew"])),
    "the token is lost": ("nobody is called", lambda c, p: c.delete(KEYS["wake"])),
    "a told job does not run": ("told to end", lambda c, p: c.sadd(KEYS["cancelled"], "x")),
    "a key is strange": ("unknown", lambda c, p: c.set(KEYS["other"], "1")),
    "a key will vanish": ("will vanish", lambda c, p: c.expire(KEYS["jobs"], 100)),
    "a key has another type": (
        "not a list",
        lambda c, p: (c.delete(KEYS["wake"]), c.set(KEYS["wake"], "")),
    ),
}


def _front(client: redis.Redis) -> str:
    return dump(client, "world").ids("front")[0]


@pytest.mark.parametrize("what", DAMAGES)
def test_damage_is_seen(what: str, pair: Pair, plain: redis.Redis) -> None:
    """A queue that is whole breaks no invariant; after a damage the right one is named."""
    words, damage = DAMAGES[what]
    assert invariants(plain, "world") == []

    damage(plain, pair)

    assert any(words in problem for problem in invariants(plain, "world"))


def test_a_difference_names_the_thing_and_both_values(pair: Pair, plain: redis.Redis) -> None:
    """Who reads a difference knows what to look at."""
    pair.model.jobs["x"].payload = b"other"

    found = differences(read_world(plain, "world"), model_world(pair.model))

    assert found == ["jobs.x.payload: the server has b'x', the model b'other'"]


def test_a_repeated_request_changes_nothing(pair: Pair, plain: redis.Redis) -> None:
    """The model's memory: the last request is answered again, older ones are refused."""
    model = pair.model
    before = model_world(model)
    seq = model.memory["w1"].seq

    again = model.send(pair.us, "release", [], None, lane="w1", seq=seq)
    late = model.send(pair.us, "push", [NewJob(b"late")], lane="w1", seq=seq - 1)

    assert (again, late) == (model.memory["w1"].answer, "superseded")
    assert differences(before, model_world(model)) == []

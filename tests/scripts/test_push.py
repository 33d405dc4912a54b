"""push.lua."""

import pytest
import redis

from limpet.commands import finish, manage
from limpet.commands.push import NewJob, push, push_any
from limpet.values import Pushed
from tests.scripts.helpers import HOUR, NOW, World, fence, jid, lease, receipts


def test_plain_jobs_wait_in_the_order_they_came(world: World) -> None:
    """The answer says where the ids begin, and that the queue is new."""
    reply, changed = world.step(push(world.keys, [NewJob(b"a"), NewJob(b"\x00"), NewJob(b"")]))

    assert reply == [b"range", 1, str(NOW).encode(), b"0", 3]
    assert changed == {
        "clock": {"ms": str(NOW), "seq": "3"},
        "jobs": {jid(1): "a", jid(2): "\x00", jid(3): ""},
        "waiting": [jid(1), jid(2), jid(3)],
        "wake": ["1"],
    }


def test_a_later_push_goes_behind(world: World) -> None:
    """Numbers go on, and one token for whoever waits is enough."""
    world.push(b"a")

    reply, changed = world.step(push(world.keys, [NewJob(b"b")]), at=NOW + 5)

    assert reply == [b"range", 0, str(NOW + 5).encode(), b"1", 1]
    assert changed == {
        "clock": {"ms": str(NOW + 5), "seq": "2"},
        "jobs": {jid(1): "a", jid(2, NOW + 5): "b"},
        "waiting": [jid(1), jid(2, NOW + 5)],
    }


def test_ids_do_not_go_back_with_the_clock_of_the_server(world: World) -> None:
    """A push after the server's clock was set back still gets a later id."""
    world.push(b"a")

    assert world.push(b"b", at=NOW - HOUR) == [jid(2)]


def test_a_chosen_id_is_kept_with_its_place(world: World) -> None:
    """Neither its time nor its place can be read from such an id, so both are noted."""
    reply, changed = world.step(push(world.keys, [NewJob(b"a", id="mine")]))

    assert reply == [b"pushed", 1, b"mine", b"created"]
    assert changed == {
        "clock": {"ms": str(NOW), "seq": "1"},
        "jobs": {"mine": "a"},
        "meta": {"mine": {"place": 1, "enqueued": NOW}},
        "waiting": ["mine 1"],
        "wake": ["1"],
    }


def test_an_id_that_is_there_is_not_pushed_again(world: World) -> None:
    """The job that has the id stays as it is; the push is counted as refused."""
    world.push(NewJob(b"a", id="mine"))

    reply, changed = world.step(push(world.keys, [NewJob(b"b", id="mine")]))

    assert reply == [b"pushed", 0, b"mine", b"kept"]
    assert changed == {"clock": {"ms": str(NOW), "seq": "2"}, "stats": {"refused": "1"}}


def test_jobs_for_the_front_are_served_first_and_in_their_order(world: World) -> None:
    """They get places below all others, the first of a batch the lowest."""
    world.push(b"a")

    jobs = [NewJob(b"b", front=True), NewJob(b"c"), NewJob(b"d", front=True)]
    reply, changed = world.step(push(world.keys, jobs))

    assert reply[2::2] == [jid(n).encode() for n in (2, 3, 4)]
    assert reply[3::2] == [b"created"] * 3
    assert changed == {
        "clock": {"ms": str(NOW), "seq": "4"},
        "front": {jid(2): -4, jid(4): -2},
        "jobs": {jid(1): "a", jid(2): "b", jid(3): "c", jid(4): "d"},
        "meta": {jid(2): {"place": -4}, jid(4): {"place": -2}},
        "waiting": [jid(1), jid(3)],
    }


@pytest.mark.parametrize("how", [{"delay_ms": 500}, {"at_ms": NOW + 500}])
def test_a_job_for_later_is_scheduled(world: World, how: dict[str, int]) -> None:
    """A delay counts from the server's time; whoever waits is called to see the new due time."""
    reply, changed = world.step(push(world.keys, [NewJob(b"a", **how)]))

    assert reply == [b"pushed", 1, jid(1).encode(), b"created"]
    assert changed == {
        "clock": {"ms": str(NOW), "seq": "1"},
        "jobs": {jid(1): "a"},
        "scheduled": {jid(1): NOW + 500},
        "wake": ["1"],
    }


@pytest.mark.parametrize("how", [{"delay_ms": 0}, {"at_ms": NOW}, {"at_ms": 5}])
def test_a_time_that_has_come_means_now(world: World, how: dict[str, int]) -> None:
    """Such a job waits like any other."""
    _, changed = world.step(push(world.keys, [NewJob(b"a", **how)]))

    assert changed["waiting"] == [jid(1)]
    assert "scheduled" not in changed


@pytest.mark.parametrize("mode", ["waiting", "running"])
def test_a_unique_job_marks_its_key(world: World, mode: str) -> None:
    """The mark names the job that holds it."""
    reply, changed = world.step(push(world.keys, [NewJob(b"a", unique=b"=\xff", mode=mode)]))

    assert reply == [b"pushed", 1, jid(1).encode(), b"created"]
    assert changed == {
        "clock": {"ms": str(NOW), "seq": "1"},
        "jobs": {jid(1): "a"},
        "meta": {jid(1): {"unique": "=\udcff", "mode": mode}},
        "unique": {"=\\xff": jid(1)},
        "waiting": [jid(1)],
        "wake": ["1"],
    }


def test_a_twin_is_refused_and_counted(world: World) -> None:
    """The answer names the job in its way."""
    world.push(NewJob(b"a", unique=b"=a", mode="waiting"))

    twins = [NewJob(b"b", unique=b"=a", mode="waiting"), NewJob(b"c", unique=b"=a", mode="running")]
    reply, changed = world.step(push(world.keys, twins))

    assert reply == [b"pushed", 0, jid(1).encode(), b"kept", jid(1).encode(), b"kept"]
    assert changed == {"clock": {"ms": str(NOW), "seq": "3"}, "stats": {"refused": "2"}}


def test_twins_in_one_batch_become_one_job(world: World) -> None:
    """Jobs are pushed from left to right, each seeing those before it."""
    how = {"unique": b"=a", "mode": "waiting"}
    answer = world.run(push(world.keys, [NewJob(b"a", **how), NewJob(b"x"), NewJob(b"a", **how)]))

    assert [(p.id, p.created) for p in answer.pushed] == [
        (jid(1), True),
        (jid(2), True),
        (jid(1), False),
    ]
    assert world.snapshot()["waiting"] == [jid(1), jid(2)]


def test_a_twin_can_replace_payload_and_time(world: World) -> None:
    """The scheduled job keeps its id; payload and due time become the newest."""
    world.push(NewJob(b"a", unique=b"=a", mode="waiting", delay_ms=100))

    twin = NewJob(b"b", unique=b"=a", mode="waiting", twin="replace", delay_ms=900)
    reply, changed = world.step(push(world.keys, [twin]))

    assert reply == [b"pushed", 0, jid(1).encode(), b"replaced"]
    assert changed == {
        "clock": {"ms": str(NOW), "seq": "2"},
        "jobs": {jid(1): "b"},
        "scheduled": {jid(1): NOW + 900},
    }


def test_replacing_a_waiting_twin_leaves_its_place(world: World) -> None:
    """A job that waits already is not put off by a later time."""
    world.push(NewJob(b"a", unique=b"=a", mode="waiting"), b"x")

    twin = NewJob(b"b", unique=b"=a", mode="waiting", twin="replace", delay_ms=900)
    reply, changed = world.step(push(world.keys, [twin]))

    assert reply == [b"pushed", 0, jid(1).encode(), b"replaced"]
    assert changed == {
        "clock": {"ms": str(NOW), "seq": "3"},
        "jobs": {jid(1): "b", jid(2): "x"},
    }


def test_a_running_twin_is_not_replaced(world: World) -> None:
    """Its worker has the payload already."""
    world.start()
    world.push(NewJob(b"a", unique=b"=a", mode="running"))
    world.pop()

    twin = NewJob(b"b", unique=b"=a", mode="running", twin="replace")
    reply, changed = world.step(push(world.keys, [twin]))

    assert reply == [b"pushed", 0, jid(1).encode(), b"kept"]
    assert changed.keys() == {"clock", "stats"}


def test_a_mark_of_a_job_that_is_gone_refuses_nobody(world: World) -> None:
    """Deleted by hand, it would refuse its payload for ever; the new job takes it over."""
    world.store.hset(world.keys["unique"], "=a", "9-9")

    reply, changed = world.step(push(world.keys, [NewJob(b"a", unique=b"=a", mode="waiting")]))

    assert reply == [b"pushed", 1, jid(1).encode(), b"created"]
    assert changed["unique"] == {"=a": jid(1)}


def test_a_lock_is_noted_and_asked_for_later(world: World) -> None:
    """Nothing is taken before the job runs."""
    _, changed = world.step(push(world.keys, [NewJob(b"a", lock=b"L", limit=3)]))

    assert changed["meta"] == {jid(1): {"lock": "L", "limit": 3}}
    assert "locks" not in changed


def test_a_paused_queue_takes_jobs_and_calls_nobody(world: World) -> None:
    """Pushes go on; there is no token to wake for."""
    world.run(manage.pause(world.keys))

    _, changed = world.step(push(world.keys, [NewJob(b"a")]))

    assert changed.keys() == {"clock", "jobs", "waiting"}


def test_a_dropped_queue_is_born_again(world: World) -> None:
    """Its numbers go on, and nothing expires any more."""
    world.push(b"a")
    world.run(manage.drop(world.keys), lane="lane")
    assert world.snapshot().keys() >= {"clock expires", "sessions expires", "lanes expires"}

    reply = world.send(push(world.keys, [NewJob(b"b")]))

    assert reply == [b"range", 1, str(NOW).encode(), b"1", 1]
    after = world.snapshot()
    assert after.keys() == {"clock", "sessions", "lanes", "jobs", "waiting", "wake"}
    assert "dropped" not in after["clock"]


def test_a_broken_job_fails_before_anything_is_written(world: World) -> None:
    """Also if good ones stand before it."""
    made = push(world.keys, [NewJob(b"a"), NewJob(b"b", id="x")])
    args = (*made.args[:3], b"{", made.args[4])
    broken = type(made)(made.script, made.keys, args, made.read, made.queue)

    with pytest.raises(redis.ResponseError):
        world.send(broken)

    assert world.snapshot() == {}


def test_ids_are_read_from_both_kinds_of_answer(world: World) -> None:
    """A range of plain ids and a list of ids with what became of them."""
    plain = world.run(push_any(world.keys, [NewJob(b"a"), b"b"]))
    mixed = world.run(push_any(world.keys, [b"c", NewJob(b"d", id="mine")]))

    assert plain.born
    assert not mixed.born
    assert plain.pushed == [Pushed("q", jid(1)), Pushed("q", jid(2))]
    assert mixed.pushed == [Pushed("q", jid(3)), Pushed("q", "mine")]


def test_a_chosen_id_can_be_used_again_once_its_job_ended(world: World) -> None:
    """It is a new job at the end of the line."""
    world.start()
    world.push(NewJob(b"a", id="mine"))
    world.ack(*world.pop())

    _, changed = world.step(push(world.keys, [NewJob(b"b", id="mine")]))

    assert changed["waiting"] == ["mine 2"]
    assert finish.settled(receipts(*world.pop()), frozenset()) == ["mine"]
    assert world.snapshot()["leases"] == {fence(1): lease("w1", "mine")}

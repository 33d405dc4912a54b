"""pop.lua."""

from limpet.commands import manage, workers
from limpet.commands.base import Command
from limpet.commands.push import NewJob
from limpet.commands.take import Burden, Taken, Taker, pop
from limpet.keys import QueueKeys
from limpet.values import Delivery, Receipt
from tests.scripts.helpers import NOW, World, fence, jid, lease, parked

CLOCK = {"ms": str(NOW), "seen": str(NOW), "stride": "4500", "tick": "0"}


def taking(
    keys: QueueKeys, count: int = 1, worker: str = "w1", burden: Burden = "none", limit: int = 3
) -> Command[Taken]:
    """Ask for jobs, what is due having been brought in."""
    return pop(keys, Taker(worker, burden, limit), count, tended=True)


def test_jobs_are_handed_out_in_order_under_one_fence(world: World) -> None:
    """The hand-out is kept by age and by worker; the token stays as long as somebody waits."""
    world.start()
    world.push(b"a", b"b", b"c")

    reply, changed = world.step(taking(world.keys, 2))

    ids = [jid(1).encode(), jid(2).encode()]
    assert reply == [b"popped", [fence().encode(), NOW, ids, [b"a", b"b"], []], -1, 0, 0]
    assert changed == {
        "aging": {fence(): float(fence())},
        "clock": CLOCK | {"seq": "3", "fence": fence()},
        "held": {f"2:w1|{fence()}": 0},
        "leases": {fence(): lease("w1", jid(1), jid(2))},
        "running": {jid(1): fence(), jid(2): fence()},
        "waiting": [jid(3)],
    }


def test_the_last_job_takes_the_token_along(world: World) -> None:
    """Nobody needs to wake when nothing waits."""
    world.start()
    world.push(b"a")

    _, changed = world.step(taking(world.keys, 5))

    assert changed["wake"] is None
    assert changed["waiting"] is None


def test_the_fence_only_grows(world: World) -> None:
    """Even if the server's clock goes back."""
    world.start()
    world.push(b"a", b"b")

    (first,) = world.pop(at=NOW)
    (second,) = world.pop(at=NOW - 5000)

    assert second.fence == first.fence + 1


def test_what_is_answered_about_a_delivery(world: World) -> None:
    """Times, counts and the receipt; facts that are not plain come along."""
    world.start()
    world.push(NewJob(b"\x00", id="mine", lock=b"\xff"), at=NOW - 7)

    assert world.pop() == [
        Delivery(
            "q", "mine", b"\x00", Receipt("mine", int(fence())), NOW - 7, NOW, NOW, lock=b"\xff"
        )
    ]


def test_an_empty_queue_answers_none(world: World) -> None:
    """Nothing changes but the clock of leases."""
    world.start()

    reply, changed = world.step(taking(world.keys), at=NOW + 10)

    assert reply == [b"none", -1, 0, 0]
    assert changed == {"clock": {"stride": "4500", "seen": str(NOW + 10), "tick": "10"}}


def test_the_next_due_time_is_told(world: World) -> None:
    """In milliseconds from now; a due job that nobody brought in counts as zero."""
    world.start()
    world.push(NewJob(b"a", delay_ms=300))

    assert world.send(taking(world.keys)) == [b"none", 300, 0, 0]
    assert world.send(taking(world.keys), at=NOW + 400) == [b"none", 0, 0, 0]


def test_due_jobs_and_dead_workers_come_first(world: World) -> None:
    """Whoever has not kept house yet is asked to; nothing is taken."""
    world.start()
    world.push(b"a", NewJob(b"b", delay_ms=300))
    ask = pop(world.keys, Taker("w1", "none", 3), 1)

    reply, changed = world.step(ask, at=NOW + 300)

    assert reply == [b"tend"]
    assert changed.keys() == {"clock"}
    world.store.delete(world.keys["scheduled"])
    world.run(workers.fail_worker(world.keys, "w1"))
    world.start("w2")
    assert world.send(pop(world.keys, Taker("w2", "none", 3), 1)) == [b"tend"]
    assert world.run(pop(world.keys, Taker("w2", "none", 3), 1)) == Taken(tend=True)


def test_a_paused_queue_hands_nothing_out(world: World) -> None:
    """Only its clock of leases goes on."""
    world.start()
    world.push(b"a")
    world.run(manage.pause(world.keys))

    reply, changed = world.step(taking(world.keys), at=NOW + 1)

    assert reply == [b"paused"]
    assert changed.keys() == {"clock"}


def test_an_unknown_and_a_dead_worker_are_told_so(world: World) -> None:
    """They get nothing, and nobody's lease is renewed."""
    world.start()
    world.push(b"a")

    assert world.step(taking(world.keys, worker="stranger")) == ([b"lost"], {})
    world.run(workers.fail_worker(world.keys, "w1"))
    assert world.step(taking(world.keys)) == ([b"lost"], {})


def test_a_slow_worker_that_nobody_declared_dead_lives(world: World) -> None:
    """Its call renews the lease that had ended."""
    world.start()
    world.push(b"a")
    world.store.hset(world.keys["clock"], "tick", 20_000)

    reply, changed = world.step(taking(world.keys))

    assert reply[0] == b"popped"
    assert changed["workers"] == {"w1": 30_000}


def test_ids_of_removed_jobs_are_passed_over(world: World) -> None:
    """They are counted down, and do not use up the count asked for."""
    world.start()
    world.push(b"a", b"b", b"c", b"d", NewJob(b"e", id="mine"))
    world.run(manage.cancel(world.keys, [jid(2), jid(3)], None))

    reply, changed = world.step(taking(world.keys, 3))

    assert reply[1][2] == [jid(1).encode(), jid(4).encode(), b"mine"]
    assert changed["stats"] == {"cancelled": "2", "ghosts": "0"}


def test_an_old_entry_of_a_chosen_id_is_passed_over(world: World) -> None:
    """A job pushed again under an id stands at its new place, not at that of the cancelled one."""
    world.start()
    world.push(b"a", NewJob(b"old", id="mine"), b"b")
    world.run(manage.cancel(world.keys, ["mine"], None))
    world.push(NewJob(b"new", id="mine"))

    assert [d.payload for d in world.pop(9)] == [b"a", b"b", b"new"]
    assert world.stats().waiting == 0


def test_nonsense_in_the_line_is_passed_over(world: World) -> None:
    """Whatever was written there by hand blocks nobody."""
    world.start()
    world.push(NewJob(b"a", id="mine"), b"b")
    world.store.lpush(world.keys["waiting"], "", " ", "a b c", "mine 7", f"{jid(2)} 9")

    assert [d.payload for d in world.pop(9)] == [b"a", b"b"]


def test_the_front_is_served_before_the_line(world: World) -> None:
    """In the order of places."""
    world.start()
    world.push(b"a", NewJob(b"b", front=True), NewJob(b"c", front=True))

    reply, changed = world.step(taking(world.keys, 3))

    assert reply[1][3] == [b"b", b"c", b"a"]
    assert changed["front"] is None


def test_unique_until_popped_frees_its_key(world: World) -> None:
    """A twin may be pushed while it runs; its facts stay."""
    world.start()
    world.push(NewJob(b"a", unique=b"=a", mode="waiting"))

    _, changed = world.step(taking(world.keys))

    assert changed["unique"] is None
    assert "meta" not in changed


def test_unique_until_ended_keeps_its_key(world: World) -> None:
    """No twin may be pushed before it ended."""
    world.start()
    world.push(NewJob(b"a", unique=b"=a", mode="running"))

    _, changed = world.step(taking(world.keys))

    assert "unique" not in changed


def test_a_lock_is_taken_and_the_next_one_parked(world: World) -> None:
    """In the same step; jobs behind are served."""
    world.start()
    world.push(NewJob(b"a", lock=b"L"), NewJob(b"b", lock=b"L"), b"c")

    reply, changed = world.step(taking(world.keys, 2))

    assert reply[1][3] == [b"a", b"c"]
    assert changed["locks"] == {f"1:L|{jid(1)}": 0}
    assert changed["parked"] == {parked("L", 2, jid(2)): 0}
    assert changed["waiting"] is None


def test_a_lock_with_a_limit_is_shared_by_so_many(world: World) -> None:
    """The one beyond the limit is parked; locks that begin alike are different ones."""
    world.start()
    world.push(*[NewJob(b"a", lock=b"L", limit=2) for _ in range(3)], NewJob(b"b", lock=b"L1"))

    reply, changed = world.step(taking(world.keys, 9))

    assert len(reply[1][2]) == 3
    assert changed["locks"] == {
        f"1:L|{jid(1)}": 0,
        f"1:L|{jid(2)}": 0,
        f"2:L1|{jid(4)}": 0,
    }
    assert changed["parked"] == {parked("L", 3, jid(3)): 0}


def test_a_parked_unique_job_keeps_its_key(world: World) -> None:
    """It was not popped."""
    world.start()
    how = {"lock": b"L", "mode": "waiting"}
    world.push(NewJob(b"a", unique=b"=a", **how), NewJob(b"b", unique=b"=b", **how))

    _, changed = world.step(taking(world.keys, 2))

    assert changed["unique"] == {"=b": jid(2)}


def test_a_call_looks_at_a_bounded_number_of_jobs(world: World) -> None:
    """With only parked ones found it says that there is more to be had at once."""
    world.start()
    world.push(NewJob(b"a", lock=b"L"))
    world.pop()
    world.push(*[NewJob(b"b", lock=b"L") for _ in range(150)])

    reply = world.send(taking(world.keys))

    assert reply == [b"none", -1, 1, 0]
    assert world.stats().parked == 100
    assert world.snapshot()["wake"] == ["1"]


def test_a_suspect_is_served_first_and_put_on_trial(world: World) -> None:
    """The worker is noted, and gets other jobs beside it."""
    world.push(b"suspect")
    world.start("gone")
    world.pop(1, "gone")
    world.crash("gone")
    world.start()
    world.push(b"a")

    reply, changed = world.step(taking(world.keys, 2))

    assert reply[1][3] == [b"suspect", b"a"]
    assert changed["suspects"] is None
    assert changed["trials"] == {f"2:w1|{jid(1)}": 0}


def test_a_worker_on_trial_gets_no_second_suspect(world: World) -> None:
    """Nor does one that says it runs a suspect of another queue."""
    world.push(b"one", b"two")
    world.start("gone")
    world.pop(2, "gone")
    world.crash("gone")
    world.start()
    world.push(b"a", b"b")

    assert [d.payload for d in world.pop(1)] == [b"one"]
    assert [d.payload for d in world.pop(1)] == [b"a"]
    world.start("w2")
    assert [d.payload for d in world.pop(1, "w2", "suspect")] == [b"b"]
    assert [d.payload for d in world.pop(1, "w2")] == [b"two"]


def last_chance(world: World) -> None:
    """Push one job whose worker died twice."""
    world.push(b"poison")
    for _ in range(2):
        world.start("gone")
        world.pop(1, "gone")
        world.crash("gone")


def test_the_last_chance_runs_alone(world: World) -> None:
    """An idle worker gets it and nothing besides, now and while it runs."""
    last_chance(world)
    world.start()
    world.push(b"a")

    reply, changed = world.step(taking(world.keys, 5))

    assert reply[1][3] == [b"poison"]
    assert reply[2:] == [-1, 0, 0]
    assert changed["trials"] == {f"2:w1|{jid(1)}": 0}
    assert world.send(taking(world.keys, 5)) == [b"none", -1, 0, 1]
    assert world.send(taking(world.keys, 5, burden="alone")) == [b"none", -1, 0, 1]


def test_a_busy_worker_books_the_last_chance_and_runs_empty(world: World) -> None:
    """Until then it gets nothing; others go on with other jobs."""
    last_chance(world)
    world.start()
    world.start("w2")
    world.push(b"a", b"b")
    world.store.zrem(world.keys["suspects"], jid(1))
    (busy,) = world.pop()
    world.store.zadd(world.keys["suspects"], {jid(1): 1})

    reply, changed = world.step(taking(world.keys, 5))

    assert reply == [b"none", -1, 0, 1]
    assert changed == {
        "meta": {jid(1): {"crashes": 2, "deliveries": 2, "started": NOW, "booked": "w1"}}
    }
    assert [d.payload for d in world.pop(5, "w2", "plain")] == [b"b"]
    world.ack(busy)
    assert [d.payload for d in world.pop(5)] == [b"poison"]


def test_a_worker_busy_elsewhere_is_not_idle(world: World) -> None:
    """It books the last chance although it holds nothing of this queue."""
    last_chance(world)
    world.start()

    assert world.send(taking(world.keys, burden="plain")) == [b"none", -1, 0, 1]
    assert world.facts(jid(1))["booked"] == "w1"


def test_a_booking_ends_with_its_worker(world: World) -> None:
    """Once that is gone, another may book."""
    last_chance(world)
    world.start()
    world.start("w2")
    world.take(1, "w1", "plain")

    assert not world.take(1, "w2", "plain").draining
    world.crash("w1")
    assert world.take(1, "w2", "plain").draining
    assert world.facts(jid(1))["booked"] == "w2"


def test_without_a_limit_of_crashes_nobody_runs_alone(world: World) -> None:
    """A suspect of such a queue has no last chance."""
    last_chance(world)
    world.start()
    world.push(b"a")

    reply = world.send(taking(world.keys, 5, limit=0))

    assert reply[1][3] == [b"poison", b"a"]


def test_a_suspect_whose_lock_is_held_is_parked(world: World) -> None:
    """It does not count as a trial, and comes back to its own line."""
    world.push(NewJob(b"suspect", lock=b"L"), NewJob(b"a", lock=b"L"))
    world.start("gone")
    world.pop(1, "gone")
    world.crash("gone")
    world.start()
    (holder,) = world.pop(1, "w1", "suspect")

    reply, changed = world.step(taking(world.keys, 5))

    assert reply == [b"none", -1, 0, 0]
    assert changed["parked"] == {parked("L", 1, jid(1)): 0}
    assert "trials" not in changed
    world.ack(holder)
    assert world.snapshot()["suspects"] == {jid(1): 1}


def test_the_same_request_gets_the_same_hand_out(world: World) -> None:
    """Also after other senders took more, and it shows what still runs of it."""
    world.start()
    world.push(b"a", b"b", b"c")
    first = world.send(taking(world.keys, 2), lane="l", seq=5)
    (other,) = world.pop()

    again, changed = world.step(taking(world.keys, 2), lane="l", seq=5, at=NOW + 9999)

    assert again == first
    assert changed == {}
    world.ack(Delivery("q", jid(1), b"", Receipt(jid(1), int(fence())), 0, 0, 0), other)
    again = world.send(taking(world.keys, 2), lane="l", seq=5)
    assert again[1][2:] == [[jid(2).encode()], [b"b"], []]


def test_an_older_request_of_the_same_sender_does_nothing(world: World) -> None:
    """It is a late copy: the sender went on long ago."""
    world.start()
    world.push(b"a", b"b")
    world.send(taking(world.keys), lane="l", seq=5)

    assert world.step(taking(world.keys), lane="l", seq=4) == ([b"superseded"], {})

"""verify.lua and repair.lua: every kind of damage is named, mended, and no job is lost."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
import redis

from limpet.commands import audit as commands
from limpet.commands import manage, workers
from limpet.flows import audit
from limpet.flows.base import Flow
from limpet.values import Problem, Report
from tests.scripts.helpers import NOW, World
from tests.scripts.scenes import LOCK, Scene, drain, full

GROUP = b"%d:%b|" % (len(LOCK), LOCK)


@dataclass(frozen=True)
class Hands:
    """What somebody needs to damage a queue by hand."""

    store: redis.Redis
    world: World
    scene: Scene

    def key(self, name: str) -> str:
        """Name a key in full."""
        return self.world.keys[name]

    def fence(self, name: str) -> int:
        """Give the number under which a job runs."""
        return self.scene.running[name].fence

    def parked(self, name: str, place: int) -> bytes:
        """Give the member of a parked job."""
        return GROUP + b"%016d" % (place + 4503599627370496) + self.scene[name].encode()


Break = Callable[[Hands], object]
DAMAGE: list[tuple[str, str, Break]] = []


def note(kind: str, name: str, how: Break) -> None:
    """Note a way to damage the full queue, and the kind of problem that it is."""
    DAMAGE.append((kind, name, how))


def damage(kind: str) -> Callable[[Break], Break]:
    """Note a function that damages the full queue."""

    def noted(how: Break) -> Break:
        note(kind, how.__name__.strip("_").replace("_", " "), how)
        return how

    return noted


def forget(kind: str, key: str, *names: str) -> None:
    """Note the damage that jobs vanish from a sorted set."""
    for name in names:
        note(kind, f"{name} out of {key}", lambda h, n=name: h.store.zrem(h.key(key), h.scene[n]))


def double(kind: str, key: str, *names: str) -> None:
    """Note the damage that jobs get a second place in a sorted set."""
    for name in names:
        second: Break = lambda h, n=name: h.store.zadd(h.key(key), {h.scene[n]: 3})  # noqa: E731
        note(kind, f"{name} also in {key}", second)


forget("job in no place", "front", "released", "front")
forget("job in no place", "suspects", "suspect")
forget("job in no place", "scheduled", "later")
forget("job in no place", "dead", "dead")
double("job in two places", "scheduled", "dead", "single", "released", "suspect", "waiting")
double("job in two places", "dead", "second", "later", "front", "parked", "own")
double("job in two places", "front", "tried", "dead", "later", "suspect", "parked", "unique")
double("job in two places", "suspects", "holder", "locked", "own", "also parked")


#: What is wrong when a whole key is gone.
EMPTIED = {
    "waiting": "job in no place",
    "front": "job in no place",
    "suspects": "job in no place",
    "scheduled": "job in no place",
    "parked": "job in no place",
    "dead": "job in no place",
    "running": "job in no place",
    "leases": "delivery without a lease",
    "left": "wrong rest of a lease",
    "aging": "lease not indexed",
    "held": "lease not indexed",
    "unique": "missing unique mark",
    "locks": "lock not noted",
    "trials": "trial not noted",
    "workers": "record of no worker",
    "crew": "worker without a record",
    "clock": "clock behind",
    "stats": "wrong count of ghosts",
    "schedules": "time of no schedule",
    "firing": "schedule that never fires",
    "lanes": "session never forgotten",
    "wake": "no wake-up",
}
for emptied, its_kind in EMPTIED.items():
    note(its_kind, f"no {emptied}", lambda h, k=emptied: h.store.delete(h.key(k)))


@damage("job in no place")
def _out_of_the_line(h: Hands) -> None:
    assert h.store.lrem(h.key("waiting"), 1, h.scene["waiting"]) == 1


@damage("job in no place")
def _own_id_out_of_the_line(h: Hands) -> None:
    assert h.store.lrem(h.key("waiting"), 1, "my-own 18") == 1


@damage("job in no place")
def _unparked_and_lost(h: Hands) -> None:
    assert h.store.zrem(h.key("parked"), h.parked("parked", 5)) == 1


@damage("job in no place")
def _not_running_any_more(h: Hands) -> None:
    assert h.store.hdel(h.key("running"), h.scene["second"]) == 1


@damage("wrong rest of a lease")
def _one_of_a_lease_not_running(h: Hands) -> None:
    assert h.store.hdel(h.key("running"), h.scene["second"]) == 1


@damage("lease of no delivery")
def _the_only_one_of_a_lease_not_running(h: Hands) -> None:
    assert h.store.hdel(h.key("running"), h.scene["single"]) == 1


@damage("job in two places")
def _running_and_waiting(h: Hands) -> None:
    h.store.lpush(h.key("waiting"), h.scene["second"])


@damage("job in two places")
def _parked_and_waiting(h: Hands) -> None:
    h.store.rpush(h.key("waiting"), "my-parked 6")


@damage("job twice in line")
def _twice_in_line(h: Hands) -> None:
    h.store.rpush(h.key("waiting"), h.scene["waiting"], h.scene["waiting"])


@damage("job twice in line")
def _next_to_itself_in_line(h: Hands) -> None:
    h.store.linsert(h.key("waiting"), "BEFORE", h.scene["waiting"], h.scene["waiting"])


@damage("job twice in line")
def _own_id_twice_in_line(h: Hands) -> None:
    h.store.lpush(h.key("waiting"), "my-own 18", "my-own")


@damage("unreadable entry")
def _nonsense_in_line(h: Hands) -> None:
    h.store.lpush(h.key("waiting"), "", " ", "a b c")


@damage("unreadable entry")
def _own_id_with_another_spelling_of_its_place(h: Hands) -> None:
    h.store.lset(h.key("waiting"), 2, "my-own 18.0")


@damage("wrong count of ghosts")
def _a_ghost_nobody_counted(h: Hands) -> None:
    h.store.rpush(h.key("waiting"), "1-1")


@damage("wrong count of ghosts")
def _more_ghosts_than_there_are(h: Hands) -> None:
    h.store.hset(h.key("stats"), "ghosts", 4)


@damage("wrong count of ghosts")
def _a_job_that_waits_without_payload(h: Hands) -> None:
    assert h.store.hdel(h.key("jobs"), h.scene["waiting"]) == 1


#: What is wrong when the payload of a job is gone.
UNPAID = {
    "dead": "entry of no job",
    "suspect": "entry of no job",
    "tried": "entry of no job",
    "holder": "entry of no job",
    "parked": "entry of no job",
    "single": "stray unique mark",
    "second": "entry of no job",
    "third": "entry of no job",
    "front": "entry of no job",
    "released": "facts of no job",
    "later": "entry of no job",
    "own": "facts of no job",
    "unique": "stray unique mark",
}
for unpaid, its_kind in UNPAID.items():
    note(
        its_kind,
        f"no payload of {unpaid}",
        lambda h, n=unpaid: h.store.hdel(h.key("jobs"), h.scene[n]),
    )


@damage("entry of no job")
def _strangers_everywhere(h: Hands) -> None:
    for key in ("front", "suspects", "scheduled", "dead", "parked", "locks", "trials", "held"):
        h.store.zadd(h.key(key), {"9-9": 1, "": 2, "3:abc": 3, "x:y|z": 4, GROUP + b"q": 0})
    h.store.hset(h.key("running"), mapping={"9-9": 7, "": "", "x": "nonsense"})
    h.store.sadd(h.key("cancelled"), "9-9", "")
    h.store.zadd(h.key("aging"), {"nonsense": 4, "5": 5})
    h.store.hset(h.key("left"), mapping={"nonsense": "x", "5": 5})


@damage("job in no place")
def _a_payload_from_nowhere(h: Hands) -> None:
    h.store.hset(h.key("jobs"), f"{NOW}-99", "from nowhere")
    h.scene.ids["from nowhere"] = f"{NOW}-99"


@damage("job at a wrong place")
def _a_suspect_in_the_front(h: Hands) -> None:
    h.store.zrem(h.key("suspects"), h.scene["suspect"])
    h.store.zadd(h.key("front"), {h.scene["suspect"]: 3})


@damage("job at a wrong place")
def _an_innocent_among_suspects(h: Hands) -> None:
    h.store.zrem(h.key("front"), h.scene["released"])
    h.store.zadd(h.key("suspects"), {h.scene["released"]: 11})


@damage("job at a wrong place")
def _out_of_turn(h: Hands) -> None:
    h.store.zadd(h.key("front"), {h.scene["front"]: 77})


@damage("job at a wrong place")
def _parked_under_another_lock(h: Hands) -> None:
    member = h.parked("parked", 5)
    h.store.zrem(h.key("parked"), member)
    h.store.zadd(h.key("parked"), {b"1:x|" + member[len(GROUP) :]: 0})


@damage("job at a wrong place")
def _parked_with_a_score(h: Hands) -> None:
    h.store.zadd(h.key("parked"), {h.parked("parked", 5): 5})


@damage("schedule that never fires")
def _a_schedule_for_never(h: Hands) -> None:
    h.store.zadd(h.key("firing"), {"tick": "inf"})


@damage("schedule that never fires")
def _a_schedule_before_all_times(h: Hands) -> None:
    h.store.zadd(h.key("firing"), {"tick": "-inf"})


@damage("unreadable schedule")
def _a_torn_schedule(h: Hands) -> None:
    h.store.hset(h.key("schedules"), mapping={"tick": "- {torn", "": "x"})


@damage("time of no schedule")
def _a_time_of_nothing(h: Hands) -> None:
    h.store.zadd(h.key("firing"), {"gone": NOW})


@damage("never due")
def _scheduled_for_never(h: Hands) -> None:
    h.store.zadd(h.key("scheduled"), {h.scene["later"]: "inf"})


@damage("delivery without a lease")
def _a_torn_lease(h: Hands) -> None:
    h.store.hset(h.key("leases"), str(h.fence("second")), "w1 torn")


@damage("delivery without a lease")
def _a_lease_that_does_not_list_its_job(h: Hands) -> None:
    h.store.hset(h.key("leases"), str(h.fence("second")), f"w1 {NOW} 1 {h.scene['third']}")


@damage("delivery without a lease")
def _a_fence_that_is_none(h: Hands) -> None:
    h.store.hset(h.key("running"), h.scene["holder"], "nonsense")


@damage("lease of no delivery")
def _a_lease_that_is_over(h: Hands) -> None:
    h.store.hset(h.key("leases"), "77", f"w1 {NOW} 1 9-9")


@damage("lease of no delivery")
def _a_lease_that_says_nothing(h: Hands) -> None:
    h.store.hset(h.key("leases"), mapping={"77": "", "nonsense": f"w1 {NOW} 1 9-9"})


@damage("lease of no worker")
def _a_lease_of_a_stranger(h: Hands) -> None:
    h.store.zrem(h.key("workers"), "w1")
    h.store.hdel(h.key("crew"), "w1")


@damage("wrong rest of a lease")
def _too_few_left(h: Hands) -> None:
    h.store.hset(h.key("left"), str(h.fence("second")), 1)


@damage("wrong rest of a lease")
def _too_many_left(h: Hands) -> None:
    h.store.hset(h.key("left"), str(h.fence("single")), 5)


@damage("wrong rest of a lease")
def _nonsense_left(h: Hands) -> None:
    h.store.hset(h.key("left"), str(h.fence("single")), "x")


@damage("note of no lease")
def _left_of_nothing(h: Hands) -> None:
    h.store.hset(h.key("left"), "5", 5)


@damage("note of no lease")
def _aging_of_nothing(h: Hands) -> None:
    h.store.zadd(h.key("aging"), {"5": 5})


@damage("note of no lease")
def _held_by_another(h: Hands) -> None:
    h.store.zadd(h.key("held"), {f"2:w2|{h.fence('single')}": 0})


@damage("lease not indexed")
def _a_wrong_age(h: Hands) -> None:
    h.store.zadd(h.key("aging"), {str(h.fence("single")): 5})


@damage("lease not indexed")
def _held_with_a_score(h: Hands) -> None:
    h.store.zadd(h.key("held"), {f"2:w1|{h.fence('single')}": 5})


@damage("clock behind")
def _an_old_fence(h: Hands) -> None:
    h.store.hset(h.key("clock"), "fence", 5)


@damage("clock behind")
def _an_old_number(h: Hands) -> None:
    h.store.hset(h.key("clock"), "seq", 5)


@damage("unreadable clock")
def _a_torn_clock(h: Hands) -> None:
    broken = {"seq": "x", "fence": "", "tick": "-5", "seen": "soon", "ms": "1e9", "stride": 0}
    h.store.hset(h.key("clock"), mapping=broken)


@damage("clock too fast")
def _a_clock_that_jumps(h: Hands) -> None:
    h.store.hset(h.key("clock"), "stride", 999_999)


@damage("wrong end of a lease")
def _a_clock_that_starts_again(h: Hands) -> None:
    h.store.zadd(h.key("workers"), {"w1": 99_999_999})


@damage("wrong end of a lease")
def _a_lease_for_ever_that_was_not_asked_for(h: Hands) -> None:
    h.store.zadd(h.key("workers"), {"w1": "inf"})


@damage("wrong end of a lease")
def _a_lease_for_ever_that_ends(h: Hands) -> None:
    h.store.zadd(h.key("workers"), {"forever": 5})


@damage("worker without a record")
def _a_torn_record(h: Hands) -> None:
    h.store.hset(h.key("crew"), mapping={"w1": "{", "w2": "[]", "forever": '{"lease_ms":"x"}'})


@damage("record of no worker")
def _a_worker_taken_off_the_list(h: Hands) -> None:
    h.store.zrem(h.key("workers"), "w2")


@damage("stray unique mark")
def _a_mark_of_nobody(h: Hands) -> None:
    h.store.hset(h.key("unique"), "=nobody", "9-9")


@damage("stray unique mark")
def _a_mark_of_a_dead_job(h: Hands) -> None:
    h.store.hset(h.key("unique"), "=dead", h.scene["dead"])


@damage("stray unique mark")
def _a_mark_kept_while_running(h: Hands) -> None:
    h.store.hset(h.key("unique"), "=holder", h.scene["holder"])


@damage("stray unique mark")
def _marks_of_jobs_that_claim_none_or_another(h: Hands) -> None:
    h.store.hset(h.key("unique"), mapping={"=x": h.scene["waiting"], "=y": h.scene["unique"]})


@damage("stray unique mark")
def _a_mark_turned_to_a_stranger(h: Hands) -> None:
    h.store.hset(h.key("unique"), "=unique", h.scene["waiting"])


@damage("missing unique mark")
def _unmarked(h: Hands) -> None:
    h.store.hdel(h.key("unique"), "=single", "=later", "=parked")


@damage("lock not noted")
def _unlocked(h: Hands) -> None:
    h.store.zrem(h.key("locks"), GROUP + h.scene["holder"].encode())


@damage("stray lock")
def _a_lock_of_one_that_does_not_run(h: Hands) -> None:
    h.store.zadd(h.key("locks"), {b"4:free|" + h.scene["locked"].encode(): 0})


@damage("stray lock")
def _a_lock_of_one_that_wants_none(h: Hands) -> None:
    h.store.zadd(h.key("locks"), {b"4:free|" + h.scene["single"].encode(): 0})


@damage("stray lock")
def _a_lock_with_a_score(h: Hands) -> None:
    h.store.zadd(h.key("locks"), {GROUP + h.scene["holder"].encode(): 5})


@damage("free lock with nobody called")
def _parked_behind_a_free_lock(h: Hands) -> None:
    h.store.zrem(h.key("locks"), GROUP + h.scene["holder"].encode())
    h.store.hdel(h.key("meta"), h.scene["holder"])


@damage("stray trial")
def _a_trial_of_one_that_does_not_run(h: Hands) -> None:
    h.store.zadd(h.key("trials"), {f"2:w1|{h.scene['suspect']}": 0})


@damage("stray trial")
def _a_trial_of_an_innocent(h: Hands) -> None:
    h.store.zadd(h.key("trials"), {f"2:w1|{h.scene['single']}": 0})


@damage("stray trial")
def _a_trial_elsewhere(h: Hands) -> None:
    h.store.zadd(h.key("trials"), {f"2:w1|{h.scene['tried']}": 0})


@damage("stray trial")
def _a_trial_with_a_score(h: Hands) -> None:
    h.store.zadd(h.key("trials"), {f"2:w2|{h.scene['tried']}": 5})


@damage("stray cancel mark")
def _told_though_it_does_not_run(h: Hands) -> None:
    h.store.sadd(h.key("cancelled"), h.scene["waiting"], h.scene["later"], "9-9")


@damage("facts of no job")
def _facts_of_nobody(h: Hands) -> None:
    h.store.hset(h.key("meta"), mapping={"9-9": "{}", "9-8": "nonsense"})


@damage("unreadable facts")
def _torn_facts(h: Hands) -> None:
    torn = ("tried", "parked", "also parked", "single", "released", "front", "own", "unique")
    h.store.hset(h.key("meta"), mapping={h.scene[name]: b'{"place":\xff' for name in torn})


@damage("unreadable facts")
def _facts_of_the_wrong_kind(h: Hands) -> None:
    wrong = {
        "waiting": b"[1, 2]",
        "second": b'{"place": 1.5, "crashes": -1, "limit": 0}',
        "locked": b'{"lock": 5, "unique": {}, "mode": "never", "booked": null}',
        "later": b'{"place": 1e300, "deliveries": "1", "mode": "waiting", "error": []}',
    }
    mapping = {h.scene[name]: raw for name, raw in wrong.items()}
    h.store.hset(h.key("meta"), mapping=mapping)


@damage("unreadable counter")
def _counters_that_do_not_count(h: Hands) -> None:
    broken = {"completed": "many", "failed": "-1", "merged": "1.5", "recovered": "9" * 30}
    h.store.hset(h.key("stats"), mapping={**broken, "ghosts": "few"})


@damage("unreadable session")
def _torn_sessions(h: Hands) -> None:
    torn = {"a": "nonsense", "b": "1 2 {", "c": "1 2 3", "d": ""}
    h.store.hset(h.key("sessions"), mapping=torn)


@damage("key that expires")
def _keys_that_expire(h: Hands) -> None:
    for key in ("jobs", "meta", "clock"):
        h.store.expire(h.key(key), 1000)


@damage("queue marked as dropped")
def _dropped_and_in_use(h: Hands) -> None:
    h.store.hset(h.key("clock"), "dropped", 1)
    h.store.expire(h.key("clock"), 1000)


def verify(world: World) -> Report:
    """Look; this must change nothing."""
    before = world.snapshot()
    report = world.drive(audit.verify(world.keys))
    assert world.snapshot() == before
    return report


def survivors(world: World, scene: Scene) -> set[str]:
    """Tell the jobs that must come out again: their payload is there and nobody cancelled them."""
    told = {i.decode() for i in world.store.smembers(world.keys["cancelled"])}
    there = {i.decode() for i in world.store.hkeys(world.keys["jobs"])}
    return there - (told & {scene["third"]})


def test_a_full_queue_is_found_in_order(world: World) -> None:
    """With something in every key there is no problem, and repairing changes nothing."""
    scene = full(world)
    before = world.snapshot()

    report = verify(world)
    repaired = world.drive(audit.repair(world.keys))

    assert report.ok
    assert repaired == report
    assert world.snapshot() == before
    assert drain(world) == dict.fromkeys(set(scene.ids.values()) - {scene["third"]}, 1)


@pytest.mark.parametrize(
    ("kind", "name", "how"), DAMAGE, ids=[f"{kind}: {name}" for kind, name, _ in DAMAGE]
)
def test_damage_is_named_and_mended(world: World, kind: str, name: str, how: Break) -> None:
    """Verify names it, repair mends it, then all is well and every job comes out exactly once."""
    scene = full(world)
    how(Hands(world.store, world, scene))
    expected = survivors(world, scene)

    found = verify(world)
    mended = world.drive(audit.repair(world.keys))

    assert kind in {problem.kind for problem in found.problems}
    assert mended.problems
    assert verify(world).problems == ()
    assert drain(world) == dict.fromkeys(expected, 1)
    assert not world.store.exists(world.keys["jobs"], world.keys["running"], world.keys["meta"])
    assert verify(world).problems == ()


def test_a_queue_that_is_not_there_has_no_problem(world: World) -> None:
    """Neither looking nor mending makes anything; nor does it to one that was dropped or paused."""
    assert verify(world).ok
    assert world.drive(audit.repair(world.keys)).ok
    assert world.snapshot() == {}

    full(world)
    world.run(manage.pause(world.keys))
    assert verify(world).ok
    world.run(manage.drop(world.keys), lane="l")
    assert verify(world).ok
    for worker in ("w1", "w2", "forever"):
        world.run(workers.stop_work(world.keys, worker))
    assert "clock expires" in world.snapshot()
    assert verify(world).ok


def test_a_token_taken_just_now_is_not_missing(world: World) -> None:
    """Whoever took it is on the way: it is a problem only if nothing has changed at the end."""
    world.start()
    world.push(b"a")
    world.store.delete(world.keys["wake"])
    seen = []

    def popping_early() -> Flow[Report]:
        flow = audit.verify(world.keys)
        seen.extend((yield next(flow)).problems)
        world.pop()
        return (yield from resumed(flow))

    assert world.drive(popping_early()).ok
    assert [problem.kind for problem in seen] == ["no wake-up"]


def resumed(flow: Flow[Report]) -> Flow[Report]:
    """Go on with a flow whose first step found the token missing."""
    answer: object = commands.Audited("0", (Problem("no wake-up", "wake"),), ())
    while True:
        try:
            command = flow.send(answer)
        except StopIteration as end:
            return end.value
        answer = yield command


def test_a_step_looks_at_a_bounded_number_of_jobs(world: World) -> None:
    """However long the line is."""
    world.push(*[b"%d" % n for n in range(3000)])
    sizes = []

    def steps() -> Flow[Report]:
        flow, answer = audit.verify(world.keys), None
        while True:
            try:
                command = flow.send(answer)
            except StopIteration as end:
                return end.value
            answer = yield command
            sizes.append(len(answer.hints))

    assert world.drive(steps()).ok
    assert sum(sizes) >= 6000
    assert max(sizes) < 600


def test_exact_looks_are_fewer_where_the_line_is_long(world: World) -> None:
    """Each of them costs a look at all of it; the answer says how many were made."""
    world.store.rpush(world.keys["waiting"], *["9-9"] * 30_000)
    subjects = tuple(b"1-%d" % n for n in range(50))

    for phase in ("nowhere", "repeated"):
        assert world.run(commands.verify(world.keys, phase, "0", subjects)).cursor == "6"
    world.store.delete(world.keys["waiting"])
    assert world.run(commands.verify(world.keys, "nowhere", "0", subjects)).cursor == "50"


def test_what_is_wrong_is_told_with_its_name(world: World) -> None:
    """Each problem once, bytes that are no text made readable; repair tells the same."""
    scene = full(world)
    world.store.zrem(world.keys["front"], scene["front"])
    world.store.hset(world.keys["unique"], b"=\xff", "9-9")

    expected = {Problem("job in no place", scene["front"]), Problem("stray unique mark", "=\\xff")}

    assert set(verify(world).problems) == expected
    assert set(world.drive(audit.repair(world.keys)).problems) == expected

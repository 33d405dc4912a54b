"""abandon.lua."""

from limpet.commands.base import Command
from limpet.commands.manage import cancel, pause
from limpet.commands.push import NewJob
from limpet.commands.take import Taken, Taker, claim, pop, recover
from limpet.commands.workers import abandon
from tests.scripts.helpers import NOW, World, fence, jid

REQUEST = {"lane": "l", "seq": 5}


def popping(world: World, count: int = 1) -> Command[Taken]:
    """Ask for jobs."""
    return pop(world.keys, Taker("w1", "none", 3), count, tended=True)


def test_jobs_of_a_lost_reply_go_back_to_their_place(world: World) -> None:
    """No crash is counted, and the request is remembered as abandoned."""
    world.start()
    world.push(b"a", b"b", b"c")
    world.send(popping(world, 2), **REQUEST)

    reply, changed = world.step(abandon(world.keys), **REQUEST, at=NOW + 3)

    assert reply == [b"abandoned", 2]
    assert changed == {
        **dict.fromkeys(("aging", "held", "leases", "running")),
        "front": {jid(1): 1, jid(2): 2},
        "meta": {jid(n): {"deliveries": 1, "started": NOW} for n in (1, 2)},
        "sessions": {"l": f'5 {NOW + 3} ["abandoned",2]'},
    }


def test_a_request_that_never_arrived_is_refused_when_it_does(world: World) -> None:
    """Nothing is handed out to somebody who does not listen."""
    world.start()
    world.push(b"a")

    reply, changed = world.step(abandon(world.keys), **REQUEST)
    late = world.step(popping(world), **REQUEST)

    assert reply == [b"abandoned", 0]
    assert changed == {"lanes": ["l"], "sessions": {"l": f'5 {NOW} ["abandoned",0]'}}
    assert late == ([b"abandoned", 0], {})


def test_a_request_that_was_followed_by_others_is_left(world: World) -> None:
    """Its sender got an answer and went on."""
    world.start()
    world.push(b"a")
    world.send(popping(world), lane="l", seq=6)

    assert world.step(abandon(world.keys), **REQUEST) == ([b"abandoned", 0], {})


def test_ended_jobs_of_the_request_do_not_come_back(world: World) -> None:
    """Only what still runs under its fence; a cancelled one ends."""
    world.start()
    world.push(b"a", b"b", b"c")
    taken = popping(world, 3).read(world.send(popping(world, 3), **REQUEST))
    world.ack(taken.deliveries[0])
    world.run(cancel(world.keys, [jid(2)], None))

    reply = world.send(abandon(world.keys), **REQUEST)

    assert reply == [b"abandoned", 2]
    after = world.snapshot()
    assert after["front"] == {jid(3): 3}
    assert after["stats"] == {"cancelled": "1", "completed": "1"}
    assert after["jobs"].keys() == {jid(3)}


def test_claim_and_recover_can_be_abandoned(world: World) -> None:
    """All that hands out can."""
    world.start()
    world.push(b"a")
    world.send(claim(world.keys, Taker("w1", "none", 3), 0, tended=True), lane="l", seq=1)
    assert world.send(abandon(world.keys), lane="l", seq=1) == [b"abandoned", 1]

    world.pop()
    world.send(recover(world.keys, "w1", 9, 0), lane="l", seq=2)
    assert world.send(abandon(world.keys), lane="l", seq=2) == [b"abandoned", 1]

    assert world.snapshot()["front"] == {jid(1): 1}
    assert world.facts(jid(1))["deliveries"] == 3


def test_locks_and_marks_are_set_right(world: World) -> None:
    """As with any release; a paused queue calls nobody."""
    world.start()
    world.push(NewJob(b"a", lock=b"L", unique=b"=a", mode="waiting"), NewJob(b"b", lock=b"L"))
    world.send(popping(world, 2), **REQUEST)
    world.run(pause(world.keys))

    _, changed = world.step(abandon(world.keys), **REQUEST)

    assert changed["front"] == {jid(1): 1, jid(2): 2}
    assert changed["unique"] == {"=a": jid(1)}
    assert (changed["locks"], changed["parked"]) == (None, None)
    assert "wake" not in changed


def test_abandoned_twice_is_abandoned_once(world: World) -> None:
    """The job may run again by then."""
    world.start()
    world.push(b"a")
    world.send(popping(world), **REQUEST)
    world.send(abandon(world.keys), **REQUEST)
    world.pop()

    assert world.step(abandon(world.keys), **REQUEST) == ([b"abandoned", 1], {})
    assert world.snapshot()["running"] == {jid(1): fence(1)}

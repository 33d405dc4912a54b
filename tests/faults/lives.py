"""A full life cycle of four jobs, always with the same requests, and what must come of it."""

from typing import Any

from limpet.scripts import all_scripts, script
from tests.support.servers import Server


def live(name: str, producer: Any, first: Any, second: Any) -> None:
    """Push, pop, ack, release, ack_and_pop, fail; every answer is what it must be.

    `deliveries` tells how often a job was handed out: a job that was started behind our back
    would show here.
    """
    pushing, one, two = (client.queue(name) for client in (producer, first, second))
    ids = [pushing.push(b"a").id, pushing.push(b"b", unique="running").id]
    ids += [pushed.id for pushed in pushing.push_many([b"c", b"d"])]

    a, b = one.pop(count=2)
    assert one.ack(a) == [a.id]
    assert one.release(b) == [b.id]
    (b_again,) = two.pop()
    acked, (c,) = two.ack_and_pop([b_again])
    assert two.fail(c, "no")
    (d,) = one.pop()
    assert one.ack(d) == [d.id]

    assert acked == [b.id]
    assert [a.id, b.id, c.id, d.id] == ids
    assert [j.deliveries for j in (a, b, b_again, c, d)] == [1, 1, 2, 1, 1]
    assert [j.crashes for j in (a, b, b_again, c, d)] == [0] * 5
    assert one.pop() == two.pop() == []


def check_rest(name: str, limpet: Any) -> None:
    """Nothing is left of the four jobs but numbers, and one dead job."""
    queue = limpet.queue(name)
    stats = queue.stats()
    assert (stats.completed, stats.failed, stats.dead) == (4, 1, 1)
    assert (stats.pending, stats.scheduled, stats.refused, stats.recovered) == (0, 0, 0, 0)
    assert queue.verify().ok


def load_scripts(server: Server) -> None:
    """Make all scripts known to the server, so that the number of requests is always the same."""
    with server.client() as plain:
        for name in all_scripts():
            plain.script_load(script(name).text)

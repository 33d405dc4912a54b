"""Every operation that changes something, each with what must be there before it.

`prepare` makes the state and answers what `act` needs; `act` is the operation under test. Time
stands still (`stage.link.at_us`), so the same operation has the same answer and leaves the same
keys behind, down to the last byte.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import redis

from limpet import Item

START_US = 1_800_000_000_000_000


@dataclass(frozen=True, slots=True)
class Stage:
    """A client, its queue, and the server behind it."""

    limpet: Any
    plain: redis.Redis

    @property
    def queue(self) -> Any:
        """The queue all operations work on."""
        return self.limpet.queue("q")

    @property
    def link(self) -> Any:
        """The wire of the client, of either flavour."""
        return getattr(self.limpet, "inner", self.limpet).link

    def later(self, seconds: int) -> None:
        """Let time pass."""
        self.link.at_us = str(int(self.link.at_us) + seconds * 1_000_000)

    def give_up(self) -> None:
        """Give back what nobody got."""
        inner, loop = getattr(self.limpet, "inner", None), getattr(self.limpet, "_loop", None)
        if inner is None or loop is None:
            self.limpet.link.settle()
        else:
            loop.run(inner.link.settle())


Prepare = Callable[[Stage], Any]
Act = Callable[[Stage, Any], Any]


def nothing(stage: Stage) -> None:
    """Start on an empty server."""


def two_waiting(stage: Stage) -> list[Any]:
    """Two plain jobs wait; answers what push said."""
    return stage.queue.push_many([b"a", b"b"])


def one_running(stage: Stage) -> Any:
    """One job runs, one waits; answers the delivery."""
    two_waiting(stage)
    return stage.queue.pop()[0]


def locked_running(stage: Stage) -> list[Any]:
    """Unique jobs that share a lock: one runs, one is parked; answers the deliveries."""
    items = [Item(b"a", unique="running", lock="k"), Item(b"b", unique="waiting", lock="k"), b"c"]
    stage.queue.push_many(items)
    return stage.queue.pop(count=3)


def twin_waiting(stage: Stage) -> Any:
    """A unique job waits."""
    return stage.queue.push(b"a", unique="waiting")


def due(stage: Stage) -> None:
    """A scheduled job is due and nobody has noticed yet."""
    stage.queue.push(b"later", delay=5)
    stage.limpet.start_work("q")
    stage.later(6)


def dead(stage: Stage) -> list[str]:
    """Two jobs are dead; answers their ids."""
    two_waiting(stage)
    return [d.id for d in stage.queue.pop(count=2) if stage.queue.fail(d, "no")]


def plain_list(stage: Stage) -> str:
    """A list of another program is there, a queue is not."""
    stage.plain.rpush("old", *[b"%d" % n for n in range(5)])
    return "old"


def paused(stage: Stage) -> None:
    """Jobs wait in a queue that hands nothing out."""
    two_waiting(stage)
    stage.queue.pause()


def lost_reply(stage: Stage) -> None:
    """A pop was carried out and nobody knows of it."""
    one_running(stage)
    lane = stage.link._lanes._free.pop()
    stage.link.unsettled.add("q", lane)


def lost_reader(stage: Stage) -> None:
    """A pop was answered and its reader is gone."""
    stage.link.unsettled.strand([one_running(stage)])


def taker(stage: Stage) -> None:
    """Two jobs wait, and the worker serves the queue already."""
    two_waiting(stage)
    stage.limpet.start_work("q")


def planned(stage: Stage) -> None:
    """A queue has a schedule."""
    stage.queue.schedule("hourly", b"h", every="1h")


OPERATIONS: dict[str, tuple[Prepare, Act]] = {
    "push": (nothing, lambda s, _: s.queue.push(b"a")),
    "push bytes": (two_waiting, lambda s, _: s.queue.push(b"\r\n$5\r\n\0*")),
    "push unique": (two_waiting, lambda s, _: s.queue.push(b"u", unique="waiting")),
    "push a twin": (twin_waiting, lambda s, _: s.queue.push(b"a", unique="waiting")),
    "push over a twin": (
        twin_waiting,
        lambda s, _: s.queue.push(b"A", key=b"a", unique="waiting", on_twin="replace"),
    ),
    "push delayed": (two_waiting, lambda s, _: s.queue.push(b"d", delay=60)),
    "push to the front": (two_waiting, lambda s, _: s.queue.push(b"f", front=True)),
    "push locked": (two_waiting, lambda s, _: s.queue.push(b"l", lock=b"k")),
    "push an own id": (two_waiting, lambda s, _: s.queue.push(b"i", id="mine")),
    "push many": (nothing, lambda s, _: s.queue.push_many([b"a", Item(b"b", id="b"), b"c"])),
    "pop": (taker, lambda s, _: s.queue.pop(count=2)),
    "pop for the first time": (two_waiting, lambda s, _: s.queue.pop()),
    "pop nothing": (lambda s: s.limpet.start_work("q"), lambda s, _: s.queue.pop()),
    "pop what is due": (due, lambda s, _: s.queue.pop()),
    "ack": (one_running, lambda s, d: s.queue.ack(d)),
    "ack the holder of a lock": (locked_running, lambda s, ds: s.queue.ack(*ds)),
    "ack twice": (one_running, lambda s, d: (s.queue.ack(d), s.queue.ack(d))),
    "ack and pop": (one_running, lambda s, d: s.queue.ack_and_pop([d])),
    "fail": (one_running, lambda s, d: s.queue.fail(d, "broken")),
    "release": (locked_running, lambda s, ds: s.queue.release(*ds)),
    "release for later": (one_running, lambda s, d: s.queue.release(d, delay=9)),
    "retry": (one_running, lambda s, d: s.queue.retry(d, 9, "again")),
    "renew": (one_running, lambda s, d: s.queue.renew(d)),
    "recover": (one_running, lambda s, _: s.queue.recover(older_than=0)),
    "resume": (one_running, lambda s, d: s.queue.resume(d, timeout=0)),
    "claim": (taker, lambda s, _: s.queue.claim()),
    "claim a timed-out job": (
        lambda s: s.queue.pop(count=2) if two_waiting(s) else None,
        lambda s, _: s.queue.claim(timeout=0),
    ),
    "cancel by id": (two_waiting, lambda s, pushed: s.queue.cancel(id=pushed[0].id)),
    "cancel a running job": (one_running, lambda s, d: s.queue.cancel(id=d.id)),
    "cancel by payload": (two_waiting, lambda s, _: s.queue.cancel(payload=b"b")),
    "adopt": (plain_list, lambda s, key: s.queue.adopt(key)),
    "revive": (dead, lambda s, ids: s.queue.revive(*ids)),
    "purge": (dead, lambda s, ids: s.queue.purge(ids[0])),
    "drop": (one_running, lambda s, _: s.queue.drop()),
    "start work": (two_waiting, lambda s, _: s.limpet.start_work("q")),
    "stop work": (one_running, lambda s, _: s.limpet.stop_work("q")),
    "fail a worker": (one_running, lambda s, _: s.limpet.fail_worker("w")),
    "pause": (two_waiting, lambda s, _: s.queue.pause()),
    "unpause": (paused, lambda s, _: s.queue.unpause()),
    "schedule": (nothing, lambda s, _: s.queue.schedule("hourly", b"h", every="1h")),
    "change a schedule": (planned, lambda s, _: s.queue.schedule("hourly", b"h", "0 * * * *")),
    "unschedule": (planned, lambda s, _: s.queue.unschedule("hourly")),
    "fire": (planned, lambda s, _: s.queue.run_schedule("hourly")),
    "give up a lost reply": (lost_reply, lambda s, _: s.give_up()),
    "give up a lost reader": (lost_reader, lambda s, _: s.give_up()),
}

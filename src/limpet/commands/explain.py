"""Explaining: all that decides when one job runs, in one look."""

from typing import Any

from limpet.commands.base import Command, Reply, command, loads, misread, number, readable
from limpet.commands.look import view_of
from limpet.commands.take import tally_of
from limpet.keys import QueueKeys
from limpet.tasks.standing import Hand, Holder, Standing
from limpet.values import Outcome


def explain(keys: QueueKeys, job_id: str) -> Command[Standing | Outcome | None]:
    """Gather how a job stands, or how it ended; None if nothing is known of it."""

    def read(reply: Reply) -> Standing | Outcome | None:
        match reply:
            case [b"job", ms, row, numbers, *rest]:
                return _standing(keys.queue, ms, row, numbers, *rest)
            case [b"ended", b"done" | b"failed" | b"cancelled" as word, at]:
                return Outcome(job_id, word.decode(), at=at)
            case [b"unknown"]:
                return None
        misread("explain", reply)

    return command("explain", keys, read, id=job_id)


def _standing(
    queue: str,
    ms: int,
    row: list[bytes],
    numbers: list[Any],
    holders: list[bytes],
    crew: list[bytes],
    awaited: list[bytes],
    tally: bytes,
) -> Standing:
    facts = loads(row[2])
    found = {name.decode(): many for name, many in zip(numbers[::2], numbers[1::2], strict=True)}
    for flag in ("guess", "paused", "told", "alive"):
        found[flag] = bool(found[flag])
    rows = zip(holders[::3], holders[1::3], holders[2::3], strict=True)
    return Standing(
        view_of(queue, ms, row),
        ms,
        **found,
        holders=tuple(Holder(i.decode(), w.decode(), int(since)) for i, w, since in rows),
        limit=number(facts, "limit", 1),
        crew=tuple(_hand(*pair) for pair in zip(crew[::2], crew[1::2], strict=True)),
        task=readable(facts.get("task")),
        follows=isinstance(facts.get("after"), str),
        awaited=tuple(member.decode() for member in awaited),
        tally=tally_of(loads(tally)),
        needs=facts.get("needs") is True,
    )


def _hand(worker: bytes, raw: bytes) -> Hand:
    tasks = loads(raw).get("tasks")
    return Hand(worker.decode(), tuple(map(str, tasks)) if isinstance(tasks, list) else ())

"""A worker that has nothing to do leaves the server alone."""

from typing import Any

import pytest
import redis

from limpet.commands.take import Taken
from limpet.flows.base import Wait, Woken
from limpet.flows.pop import MAX_WAIT_MS, Asker, Source, pop
from limpet.keys import queue_keys
from limpet.options import Policy
from tests.concurrency.calls import Call, calls_of, wait_for_blocked
from tests.support.flavours import Loop, open_limpet
from tests.support.servers import Server
from tests.support.waiting import wait_until

WINDOW_US = 6_000_000
#: Ending a wait, one look, waiting again: too rare to be seen in the window, so it is added.
WAITS_PER_S = 2 / (MAX_WAIT_MS / 1000)
#: Everything a client can send; what scripts call inside is not meant.
SENT = ("evalsha", "eval", "blpop", "sadd", "srem", "smembers", "ping", "type", "hello", "auth")
FEW, MANY = ("one",), ("a", "b", "c", "d", "e")


def server_us(plain: redis.Redis) -> int:
    """Read the server's clock."""
    seconds, rest = plain.time()
    return int(seconds) * 1_000_000 + int(rest)


@pytest.mark.slow
def test_an_idle_worker_sends_at_most_one_command_a_second(
    loop: Loop, server: Server, plain: redis.Redis
) -> None:
    """With default options, waiting and heartbeat together cost at most one command a second.

    Four workers are watched at once: both flavours, each with one queue and with five.
    """
    clients: list[Any] = [
        open_limpet(flavour, loop, server.url) for flavour in ("sync", "async", "sync", "async")
    ]
    lines = (FEW, FEW, MANY, MANY)
    calls = [Call(c.pop, *line, wait=60) for c, line in zip(clients, lines, strict=True)]
    wait_for_blocked(plain, len(calls))
    started_us, before = server_us(plain), calls_of(plain, *SENT)

    wait_until(lambda: server_us(plain) - started_us >= WINDOW_US, within=30, step=0.5)
    sent = calls_of(plain, *SENT) - before
    passed_s = (server_us(plain) - started_us) / 1e6
    for line in (FEW, MANY):
        clients[0].queue(line[-1]).push_many([b"enough", b"enough"])

    assert [len(call.result()) for call in calls] == [1, 1, 1, 1]
    for client in clients:
        client.close()
    beats_per_s = sent / len(calls) / passed_s
    assert 0 < beats_per_s + WAITS_PER_S <= 1


def test_a_wait_in_vain_costs_one_look() -> None:
    """Who waited in vain asks one queue, a different one each time, and waits again."""
    sources = [Source(queue_keys(name), Policy()) for name in MANY]
    flow = pop(sources, Asker("w", lambda: "none"), 1, 10**9)
    step = flow.send(None)
    seen = []
    for _ in range(len(MANY)):
        while not isinstance(step, Wait):
            seen.append(step.queue)
            step = flow.send(Taken())
        seen.append("wait")
        step = flow.send(Woken(None, step.for_ms))

    assert seen[:6] == [*MANY, "wait"]
    assert seen[6:] == ["b", "wait", "c", "wait", "d", "wait", "e", "wait"]

"""Workers are killed at random while jobs are made: nothing is lost, nothing is completed twice."""

import random
from collections import Counter
from typing import Any

import pytest
import redis

from limpet import Limpet
from tests.concurrency import roles
from tests.concurrency.crew import Crew
from tests.support.servers import Server
from tests.support.waiting import wait_until

MORTAL = {"heartbeat": 0.2, "lease": 1.5}


def history(plain: redis.Redis) -> list[list[str]]:
    """Read what the workers noted, in the order the server saw it."""
    return [line.decode().split() for line in plain.lrange(roles.HISTORY, 0, -1)]


def starts_by_job(lines: list[list[str]]) -> Counter[str]:
    """Count how often each job was started."""
    return Counter(line[2] for line in lines if line[0] == "start")


def dropped_by_job(lines: list[list[str]], gone: set[str]) -> Counter[str]:
    """Count for each job how many workers that were killed or frozen had it in hand."""
    done = {(line[1], line[2]) for line in lines if line[0] == "done"}
    begun = {(line[1], line[2]) for line in lines if line[0] == "start"}
    return Counter(job for name, job in begun - done if name in gone)


@pytest.mark.parametrize("seed", [1, 2])
def test_nothing_is_lost_while_workers_are_killed(
    crew: Crew, server: Server, plain: redis.Redis, seed: int
) -> None:
    """Every acknowledged job ends once; more starts than one only where a worker died with it."""
    chance, gone, hired = random.Random(seed), set(), 0
    total, producers, names = 1200, 2, {}
    for number in range(producers):
        crew.hire(roles.produce, seed * 10 + number, server.url, total // producers, {})
    makers = list(crew.living)

    def hire() -> None:
        nonlocal hired
        hired += 1
        process = crew.hire(roles.serve, f"s{seed}-{hired}", server.url, MORTAL)
        names[process.pid] = f"s{seed}-{hired}"

    with Limpet(server.url) as limpet:
        queue = limpet.queue("mail")
        for _ in range(4):
            hire()
        for kill in range(1, 9):
            wait_until(
                lambda n=kill: len(starts_by_job(history(plain))) >= n * total // 10, within=30
            )
            victim = chance.choice([p for p in crew.living if p not in makers])
            gone.add(names[victim.pid])
            crew.kill(victim)
            hire()
        wait_until(lambda: plain.llen("pushed") == total, within=30)
        wait_until(lambda: queue.stats().pending == 0, within=40)

        check(plain, queue, total, gone)


def check(plain: redis.Redis, queue: Any, total: int, gone: set[str]) -> None:
    """Compare what was pushed, started and ended."""
    lines = history(plain)
    gone |= {line[1] for line in lines if line[0] == "frozen"}
    pushed = [line.decode().split()[0] for line in plain.lrange("pushed", 0, -1)]
    starts, dropped = starts_by_job(lines), dropped_by_job(lines, gone)
    done = Counter(line[2] for line in lines if line[0] == "done")
    dead = {view.id for view in queue.dead(0, 1000)}
    stats = queue.stats()

    assert len(set(pushed)) == total
    assert set(starts) == set(pushed)
    assert max(done.values()) == 1
    assert (stats.completed, stats.failed, stats.scheduled) == (total, len(dead), 0)
    assert not dead & set(done)
    assert len(dead) * 2 <= len(gone)
    # Who is not noted as done was ended by a worker that died before it could note it.
    unnoted = set(pushed) - set(done) - dead
    assert len(unnoted) <= len(gone)
    assert all(starts[job] - 1 <= dropped[job] for job in pushed)
    assert queue.verify().ok

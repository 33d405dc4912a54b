"""Workers are killed at random while jobs are made: nothing is lost, nothing is completed twice."""

import random
from collections import Counter
from typing import Any

import pytest
import redis

from limpet import Limpet, Stats
from tests.concurrency import roles
from tests.concurrency.calls import texts
from tests.concurrency.crew import Crew
from tests.support.servers import Server
from tests.support.waiting import wait_until

MORTAL = {"heartbeat": 0.2, "lease": 1.5}
PRODUCERS, TOTAL = 2, 1200


def history(plain: redis.Redis) -> list[list[str]]:
    """Read what the workers noted, in the order the server saw it."""
    return [line.split() for line in texts(plain, roles.HISTORY)]


def starts_by_job(lines: list[list[str]]) -> Counter[str]:
    """Count how often each job was started."""
    return Counter(line[2] for line in lines if line[0] == "start")


def dropped_by_job(lines: list[list[str]], gone: set[str]) -> Counter[str]:
    """Count for each job how many workers that were killed or frozen had it in hand."""
    done = {(line[1], line[2]) for line in lines if line[0] == "done"}
    begun = {(line[1], line[2]) for line in lines if line[0] == "start"}
    return Counter(job for name, job in begun - done if name in gone)


class Battle:
    """Workers that are killed one by one, each replaced by another, while jobs are made."""

    def __init__(self, crew: Crew, server: Server, seed: int) -> None:
        """Start producers and workers."""
        self.crew, self.url, self.seed = crew, server.url, seed
        self.chance = random.Random(seed)
        self.killed: set[str] = set()
        self._names: dict[int | None, str] = {}
        for number in range(PRODUCERS):
            crew.hire(roles.produce, seed * 10 + number, server.url, TOTAL // PRODUCERS)
        for _ in range(4):
            self.hire()

    def hire(self) -> None:
        """Start one more worker."""
        name = f"s{self.seed}-{len(self._names)}"
        self._names[self.crew.hire(roles.serve, name, self.url, MORTAL).pid] = name

    def kill_one(self) -> None:
        """Kill one of the workers, whatever it is doing, and start another."""
        victim = self.chance.choice([p for p in self.crew.living if p.pid in self._names])
        self.killed.add(self._names[victim.pid])
        self.crew.kill(victim)
        self.hire()


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_nothing_is_lost_while_workers_are_killed(
    crew: Crew, server: Server, plain: redis.Redis, seed: int
) -> None:
    """Every acknowledged job ends once; more starts than one only where a worker died with it."""
    battle = Battle(crew, server, seed)

    def begun() -> int:
        return len(starts_by_job(history(plain)))

    with Limpet(server.url) as limpet:
        queue = limpet.queue("mail")
        for enough in range(TOTAL // 10, TOTAL, TOTAL // 10):
            wait_until(lambda enough=enough: begun() >= enough, within=30)  # type: ignore[misc]
            battle.kill_one()
        wait_until(lambda: plain.llen("pushed") == TOTAL, within=30)
        wait_until(lambda: is_empty(queue.stats()), within=40)

        check(plain, queue, battle.killed)


def is_empty(stats: Stats) -> bool:
    """Whether all jobs came to their end."""
    return stats.pending + stats.scheduled == 0


def check(plain: redis.Redis, queue: Any, killed: set[str]) -> None:
    """Compare what was pushed, started and ended."""
    lines = history(plain)
    gone = killed | {line[1] for line in lines if line[0] == "frozen"}
    pushed = [line.split()[0] for line in texts(plain, "pushed")]
    starts, dropped = starts_by_job(lines), dropped_by_job(lines, gone)
    done = Counter(line[2] for line in lines if line[0] == "done")
    dead = {view.id for view in queue.dead(0, 1000)}
    stats = queue.stats()

    assert len(set(pushed)) == TOTAL
    assert set(starts) == set(pushed)
    assert max(done.values()) == 1
    assert (stats.completed, stats.failed) == (TOTAL, len(dead))
    assert not dead & set(done)
    assert len(dead) * 2 <= len(gone)
    # Who is not noted as done was ended by a worker that died before it could note it.
    unnoted = set(pushed) - set(done) - dead
    assert len(unnoted) <= len(gone)
    assert all(starts[job] - 1 <= dropped[job] for job in pushed)
    assert queue.verify().ok

"""A job that kills its worker is given up after three deaths, and its neighbours do not suffer."""

import pytest
import redis

from limpet import Limpet
from tests.concurrency import roles
from tests.concurrency.crew import Crew
from tests.concurrency.test_nemesis import history, starts_by_job
from tests.support.servers import Server

MORTAL = {"heartbeat": 0.15, "lease": 0.9}


@pytest.mark.slow
@pytest.mark.parametrize(("poisons", "workers"), [(1, 2), (5, 4)])
def test_poison_is_given_up_after_three_deaths(
    crew: Crew, server: Server, plain: redis.Redis, poisons: int, workers: int
) -> None:
    """Each poison job dies with its third worker; every neighbour is done and none is dead."""
    with Limpet(server.url) as limpet:
        queue = limpet.queue("mail")
        names = [f"good {n}" for n in range(60)]
        for n in range(poisons):
            names.insert(n * 9, f"poison {n}")
        pushed = {p.id: name for p, name in zip(queue.push_many(names), names, strict=True)}
        hired = 0
        while queue.stats().completed < len(names):
            crew.wait_for_deaths(within=0.05)
            while len(crew.living) < workers:
                hired += 1
                crew.hire(roles.serve, f"w{hired}", server.url, MORTAL)

        starts, dead = starts_by_job(history(plain)), queue.dead(0, 100)
        assert sorted(pushed[view.id] for view in dead) == [f"poison {n}" for n in range(poisons)]
        # One that was beside another when that one killed their worker was not started itself.
        assert all(1 <= starts[view.id] <= view.crashes == 3 for view in dead)
        assert {view.reason for view in dead} == {"its worker died 3 times"}
        stats = queue.stats()
        assert (stats.completed, stats.failed) == (len(names), poisons)
        assert (stats.pending, stats.scheduled) == (0, 0)
        assert crew.deaths == sum(starts[view.id] for view in dead)
        assert poisons > 1 or crew.deaths == 3
        assert queue.verify().ok

"""Bursts of jobs at workers that sleep: no job is left lying beside an idle worker."""

import random

import pytest
import redis

from limpet import Limpet
from tests.concurrency import roles
from tests.concurrency.calls import wait_for_blocked
from tests.concurrency.crew import Crew
from tests.support.servers import Server
from tests.support.waiting import wait_until

WORKERS, TOTAL = 8, 20_000


@pytest.mark.slow
def test_no_job_is_stranded(crew: Crew, server: Server, plain: redis.Redis) -> None:
    """Twenty thousand jobs in bursts are all done, though no heartbeat would find a stranded one.

    Some bursts meet workers that all sleep, others meet workers about to fall asleep.
    """
    chance, made = random.Random(7), 0
    for number in range(WORKERS):
        crew.hire(roles.drain, f"w{number}", server.url, 20)
    with Limpet(server.url) as limpet:
        queue = limpet.queue("mail")

        def is_done() -> bool:
            return queue.stats().completed == made

        wait_for_blocked(plain, WORKERS)
        while made < TOTAL:
            size = min(chance.choice([1, 7, 20, 100, 1000]), TOTAL - made)
            queue.push_many([b"x"] * size)
            made += size
            match chance.randrange(3):
                case 0:
                    wait_for_blocked(plain, WORKERS, within=10)
                    assert is_done()
                case 1:
                    wait_until(is_done, within=10, step=0.001)
        wait_until(is_done, within=10)
        wait_for_blocked(plain, WORKERS)

    shares = [int(share) for share in plain.hvals("shares")]
    assert (
        TOTAL - WORKERS * 20 <= sum(shares) <= TOTAL
    )  # the last batches are noted at the next pop
    assert len([share for share in shares if share]) == WORKERS

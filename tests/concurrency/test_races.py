"""Eight processes race for the same things: the right number get them, and all hear the truth."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import redis

from limpet import Limpet
from tests.concurrency import roles
from tests.concurrency.calls import texts
from tests.concurrency.crew import racers
from tests.support.servers import Server

PARTIES = 8
Race = Callable[..., list[Any]]


@pytest.fixture(scope="module")
def race() -> Iterator[Race]:
    """Run a role in eight processes at once."""
    with racers(PARTIES) as run:
        yield run


@pytest.fixture
def queue(server: Server, plain: redis.Redis) -> Iterator[Any]:
    """The queue as the test sees it."""
    with Limpet(server.url) as limpet:
        yield limpet.queue("mail")


@pytest.mark.parametrize(
    "how", [{"unique": "waiting"}, {"unique": "running"}, {"own_ids": True}], ids=str
)
def test_one_of_eight_creates_and_all_hear_the_same_id(
    race: Race, queue: Any, server: Server, how: dict[str, Any]
) -> None:
    """Of eight pushes of one key one is told it created, and all are told the id that is there."""
    keys = [f"key-{n}" for n in range(100)]

    answers = race(roles.push_keys, server.url, PARTIES, keys, how)

    by_key = defaultdict(list)
    for number, answer in enumerate(answers):
        for key, job_id, created in answer:
            by_key[key].append((number, job_id, created))
    stored = {view.id: view.payload.decode() for view in queue.inspect(0, 1000)}
    for key, told in by_key.items():
        winners = [number for number, _, created in told if created]
        ids = {job_id for _, job_id, _ in told}
        assert (len(winners), len(ids)) == (1, 1)
        assert stored.pop(ids.pop()) == f"{winners[0]} {key}"
    assert stored == {}
    assert len({n for told in by_key.values() for n, _, created in told if created}) == PARTIES
    assert queue.stats().refused == 100 * (PARTIES - 1)


@pytest.mark.parametrize("mode", ["waiting", "running"])
def test_pushes_and_workers_agree_on_what_is_unique(
    race: Race, queue: Any, server: Server, mode: str
) -> None:
    """While workers take and end jobs, a push is told either that it created, or a job that was."""
    answers = race(roles.churn, server.url, PARTIES, 150, mode)

    told = [entry for answer in answers for entry in answer["told"]]
    created = sorted((key, job_id) for key, job_id, new in told if new)
    assert sorted(entry for answer in answers for entry in answer["acked"]) == created
    assert {(key, job_id) for key, job_id, _ in told} == set(created)
    assert len(created) > 5
    if mode == "running":
        assert max(answer["most"] for answer in answers) == 1
    stats = queue.stats()
    assert (stats.completed, stats.refused) == (len(created), len(told) - len(created))
    assert stats.pending == 0
    assert queue.push(b"key-1", unique=mode).created


@pytest.mark.parametrize("seed", [1, 2])
def test_each_job_is_delivered_once_and_in_order(
    race: Race, queue: Any, server: Server, seed: int
) -> None:
    """Eight workers take batches until all is done; in the order of fences the jobs are in line."""
    pushed = [p.id for p in queue.push_many([b"x"] * 2000)]

    answers = race(roles.take_all, server.url, PARTIES, seed)

    handouts = sorted(handout for answer in answers for handout in answer)
    assert [job_id for _, ids in handouts for job_id in ids] == pushed
    assert len({fence for fence, _ in handouts}) == len(handouts)
    stats = queue.stats()
    assert (stats.completed, stats.pending, stats.recovered) == (2000, 0, 0)


@pytest.mark.parametrize("limit", [1, 2])
def test_a_lock_never_has_too_many_holders(
    race: Race, queue: Any, server: Server, plain: redis.Redis, limit: int
) -> None:
    """A counter raised and lowered by the workers themselves never passes the limit of the lock."""
    names = [f"door-{n % 3}" for n in range(300)]
    locked = queue._limpet.queue("mail", lock=lambda payload: payload, lock_limit=limit)
    pushed = locked.push_many(names)

    answers = race(roles.work_under_locks, server.url, PARTIES, len(names))

    assert sum(done for done, _ in answers) == len(names)
    assert 1 <= max(most for _, most in answers) <= limit
    for number in range(3):
        served = texts(plain, f"order:door-{number}")
        wanted = [p.id for p, n in zip(pushed, names, strict=True) if n == f"door-{number}"]
        assert sorted(served) == sorted(wanted)
        assert limit > 1 or served == wanted
    stats = queue.stats()
    assert (stats.completed, stats.pending, queue.locks()) == (len(names), 0, [])

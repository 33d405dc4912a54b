"""Flat cost: the server calls the same commands for an operation, however much waits or runs.

No clock is read here. What an operation makes the server do is counted: the same calls at a
thousand and at two hundred thousand jobs waiting, with nothing and with twenty thousand running.
"""

from collections import Counter
from collections.abc import Iterator

import pytest

from tests.flatness.counting import Bench
from tests.flatness.tours import tour
from tests.support.servers import Server

#: Commands whose cost grows with the size of the key, whatever is asked of them.
SCANS = frozenset(
    {"hgetall", "hkeys", "hscan", "hvals", "keys", "linsert", "lpos", "lrem", "lset", "scan"}
    | {"sdiff", "sinter", "smembers", "sort", "sscan", "sunion", "zinter", "zscan", "zunion"}
    | {"zremrangebylex", "zremrangebyscore"}
)
FEW = {"waiting": 1_000}
BACKLOGS = {"waiting": {"waiting": 200_000}, "running": {"waiting": 1_000, "running": 20_000}}
Counts = dict[str, Counter[str]]


@pytest.fixture(scope="module")
def ground() -> Iterator[Server]:
    """A server of its own, so that nobody else is counted."""
    running = Server().start()
    yield running
    running.remove()


def counted(server: Server, backlog: dict[str, int]) -> Counts:
    """Count all operations on a backlog."""
    with server.client() as plain:
        bench = Bench(server.url, plain)
        tour(bench, **backlog)
        bench.close()
    return bench.counts


@pytest.fixture(scope="module")
def few(ground: Server) -> Counts:
    """All operations with a thousand jobs; the first time only makes the scripts known."""
    counted(ground, FEW)
    return counted(ground, FEW)


@pytest.mark.slow
@pytest.mark.parametrize("backlog", BACKLOGS.values(), ids=BACKLOGS)
def test_an_operation_costs_the_same_calls(
    ground: Server, few: Counts, backlog: dict[str, int]
) -> None:
    """Every operation makes the server call the same commands, as often, on a big queue."""
    big = counted(ground, backlog)

    assert len(few) > 30
    differing = {
        name: (dict(few[name] - calls), dict(calls - few[name]))
        for name, calls in big.items()
        if calls != few[name]
    }
    assert differing == {}


def test_no_operation_scans(few: Counts) -> None:
    """None of the commands called looks through a whole key."""
    found = {name: sorted(SCANS & set(calls)) for name, calls in few.items()}

    assert {name: scans for name, scans in found.items() if scans} == {}


def test_a_job_in_a_batch_costs_few_calls(few: Counts) -> None:
    """A hundred plain jobs cost hardly more calls than one: work is done in batches."""
    for one, many in (("push", "push 100"), ("pop", "pop 100"), ("ack", "ack 100")):
        assert few[many].total() <= few[one].total() + 10

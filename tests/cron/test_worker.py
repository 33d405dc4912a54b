"""A real worker with an app that declares schedules."""

import signal
from collections.abc import Iterator

import pytest
import redis

from limpet import Limpet, Queue
from tests.support.puppets import Program
from tests.support.servers import Server
from tests.support.waiting import wait_until

APP = """
    import sys
    from limpet.app.app import App
    from limpet.worker.worker import Worker

    app = App(sys.argv[1], name="shop")

    @app.task(name="shop.clean", queue="chores")
    def clean(what: str) -> None:
        print("cleaned", what, flush=True)

    for what in sys.argv[2:]:
        app.every(what, "200ms", clean, what)
    sys.exit(Worker(app, name="shop").run())
"""


@pytest.fixture
def limpet(server: Server, plain: redis.Redis) -> Iterator[Limpet]:
    """A client of an empty server."""
    with Limpet(server.url) as client:
        yield client


def names(limpet: Limpet) -> set[str]:
    """Name the schedules."""
    return {view.name for view in limpet.queue("chores").schedules()}


@pytest.mark.slow
def test_a_worker_writes_the_declared_schedules_and_runs_them(
    limpet: Limpet, server: Server
) -> None:
    """And one that is started with another program changes them."""
    with Program(APP, server.url, "floor") as worker:
        assert [worker.hear() for _ in range(3)] == ["cleaned floor"] * 3
        assert names(limpet) == {"floor"}

        with Program(APP, server.url, "wall") as newer:
            wait_until(lambda: names(limpet) == {"wall"})
            said = {"cleaned wall", "cleaned floor"}
            assert newer.hear() in said
            limpet.queue("chores").unschedule("wall")
            assert names(limpet) == set()


TICKING = """
    import sys
    from limpet import App, Job, Worker

    app = App(sys.argv[1], name="shop")

    @app.task(name="shop.tick", queue="chores")
    def tick(job: Job) -> None:
        print(job.id, flush=True)

    app.every("tick", "200ms", tick, missed="all", overlap="queue")
    sys.exit(Worker(app, name="shop").run())
"""


def beginning(queue: Queue) -> int:
    """Say when the schedule began if each fire time since made one job; 0 if it cannot tell."""
    views = queue.schedules()
    found = queue.stats()
    if not views or queue.schedules() != views:
        return 0  # it fired between the two looks
    return views[0].next_at - (found.completed + found.pending) * 200


@pytest.mark.slow
def test_with_five_workers_each_fire_time_is_run_once(limpet: Limpet, server: Server) -> None:
    """As many runs as fire times, by whichever worker; no job is run twice."""
    queue = limpet.queue("chores")
    crew = [Program(TICKING, server.url) for _ in range(5)]
    began = wait_until(lambda: beginning(queue), within=20)
    wait_until(lambda: queue.stats().completed >= 15, within=30)
    for worker in crew:
        worker.signal(signal.SIGTERM)
    ran = [line for worker in crew for line in worker.rest()]

    found = queue.stats()
    assert len(ran) == len(set(ran)) == found.completed
    assert beginning(queue) == began
    assert found.failed == found.recovered == 0

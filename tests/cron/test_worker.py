"""A real worker with an app that declares schedules."""

from collections.abc import Iterator

import pytest
import redis

from limpet import Limpet
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

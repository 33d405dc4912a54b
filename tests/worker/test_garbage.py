"""What the garbage collector sees while a worker runs."""

import gc

from limpet.app.app import App
from limpet.worker.garbage import out_of_sight
from limpet.worker.worker import Worker
from tests.support.servers import Server


def test_what_was_there_before_is_out_of_sight(server: Server) -> None:
    """And is seen again when the worker has ended."""
    app, counts = App(server.url), []

    @app.task(name="count")
    async def count() -> None:
        counts.append(gc.get_freeze_count())

    count.enqueue()
    Worker(app, burst=True, handle_signals=False).run()
    app.close()

    assert counts[0] > 10_000
    assert gc.get_freeze_count() < counts[0]


def test_an_error_brings_it_back() -> None:
    """Whatever happens inside."""
    try:
        with out_of_sight():
            raise ValueError
    except ValueError:
        assert gc.get_freeze_count() < 10_000

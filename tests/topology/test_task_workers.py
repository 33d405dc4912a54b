"""Workers of tasks follow the master when it changes: none of them sits deaf."""

import signal
from collections.abc import Iterator

import pytest

from limpet import App
from tests.support.puppets import Program
from tests.support.waiting import wait_until
from tests.topology.sentinels import Watched

WORKER = """
    import sys
    from limpet import App, Worker

    app = App(sys.argv[1], timeout=40)

    @app.task(name="say", queue="mail")
    def say(word: str) -> None:
        print(word, flush=True)

    sys.exit(Worker(app, heartbeat=0.3, lease=2).run())
"""


@pytest.fixture
def watched() -> Iterator[Watched]:
    """A master of one's own, to be taken away."""
    running = Watched()
    yield running
    running.stop()


@pytest.mark.slow
@pytest.mark.parametrize("how", ["the master is killed", "an operator orders it"])
def test_a_worker_consumes_again_after_a_failover(watched: Watched, how: str) -> None:
    """Waiting for work before it, working after it, without a restart; it ends well when told."""
    app = App(watched.url, timeout=40)

    @app.task(name="say", queue="mail")
    def say(word: str) -> None:
        print(word)

    with app, Program(WORKER, watched.url) as worker:
        say.enqueue("before")
        assert worker.hear() == "before"
        watched.mark()

        if how == "the master is killed":
            watched.master.kill()
        else:
            watched.sentinels[0].ask("FAILOVER", "mymaster")
        wait_until(watched.replica_leads, within=20)
        words = [f"after {n}" for n in range(10)]
        for word in words:
            say.enqueue(word)

        heard = [worker.hear(60)]
        while not set(words) <= set(heard):
            heard.append(worker.hear(60))
        worker.signal(signal.SIGTERM)
        heard += worker.rest(60)
        assert sorted(word for word in heard if word != "before") == words
        assert app.limpet.queue("mail").stats().pending == 0

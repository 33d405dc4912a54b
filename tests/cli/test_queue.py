"""`limpet queue`."""

from collections.abc import Iterator

import pytest
import redis

from limpet import Limpet
from tests.cli.conftest import Run
from tests.support.servers import Server


@pytest.fixture
def client(server: Server, plain: redis.Redis) -> Iterator[Limpet]:
    """A client of a server with a queue: one job runs, one is dead, one waits, one is for later."""
    with Limpet(server.url, name="painter") as opened:
        queue = opened.queue("my mail")
        queue.push_many([b"a", b"b", b"c"])
        queue.push(b"d", delay="1h")
        queue.fail(queue.pop()[0], "no")
        queue.pop()
        yield opened


def test_a_queue_is_paused_and_goes_on(run: Run, client: Limpet, server: Server) -> None:
    """Each says what the other one is for; a second time does no harm."""
    queue = client.queue("my mail")

    paused = run("queue", "pause", "my mail", "--url", server.url)
    assert queue.pop() == []
    going, again = [run("queue", "unpause", "my mail", "--url", server.url) for _ in range(2)]

    assert (paused.returncode, paused.stdout) == (0, "")
    assert paused.stderr == (
        "queue 'my mail' is paused (1 running); limpet queue unpause 'my mail' lets it go on\n"
    )
    assert going.stderr == "queue 'my mail' goes on (1 waiting)\n"
    assert (again.returncode, again.stderr) == (0, "queue 'my mail' was not paused (1 waiting)\n")
    assert [job.payload for job in queue.pop()] == [b"c"]


def test_explain_names_the_command_that_helps(run: Run, client: Limpet, server: Server) -> None:
    """What it tells to type can be typed."""
    import shlex

    queue = client.queue("my mail")
    queue.pause()
    step = queue.explain(queue.peek().id).next_step

    program, *words = shlex.split(step.removeprefix("let it go on: "))
    done = run(*words, "--url", server.url)

    assert (program, done.returncode) == ("limpet", 0)
    assert not queue.stats().paused


def test_drop_asks_for_a_yes(run: Run, client: Limpet, server: Server) -> None:
    """Without it nothing happens, and the line says what would be lost."""
    queue = client.queue("my mail")
    queue.schedule("often", b"x", every="15m")

    asked = run("queue", "drop", "my mail", "--url", server.url)
    before = queue.stats()
    done = run("queue", "drop", "my mail", "--yes", "--url", server.url)

    lost = "4 jobs (1 running, 1 dead) and 1 schedule"
    assert (asked.returncode, asked.stdout, asked.stderr.count("\n")) == (2, "", 1)
    assert f"lost for good, with {lost}; say --yes if that is meant" in asked.stderr
    assert (before.pending, before.scheduled, before.dead) == (2, 1, 1)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == f"queue 'my mail' is dropped, with {lost}\n"
    assert client.queues() == []
    assert queue.schedules() == []


@pytest.mark.parametrize("verb", [["pause"], ["unpause"], ["drop", "--yes"]])
def test_a_mistyped_name_does_not_pass(
    run: Run, client: Limpet, server: Server, verb: list[str]
) -> None:
    """It makes no queue of that name; the names there are are told."""
    done = run("queue", *verb, "my mial", "--url", server.url)

    assert (done.returncode, done.stdout) == (2, "")
    assert "no queue is called 'my mial'" in done.stderr
    assert client.queues() == ["my mail"]

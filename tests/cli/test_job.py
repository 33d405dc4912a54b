"""`limpet job`."""

import json
from collections.abc import Iterator

import pytest
import redis

from limpet import Limpet
from tests.cli.conftest import Run
from tests.support.servers import Server


@pytest.fixture
def client(server: Server, plain: redis.Redis) -> Iterator[Limpet]:
    """A client of the empty server."""
    with Limpet(server.url, name="painter") as opened:
        yield opened


def test_a_job_is_shown(run: Run, client: Limpet, server: Server) -> None:
    """Found in whatever queue it is; what there is not is left out."""
    client.queue("other").push(b"x", id="another")
    pushed = client.queue("mail").push('{"task": "shop.send"}', lock="L")
    client.queue("mail").pop()

    done = run("job", "show", pushed.id, "--url", server.url)

    lines = dict(line.split(maxsplit=1) for line in done.stdout.splitlines())
    assert (done.returncode, done.stderr) == (0, "")
    assert (lines["job"], lines["queue"], lines["state"]) == (pushed.id, "mail", "running")
    assert (lines["worker"], lines["task"], lines["lock"]) == (client.worker, "shop.send", "L")
    assert lines["payload"] == '{"task": "shop.send"}'
    assert lines["delivered"].endswith("UTC")
    assert {"reason", "unique"}.isdisjoint(lines)


def test_a_job_is_shown_as_json(run: Run, client: Limpet, server: Server) -> None:
    """One object, and bytes that are no text are written out."""
    pushed = client.queue("mail").push(b"\xff")
    (held,) = client.queue("mail").pop()

    done = run("job", "show", pushed.id, "--json", LIMPET_URL=server.url)

    found = json.loads(done.stdout)
    assert (found["state"], found["payload"], found["receipt"]) == (
        "running",
        "\\xff",
        str(held.receipt),
    )


def test_a_job_is_explained(run: Run, client: Limpet, server: Server) -> None:
    """The same words as in a program."""
    pushed = client.queue("mail").push(b"x")

    done = run("job", "explain", pushed.id, "--url", server.url)
    found = json.loads(run("job", "explain", pushed.id, "--json", "--url", server.url).stdout)

    where = "waits at position 1 of 1: no worker serves queue 'mail'"
    step = "start one: limpet worker module:app -q mail"
    head, *_, last = done.stdout.splitlines()
    assert done.returncode == 0
    assert head == f"job {pushed.id} of queue 'mail' {where}"
    assert last == f"  -> {step}"
    assert (found["state"], found["headline"], found["next_step"]) == ("waiting", where, step)


def test_an_ended_job_is_explained_while_its_outcome_is_kept(
    run: Run, client: Limpet, server: Server
) -> None:
    """Of a job that is there no more it is told how it ended."""
    pushed = client.queue("mail").push(b"x", keep="1h")
    client.queue("mail").complete(client.queue("mail").pop()[0], b"1")

    done = run("job", "explain", pushed.id, "--url", server.url)

    assert f"job {pushed.id} of queue 'mail' ended as done at " in done.stdout


def test_a_job_is_cancelled(run: Run, client: Limpet, server: Server) -> None:
    """A waiting one is gone; the worker of a running one is told."""
    first, second = client.queue("mail").push_many([b"a", b"b"])
    client.queue("mail").pop()

    running = run("job", "cancel", first.id, "--url", server.url)
    waiting = run("job", "cancel", second.id, "--json", "--url", server.url)

    assert (running.returncode, running.stdout) == (0, "")
    assert "runs: its worker is told to end it" in running.stderr
    assert json.loads(waiting.stdout)["answer"] == "cancelled"
    assert client.queue("mail").job(second.id) is None


def test_a_dead_job_gets_another_life(run: Run, client: Limpet, server: Server) -> None:
    """One that is not dead is left alone, and so is one whose place is taken."""
    queue = client.queue("mail")
    dead = queue.push(b"x", unique="running")
    queue.fail(queue.pop()[0], "no such address")
    twin = queue.push(b"x", unique="running")

    taken = run("job", "retry", dead.id, "--url", server.url)
    alive = run("job", "retry", twin.id, "--url", server.url)
    queue.cancel(id=twin.id)
    done = run("job", "retry", dead.id, "--url", server.url)

    assert (taken.returncode, taken.stderr.count("\n")) == (1, 1)
    assert "another job with its unique key is queued" in taken.stderr
    assert alive.returncode == 1
    assert f"is waiting, not dead; see limpet job explain {twin.id}" in alive.stderr
    assert (done.returncode, done.stdout) == (0, "")
    assert f"job {dead.id} of queue 'mail' waits again" in done.stderr
    assert queue.job(dead.id).state == "waiting"


def test_a_dead_job_is_not_cancelled(run: Run, client: Limpet, server: Server) -> None:
    """The line says what can be done with it."""
    queue = client.queue("mail")
    dead = queue.push(b"x")
    queue.fail(queue.pop()[0], "no such address")

    done = run("job", "cancel", dead.id, "--url", server.url)

    assert done.returncode == 1
    assert f"limpet job retry {dead.id} gives it another life" in done.stderr


def test_the_log_of_a_job_is_shown(run: Run, client: Limpet, server: Server) -> None:
    """Its lines on stdout, how far it has come on stderr."""
    queue = client.queue("mail")
    pushed, silent = queue.push_many([b"x", b"y"])
    held, _ = queue.pop(count=2)
    queue.log(held, "opened the door")
    queue.log(held, "went in")
    queue.progress(held, 0.5, "halfway")

    done = run("job", "log", pushed.id, "--url", server.url)
    found = json.loads(run("job", "log", pushed.id, "--json", "--url", server.url).stdout)
    nothing = run("job", "log", silent.id, "--url", server.url)

    assert [line.split("UTC  ")[1] for line in done.stdout.splitlines()] == [
        "opened the door",
        "went in",
    ]
    assert "progress 50% halfway" in done.stderr
    assert (found["fraction"], found["log"][1][1]) == (0.5, "went in")
    assert (nothing.returncode, nothing.stdout) == (0, "")
    assert "has logged nothing" in nothing.stderr


@pytest.mark.parametrize("verb", ["show", "explain", "cancel", "retry", "log"])
def test_a_job_that_is_nowhere_is_one_line_and_code_1(
    run: Run, client: Limpet, server: Server, verb: str
) -> None:
    """Also if it is in another queue than the one named."""
    client.queue("mail").push(b"x", id="mine")

    nowhere = run("job", verb, "no such id", "--url", server.url)
    elsewhere = run("job", verb, "mine", "-q", "other", "--url", server.url)

    for done in (nowhere, elsewhere):
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
        assert "it ended, or it is on another server" in done.stderr


def test_an_id_in_two_queues_needs_the_queue(run: Run, client: Limpet, server: Server) -> None:
    """Each queue numbers its jobs by itself; nothing is guessed."""
    for name in ("bills", "mail"):
        client.queue(name).push(b"x", id="mine")

    both = run("job", "cancel", "mine", "--url", server.url)
    one = run("job", "cancel", "mine", "-q", "mail", "--url", server.url)

    assert both.returncode == 2
    assert "'mine' is in several queues: bills, mail; say -q" in both.stderr
    assert one.returncode == 0
    assert client.queue("bills").job("mine") is not None
    assert client.queue("mail").job("mine") is None

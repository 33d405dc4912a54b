"""`limpet dead`."""

import json
from collections.abc import Iterator

import pytest
import redis

from limpet import Limpet, Queue
from limpet.cli import main
from tests.cli.conftest import Run
from tests.support.servers import Server


@pytest.fixture
def client(server: Server, plain: redis.Redis) -> Iterator[Limpet]:
    """A client of the empty server."""
    with Limpet(server.url, name="painter") as opened:
        yield opened


def die(queue: Queue, *payloads: bytes | str, reason: str = "no such address") -> list[str]:
    """Push jobs and give them up; answers their ids, the oldest death first."""
    ids = [pushed.id for pushed in queue.push_many(payloads)]
    while taken := queue.pop(count=1000):
        for held in taken:
            queue.fail(held, reason)
    return ids


def test_ls_shows_who_died_of_what(run: Run, client: Limpet, server: Server) -> None:
    """One line each, the newest first: the task or the start of the payload, one line of reason."""
    (call,) = die(client.queue("mail"), '{"task": "shop.send"}', reason="\nValueError: no\n at x")
    (raw,) = die(client.queue("bare"), b"\x1b[31m\xff" + "ä".encode() * 50, reason="a\tb")

    done = run("dead", "ls", "--url", server.url)

    assert (done.returncode, done.stderr) == (0, "")
    head, *lines = done.stdout.splitlines()
    wanted = ["job", "queue", "task or payload", "given up", "deliveries", "reason"]
    assert [cell.strip() for cell in head.split("  ") if cell] == wanted
    cells = {line.split()[0]: [c.strip() for c in line.split("  ") if c] for line in lines}
    assert [line.split()[0] for line in lines] == [raw, call]
    assert cells[call][1:3] == ["mail", "shop.send"]
    assert cells[call][3].endswith("UTC")
    assert cells[call][4:] == ["1", "ValueError: no"]
    assert cells[raw][2].startswith("\\x1b[31m\\xffää")
    assert len(cells[raw][2]) < 40
    assert cells[raw][5] == "a\\tb"


def test_on_a_terminal_the_reason_is_cut_and_the_id_is_whole(
    client: Limpet,
    server: Server,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An id is there to be copied."""
    (job_id,) = die(client.queue("mail"), b"x", reason="no " * 100)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "100")

    with pytest.raises(SystemExit):
        main(["dead", "ls", "--url", server.url])

    line = capsys.readouterr().out.splitlines()[1]
    assert line.startswith(f"{job_id}  mail")
    assert line.endswith("…")
    assert len(line) <= 100


def test_ls_shows_so_many_of_one_queue(run: Run, client: Limpet, server: Server) -> None:
    """Also more than are read at once; what is left out is told."""
    ids = die(client.queue("mail"), *[b"x"] * 205)
    die(client.queue("other"), b"y")

    few = run("dead", "ls", "-q", "mail", "-n", "2", "--url", server.url)
    all_ = run("dead", "ls", "-q", "mail", "-n", "1000", "--url", server.url, "--json")

    assert {line.split()[0] for line in few.stdout.splitlines()[1:]} <= set(ids)
    assert len(few.stdout.splitlines()) == 3
    assert few.stderr == "these are the newest 2 of 205; -n shows more\n"
    found = json.loads(all_.stdout)
    assert sorted(view["id"] for view in found) == sorted(ids)
    assert all_.stderr == ""


def test_ls_for_programs_has_everything(run: Run, client: Limpet, server: Server) -> None:
    """The whole reason, the whole payload, times as numbers."""
    (call,) = die(client.queue("mail"), '{"task": "shop.send"}', reason="first\nsecond")

    (found,) = json.loads(run("dead", "ls", "--json", LIMPET_URL=server.url).stdout)

    assert (found["id"], found["queue"], found["task"]) == (call, "mail", "shop.send")
    assert (found["reason"], found["deliveries"], found["state"]) == ("first\nsecond", 1, "dead")
    assert found["at"] >= found["enqueued_at"] > 0
    assert found["payload"] == '{"task": "shop.send"}'


def test_without_dead_jobs_there_is_a_word(run: Run, client: Limpet, server: Server) -> None:
    """Nothing on stdout but an empty list for programs; code 0, whatever was asked for."""
    client.queue("mail").push(b"x")

    listed = run("dead", "ls", "--json", "--url", server.url)
    others = [run("dead", *verb, "--url", server.url) for verb in (("ls",), ("retry", "--all"))]

    assert (listed.stdout, listed.stderr) == ("[]\n", "")
    for done in others:
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "no job is dead\n")
    assert client.queue("mail").stats().waiting == 1


def test_named_jobs_get_another_life(run: Run, client: Limpet, server: Server) -> None:
    """Wherever they are; those not named stay, one that is not dead is told with code 1."""
    first, second, third = die(client.queue("mail"), b"a", b"b", b"c")
    (fourth,) = die(client.queue("other"), b"d")

    done = run("dead", "retry", first, fourth, first, "--url", server.url)
    again = run("dead", "retry", first, third, "--url", server.url)

    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.splitlines() == [
        "given another life: 1 of queue 'mail'",
        "given another life: 1 of queue 'other'",
    ]
    assert again.returncode == 1
    assert f"no dead job has the id '{first}'; see limpet job explain {first}" in again.stderr
    assert [view.id for view in client.queue("mail").dead()] == [second]
    assert [view.id for view in client.queue("mail").inspect()] == [first, third]


def test_all_get_another_life_but_twins(run: Run, client: Limpet, server: Server) -> None:
    """However many there are; those whose place is taken stay, and are named with code 1."""
    queue = client.queue("mail", dead_limit=2000)
    ids = die(queue, *[b"x"] * 1100)
    held = [queue.push(b"%d" % n, unique="running").id for n in range(4)]
    for delivery in queue.pop(count=4):
        queue.fail(delivery, "no")
    twins = [queue.push(b"%d" % n, unique="running").id for n in range(4)]

    done = run("dead", "retry", "--all", "-q", "mail", "--url", server.url)

    assert done.returncode == 1
    assert "given another life: 1100 of queue 'mail'" in done.stderr
    assert "and 1 more: other jobs with their unique keys are queued" in done.stderr
    assert queue.stats().waiting == len(ids) + len(twins)
    assert {view.id for view in queue.dead()} == set(held)


def test_dead_jobs_are_forgotten(run: Run, client: Limpet, server: Server) -> None:
    """Those named, or all of a queue, or all there are; never one that is not dead."""
    first, second, _ = die(client.queue("mail"), b"a", b"b", b"c")
    die(client.queue("other"), *[b"d"] * 150)
    die(client.queue("third"), b"e")
    alive = client.queue("mail").push(b"f").id

    named = run("dead", "purge", first, alive, "--url", server.url)
    queue = run("dead", "purge", "--all", "-q", "other", "--url", server.url)
    left = {name: client.queue(name).stats().dead for name in client.queues()}
    every = run("dead", "purge", "--all", "--url", server.url)

    assert (named.returncode, queue.returncode, every.returncode) == (1, 0, 0)
    assert f"no dead job has the id '{alive}'" in named.stderr
    assert queue.stderr == "forgotten: 150 of queue 'other'\n"
    assert left == {"mail": 2, "other": 0, "third": 1}
    assert client.queue("mail").job(second) is None
    assert client.queue("mail").stats().waiting == 1


@pytest.mark.parametrize("verb", ["retry", "purge"])
def test_an_id_that_died_in_two_queues_needs_the_queue(
    run: Run, client: Limpet, server: Server, verb: str
) -> None:
    """Nothing is guessed, and nothing done; where it is not dead does not count."""
    for name in ("bills", "mail", "other"):
        client.queue(name).push(b"x", id="mine")
    for name in ("bills", "mail"):
        client.queue(name).fail(client.queue(name).pop()[0], "no")
    (sure,) = die(client.queue("third"), b"x")

    both = run("dead", verb, sure, "mine", "--url", server.url)
    one = run("dead", verb, "mine", "-q", "mail", "--url", server.url)
    other = run("dead", verb, "mine", "--url", server.url)

    assert (both.returncode, one.returncode, other.returncode) == (2, 0, 0)
    assert "'mine' is dead in several queues: bills, mail; say -q" in both.stderr
    assert client.queue("third").stats().dead == 1
    assert client.queue("other").job("mine").state == "waiting"


def test_a_mistyped_queue_does_not_pass(run: Run, client: Limpet, server: Server) -> None:
    """An empty answer would look like a queue in order."""
    die(client.queue("mail"), b"x")

    for verb in (["ls"], ["retry", "--all"], ["purge", "--all"]):
        done = run("dead", *verb, "-q", "mial", "--url", server.url)

        assert (done.returncode, done.stdout) == (2, "")
        assert "no queue is called 'mial'" in done.stderr

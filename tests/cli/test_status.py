"""`limpet status`."""

import json

import redis

from limpet import Limpet
from tests.cli.conftest import Run
from tests.support.servers import Server, free_port


def fill(url: str) -> Limpet:
    """Make two queues, one paused, and a worker with one job in hand."""
    client = Limpet(url, name="painter")
    client.queue("mail").push_many([b"a", b"b", b"c"])
    client.queue("mail").pop()
    client.queue("slow").push(b"d", delay="1h")
    client.queue("slow").pause()
    return client


def test_queues_and_workers_are_listed(run: Run, server: Server, plain: redis.Redis) -> None:
    """Every queue has its counts, every worker its place; all on stdout."""
    with fill(server.url):
        done = run("status", "--url", server.url)

    assert done.returncode == 0
    lines = done.stdout.splitlines()
    counts = ("waiting", "parked", "scheduled", "running", "dead", "completed", "failed")
    assert lines[0].split() == ["queue", *counts, "oldest"]
    assert lines[1].split()[:8] == ["mail", "2", "0", "0", "1", "0", "0", "0"]
    assert lines[2].split()[:9] == ["slow", "(paused)", "0", "0", "1", "0", "0", "0", "0"]
    assert lines[4].split()[:2] == ["worker", "queue"]
    assert lines[5].startswith("painter-")
    assert lines[5].split()[1] == "mail"
    assert "named by" not in done.stdout
    assert f"server: {server.url} (the url option)" in done.stderr


def test_the_same_as_json(run: Run, server: Server, plain: redis.Redis) -> None:
    """One object with server, queues and workers, and nothing else on stdout."""
    with fill(server.url):
        done = run("status", "--json", LIMPET_URL=server.url)

    found = json.loads(done.stdout)
    assert found["server"] == {"url": server.url, "embedded": False, "source": "LIMPET_URL"}
    mail, slow = found["queues"]
    assert (mail["name"], mail["waiting"], mail["running"], mail["pending"]) == ("mail", 2, 1, 3)
    assert (slow["name"], slow["scheduled"], slow["paused"]) == ("slow", 1, True)
    (worker,) = found["workers"]
    assert (worker["name"], worker["queue"], worker["handouts"]) == ("painter", "mail", 1)


def test_tasks_and_what_waits_for_them_are_listed(
    run: Run, server: Server, plain: redis.Redis
) -> None:
    """How many workers know each task, and how many jobs were set aside because none did."""
    with Limpet(server.url) as client:
        queue = client.queue("mail")
        client.start_worker(tasks=("shop.bill", "shop.send"))
        queue.push_many([b"a", b"b"])
        for held in queue.pop(count=2):
            queue.strand(held, "shop.new")

        done, told = (run("status", *how, "--url", server.url) for how in ((), ("--json",)))

    lines = [line.split() for line in done.stdout.splitlines()]
    assert lines[-4:] == [
        ["task", "queue", "workers", "set", "aside"],
        ["shop.bill", "mail", "1", "0"],
        ["shop.new", "mail", "0", "2"],
        ["shop.send", "mail", "1", "0"],
    ]
    assert "no worker of queue 'mail' knows task 'shop.new': start one that does" in done.stderr
    found = json.loads(told.stdout)
    assert found["queues"][0]["stranded"] == 2
    assert found["queues"][0]["stranded_tasks"] == {"shop.new": 2}
    assert found["workers"][0]["tasks"] == ["shop.bill", "shop.send"]


def test_an_empty_server_is_no_error(run: Run, server: Server, plain: redis.Redis) -> None:
    """No queue: nothing on stdout, a word on stderr, code 0."""
    done = run("status", "--url", server.url)

    assert (done.returncode, done.stdout) == (0, "")
    assert "there are no queues yet" in done.stderr


def test_without_a_name_the_embedded_engine_is_used(run: Run) -> None:
    """It is started for the look and stopped after it."""
    looked, after = run("status", "--json"), run("engine", "status")

    assert json.loads(looked.stdout)["server"]["embedded"] is True
    assert after.stdout.startswith("engine   not running\n")


def test_a_server_out_of_reach_is_one_line_and_code_69(run: Run) -> None:
    """The line says what, where and what to do; a traceback comes with -v only."""
    url = f"redis://user:secret@127.0.0.1:{free_port()}"

    quiet, loud = run("status", "--url", url), run("status", "--url", url, "-v")

    assert (quiet.returncode, loud.returncode) == (69, 69)
    assert quiet.stdout == ""
    assert quiet.stderr.count("\n") == 1
    assert "cannot be reached" in quiet.stderr
    assert "Traceback" in loud.stderr
    assert "secret" not in quiet.stderr


def test_a_closed_pipe_is_no_traceback(run: Run, server: Server, plain: redis.Redis) -> None:
    """Whoever reads only the first line does not get an error of Python."""
    import subprocess
    import sys

    with fill(server.url):
        done = subprocess.run(
            f"{sys.executable} -m limpet status --url {server.url} | head -1",
            shell=True,
            capture_output=True,
            text=True,
            check=False,
        )

    assert done.stdout.startswith("queue")
    assert "Traceback" not in done.stderr

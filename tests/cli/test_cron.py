"""`limpet cron`."""

import json

import pytest
import redis

from limpet import Limpet
from tests.cli.conftest import Run
from tests.support.servers import Server


@pytest.fixture
def url(server: Server, plain: redis.Redis) -> str:
    """A server with two schedules, one of a task, and a name that is in two queues."""
    with Limpet(server.url) as limpet:
        call = json.dumps({"task": "shop.clean"})
        limpet.queue("chores").schedule("nightly", call, "0 3 * * *", tz="Europe/Berlin", owner="a")
        limpet.queue("chores").schedule("often", b"\xff", every="15m")
        limpet.queue("other").schedule("often", b"\xff", every="30m")
    return server.url


def test_ls_shows_what_runs_when(url: str, run: Run) -> None:
    """A line each, the next first; the same for programs."""
    table, listed = run("cron", "ls", "--url", url), run("cron", "ls", "--url", url, "--json")

    lines = table.stdout.splitlines()
    assert lines[0].split() == ["schedule", "queue", "when", "runs", "next", "in"]
    assert lines[1].split()[:4] == ["often", "chores", "every", "15.0"]
    nightly = next(line for line in lines if line.startswith("nightly"))
    assert "0 3 * * * Europe/Berlin  shop.clean" in nightly
    found = {(view["queue"], view["name"]): view for view in json.loads(listed.stdout)}
    assert len(found) == 3
    assert found["chores", "nightly"]["task"] == "shop.clean"
    assert found["chores", "often"]["payload"] == "\\xff"


def test_ls_of_nothing_says_how_to_make_one(server: Server, plain: redis.Redis, run: Run) -> None:
    """On the channel for people."""
    done = run("cron", "ls", "--url", server.url)

    assert (done.returncode, done.stdout) == (0, "")
    assert "app.cron(...)" in done.stderr


def test_next_shows_the_times_of_an_expression(run: Run) -> None:
    """Without a server; in the zone asked for."""
    done = run("cron", "next", "30 2 29 2 *", "-n", "2", "--tz", "Europe/Berlin")

    lines = done.stdout.splitlines()
    assert len(lines) == 2
    assert all(line.endswith("-02-29 02:30:00 +0100") for line in lines)


def test_next_shows_the_times_of_a_schedule(url: str, run: Run) -> None:
    """By its name, in its own zone."""
    done = run("cron", "next", "nightly", "-n", "3", "--url", url, "--json")

    assert [time[11:19] for time in json.loads(done.stdout)] == ["03:00:00"] * 3


def test_rm_removes_a_schedule(url: str, run: Run) -> None:
    """And says who may bring it back."""
    done, again = [run("cron", "rm", "nightly", "--url", url) for _ in range(2)]

    assert done.returncode == 0
    assert "app 'a' declared it" in done.stderr
    assert again.returncode == 2
    assert "no schedule is called 'nightly'; there are: often" in again.stderr


def test_run_pushes_a_job_now(url: str, run: Run) -> None:
    """It prints the id."""
    done = run("cron", "run", "nightly", "--url", url)

    with Limpet(url) as limpet:
        assert done.stdout.split() == [job.id for job in limpet.queue("chores").inspect()]


def test_a_name_in_several_queues_needs_the_queue(url: str, run: Run) -> None:
    """Nothing is guessed."""
    unsure = run("cron", "rm", "often", "--url", url)
    sure = run("cron", "rm", "often", "-q", "other", "--url", url)

    assert (unsure.returncode, sure.returncode) == (2, 0)
    assert "several queues: chores, other; say -q" in unsure.stderr

"""Signals: stop, stop at once, new code, what are you doing."""

import fcntl
import os
import signal
import termios
import time
from pathlib import Path

import pytest

from tests.parent.conftest import House, is_alive
from tests.support.waiting import wait_until


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_lets_running_jobs_end(house: House, number: signal.Signals) -> None:
    """Within the grace time, and nothing new is taken; exit code 0."""
    parent = house.start("--processes", "2", "-c", "1")
    house.workers(2)
    for name in ("a", "b"):
        house.push("hold", name)
    pids = [house.holding(name) for name in ("a", "b")]

    parent.send_signal(number)
    wait_until(lambda: house.said.count("stopping: 1 jobs are running") == 2)
    house.push("count", 1)
    house.let_go("a")
    wait_until(lambda: "let go of a" in house.notes)
    house.let_go("b")

    assert parent.wait(20) == 0, house.said
    assert not any(is_alive(pid) for pid in pids)
    stats = house.queue.stats()
    assert (stats.completed, stats.waiting, stats.workers) == (2, 1, 0)


def test_what_does_not_end_in_time_goes_back(house: House) -> None:
    """To the front, with no attempt spent; exit code 0."""
    parent = house.start("--grace", "200ms")
    job = house.push("hold", "a")
    house.holding("a")
    house.push("count", 1)
    wait_until(lambda: house.queue.stats().completed == 1)

    parent.terminate()

    assert parent.wait(20) == 0, house.said
    stats = house.queue.stats()
    assert (stats.waiting, stats.recovered, stats.dead) == (1, 0, 0)
    assert [waiting.id for waiting in house.queue.inspect()] == [job]


def test_a_second_signal_stops_at_once(house: House) -> None:
    """However long the grace time is; what runs goes back."""
    parent = house.start("--grace", "5m")
    house.push("hold", "a")
    house.holding("a")

    parent.terminate()
    wait_until(lambda: "stopping;" in house.said)
    began = time.monotonic()
    parent.terminate()

    assert parent.wait(20) == 0, house.said
    assert time.monotonic() - began < 10
    assert house.queue.stats().waiting == 1


def test_a_signal_to_every_process_is_one_signal(house: House) -> None:
    """Service managers tell the whole group: that is no second signal."""
    parent = house.start()
    house.push("hold", "a")
    pid = house.holding("a")

    for each in (parent.pid, pid):
        os.kill(each, signal.SIGTERM)
    wait_until(lambda: "stopping;" in house.said)
    house.let_go("a")

    assert parent.wait(20) == 0, house.said
    assert house.queue.stats().completed == 1


def test_a_child_that_does_not_stop_is_killed(house: House) -> None:
    """A third signal waits for nobody; the job is given back, and its count of deaths spared."""
    parent = house.start("--lease", "30s")
    house.push("hold", "a")
    pid = house.holding("a")

    os.kill(pid, signal.SIGSTOP)
    for words in ("stopping;", "stopping at once", "killing"):
        parent.terminate()
        wait_until(lambda words=words: words in house.said)
    code = parent.wait(20)

    assert code == 1, house.said
    assert not is_alive(pid)
    stats = house.queue.stats()
    assert (stats.waiting, stats.recovered) == (1, 0)


def test_it_can_be_stopped_while_it_starts(house: House) -> None:
    """Importing may take long, and nothing is held then."""
    with (house.folder / "shop.py").open("a") as file:
        file.write("\n_never.wait(60)\n")
    parent = house.start("--processes", "2")
    imports = house.folder / "imports"
    wait_until(lambda: imports.exists() and len(imports.read_text().split()) == 2, within=20)

    parent.terminate()

    assert parent.wait(10) == 0, house.said


def test_a_signal_that_comes_first_is_heard(house: House) -> None:
    """Before any child had the time to look at its orders."""
    parent = house.start()
    wait_until(lambda: children_of(parent.pid))

    parent.terminate()

    assert parent.wait(10) == 0, house.said


def children_of(pid: int) -> list[str]:
    """The processes that a process has started."""
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


def test_burst_ends_when_all_is_done(house: House) -> None:
    """In all processes, with exit code 0."""
    for number in range(20):
        house.push("count", number)

    parent = house.start("--burst", "--processes", "2")

    assert parent.wait(30) == 0, house.said
    assert sorted(house.notes) == sorted(f"counted {number}" for number in range(20))
    assert house.queue.stats().completed == 20


def test_asked_what_it_does_it_tells(house: House) -> None:
    """The parent passes the question on; the children name their jobs."""
    parent = house.start()
    job = house.push("hold", "a")
    house.holding("a")

    parent.send_signal(signal.SIGUSR1)
    wait_until(lambda: house.said.count(job) == 1)
    parent.send_signal(signal.SIGTTIN)
    wait_until(lambda: house.said.count(job) == 2)

    assert parent.poll() is None


def test_a_closed_terminal_stops_it(house: House) -> None:
    """A hang-up means new code only where there is no terminal that hung up."""
    near, far = os.openpty()

    def take_terminal() -> None:
        fcntl.ioctl(far, termios.TIOCSCTTY, 0)

    parent = house.start(preexec_fn=take_terminal, pass_fds=(far,))
    house.workers()
    os.close(far)

    os.close(near)

    assert parent.wait(20) == 0, house.said
    assert house.queue.stats().workers == 0

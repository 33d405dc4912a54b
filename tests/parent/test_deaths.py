"""Children that die, freeze or fall silent: their jobs come back, and nobody else's do."""

import os
import re
import signal
import time

import pytest

from limpet.engine import status
from tests.parent.conftest import House, is_alive
from tests.support.waiting import wait_until


def test_the_jobs_of_a_dead_child_are_back_within_half_a_second(house: House) -> None:
    """The lease is thirty seconds long, so nobody but the parent can have returned them."""
    house.start("--lease", "30s")
    house.push("hold", "a")
    pid = house.holding("a")

    killed_at = time.monotonic()
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: house.queue.stats().recovered == 1, step=0.002)
    back_s = time.monotonic() - killed_at

    assert back_s < 0.5
    assert house.holding("a", times=2) != pid
    assert [job.deliveries for job in house.queue.inspect(state="running")] == [2]


def test_a_new_identity_is_looked_after_as_well(house: House) -> None:
    """A child that was declared dead goes on as another worker, and the parent knows it."""
    house.start("--lease", "30s")
    (pid,) = house.workers()
    first = wait_until(house.client.workers)[0].id
    wait_until(lambda: "works on" in house.said)

    house.client.fail_worker(first)
    wait_until(lambda: [w for w in house.client.workers() if w.id != first], within=20)
    house.push("hold", "a")
    assert house.holding("a") == pid
    killed_at = time.monotonic()
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: house.queue.stats().recovered == 1, step=0.002)

    assert time.monotonic() - killed_at < 0.5


def test_nothing_of_a_dead_child_goes_on(house: House) -> None:
    """Its jobs in processes of their own die with it, also those that hear nobody."""
    house.start("--lease", "30s")
    (pid,) = house.workers()
    house.push("spin_apart", 600.0)
    apart = int(wait_until(lambda: house.notes, within=20)[0].split()[-1])
    house.pids.add(apart)
    assert apart != pid

    os.kill(pid, signal.SIGKILL)

    wait_until(lambda: house.queue.stats().recovered == 1)
    wait_until(lambda: not is_alive(apart), within=1)


def test_the_death_of_a_child_is_no_matter_to_its_siblings(house: House) -> None:
    """Only the jobs of the dead one start again."""
    house.start("--lease", "30s", "--processes", "2", "-c", "1")
    house.workers(2)
    house.push("hold", "a")
    house.push("hold", "b")
    dying, staying = house.holding("a"), house.holding("b")

    os.kill(dying, signal.SIGKILL)
    house.holding("a", times=2)

    assert is_alive(staying)
    assert house.notes.count(f"holding b in {staying}") == 1
    assert house.queue.stats().recovered == 1


def test_a_child_that_dies_again_and_again_is_started_with_growing_pauses(house: House) -> None:
    """Each pause is twice the one before."""
    house.start("--lease", "30s")

    for deaths in range(3):
        wait_until(lambda deaths=deaths: house.said.count("works on") > deaths, within=20)
        (pid,) = house.workers()
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: house.client.workers() == [])
    house.workers()

    pauses = re.findall(
        r"was killed \(SIGKILL\), its jobs are returned; next start in (.+) s", house.said
    )
    assert pauses == ["0.1", "0.2", "0.4"]


@pytest.mark.parametrize("burst", [False, True])
def test_a_job_that_ends_the_process_with_0_counts_as_a_death(house: House, *, burst: bool) -> None:
    """It kills worker after worker, and is given up after the third; the others are done."""
    house.push("leave", 0)
    house.push("count", 1)

    house.start("--lease", "30s", *(["--burst"] if burst else []))
    wait_until(lambda: house.queue.stats().dead == 1, within=30)

    assert house.notes.count("left") == 3
    wait_until(lambda: "counted 1" in house.notes)
    if burst:
        assert house.programs[0].wait(20) == 0, house.said


def test_a_frozen_child_is_killed_before_its_jobs_are_returned(house: House) -> None:
    """It could wake up and go on; so it must be dead before anybody else gets its jobs."""
    house.start()
    house.push("hold", "a")
    pid = house.holding("a")

    os.kill(pid, signal.SIGSTOP)
    wait_until(lambda: house.queue.stats().recovered == 1, step=0.002)

    assert not is_alive(pid)
    assert f"(process {pid}) is frozen" in house.said
    assert house.holding("a", times=2) != pid


def test_code_that_holds_the_interpreter_keeps_its_job(house: House) -> None:
    """For longer than the lease: no sign, no heartbeat of its own, but it works.

    A sibling looks for dead workers all the while.
    """
    house.start("--lease", "1s", "--heartbeat", "300ms", "--processes", "2")
    house.workers(2)
    house.push("spin", 3.0)

    spun = wait_until(lambda: [n for n in house.notes if n.startswith("spun")], within=40)[0]

    assert float(spun.split()[2]) > 1.5
    wait_until(lambda: house.queue.stats().completed == 1)
    assert house.queue.stats().recovered == 0
    assert int(spun.split()[-1]) in house.workers(2)


@pytest.mark.slow
@pytest.mark.parametrize("task", ["spin_in_time", "spin_on_the_loop"])
def test_a_mute_child_is_killed_when_its_job_is_long_past_its_time(house: House, task: str) -> None:
    """The child cannot end the job itself, for the job lets nobody else run there."""
    house.start()
    (pid,) = house.workers()
    house.push(task, 600.0)

    wait_until(lambda: house.queue.stats().recovered == 1, within=30)

    assert not is_alive(pid)
    assert f"(process {pid}) has a job past its time" in house.said


def test_children_of_a_killed_parent_give_their_jobs_back_and_end(house: House) -> None:
    """Nobody is left to look after them: they stop as if told to, and no attempt is spent."""
    parent = house.start("--grace", "0s")
    house.push("hold", "a")
    pid = house.holding("a")

    parent.kill()

    wait_until(lambda: not is_alive(pid))
    stats = house.queue.stats()
    assert (stats.waiting, stats.recovered, stats.workers) == (1, 0, 0)


def test_what_the_children_of_a_killed_parent_run_may_end(house: House) -> None:
    """Within the grace time."""
    parent = house.start()
    house.push("hold", "a")
    pid = house.holding("a")

    parent.kill()
    wait_until(lambda: "the parent is gone" in house.said)
    house.let_go("a")

    wait_until(lambda: not is_alive(pid))
    assert house.queue.stats().completed == 1


@pytest.mark.slow
def test_children_of_a_killed_parent_end_whatever_their_jobs_do(house: House) -> None:
    """Also when a job blocks everything: a little later, and the job is given back."""
    parent = house.start("--grace", "0s")
    house.push("block", "a")
    pid = house.holding("a")

    parent.kill()

    wait_until(lambda: not is_alive(pid), within=20)
    stats = house.queue.stats()
    assert (stats.waiting, stats.recovered, stats.workers) == (1, 0, 0)


def test_a_death_while_the_server_is_silent_is_settled_when_it_answers(house: House) -> None:
    """The parent does not forget it."""
    house.start("--lease", "30s")
    house.push("hold", "a")
    pid = house.holding("a")
    server = house.client.link.raw("INFO")["process_id"]

    os.kill(server, signal.SIGSTOP)
    try:
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: "was killed (SIGKILL)" in house.said)
        wait_until(lambda: "is not available" in house.said)
    finally:
        os.kill(server, signal.SIGCONT)

    wait_until(lambda: house.queue.stats().recovered == 1)


def test_the_embedded_engine_outlives_a_dead_child(embedded_house: House) -> None:
    """Whoever started it; and the last one out stops it."""
    house = embedded_house
    parent = house.start("--lease", "30s")
    house.push("hold", "a")
    pid = house.holding("a")

    os.kill(pid, signal.SIGKILL)
    house.holding("a", times=2)
    house.let_go("a")
    wait_until(lambda: house.queue.stats().completed == 1)
    house.client.close()
    parent.terminate()

    assert parent.wait(20) == 0, house.said
    wait_until(lambda: not status(house.folder / "home").running)

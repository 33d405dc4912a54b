"""New code: by SIGHUP one child after the other, by --reload when a file changes."""

import os
import signal
from pathlib import Path
from subprocess import Popen

import pytest

from tests.parent.conftest import House, is_alive
from tests.support.waiting import wait_until


def change(file: Path, before: str, after: str) -> None:
    """Edit a file; its time moves on, also where two writes share a moment."""
    text = file.read_text()
    assert before in text
    then = file.stat().st_mtime_ns
    file.write_text(text.replace(before, after))
    os.utime(file, ns=(then + 10**9, then + 10**9))


def counted(house: House, word: str) -> bool:
    """Whether the code of now says this word when it counts."""
    house.push("count", 1)
    return wait_until(lambda: house.notes)[-1].startswith(word)


def test_hangup_replaces_the_children_one_by_one(house: House) -> None:
    """The old one goes when the new one works; what it runs may end."""
    parent = house.start("--processes", "2")
    before = house.workers(2)
    house.push("hold", "a")
    holder = house.holding("a")

    change(house.folder / "shop.py", "counted", "COUNTED")
    parent.send_signal(signal.SIGHUP)
    wait_until(lambda: len(set(before) & set(house.workers_now())) <= 1, within=20)
    wait_until(lambda: len(set(house.workers_now()) - set(before)) == 2, within=20)

    assert is_alive(holder)
    house.let_go("a")
    wait_until(lambda: not set(before) & set(house.workers_now()))
    wait_until(lambda: counted(house, "COUNTED"))
    stats = house.queue.stats()
    assert (stats.recovered, stats.workers) == (0, 2)
    assert parent.poll() is None


def test_a_death_in_the_middle_of_a_hangup_stops_no_replacement(house: House) -> None:
    """The old child dies while its follower starts: all the others are replaced as well."""
    parent = house.start("--processes", "3")
    before = house.workers(3)

    change(house.folder / "shop.py", "counted", "COUNTED")
    parent.send_signal(signal.SIGHUP)
    for pid in before[:2]:  # whoever is first in line is one of them, or comes right after
        os.kill(pid, signal.SIGKILL)

    wait_until(lambda: len(set(house.workers_now()) - set(before)) == 3, within=30)
    wait_until(lambda: not set(before) & set(house.workers_now()), within=20)
    assert counted(house, "COUNTED")
    assert parent.poll() is None


def test_two_hangups_in_a_row_bring_in_the_last_code(house: House) -> None:
    """Also where a child of the first was on its way already."""
    parent = house.start("--processes", "2")
    before = house.workers(2)

    parent.send_signal(signal.SIGHUP)
    wait_until(lambda: set(house.workers_now()) - set(before), within=20)
    change(house.folder / "shop.py", "counted", "COUNTED")
    between = house.workers_now()
    parent.send_signal(signal.SIGHUP)

    wait_until(lambda: len(set(house.workers_now()) - set(between)) == 2, within=30)
    wait_until(lambda: not set(between) & set(house.workers_now()), within=20)
    assert counted(house, "COUNTED")
    assert parent.poll() is None


def test_hangup_with_code_that_cannot_start_changes_nothing(house: House) -> None:
    """The old children go on, and one line says why."""
    parent = house.start("--processes", "2")
    before = house.workers(2)

    change(house.folder / "shop.py", "app = App()", "app = Ap()")
    parent.send_signal(signal.SIGHUP)
    wait_until(lambda: "the old code goes on" in house.said, within=20)

    assert "NameError: name 'Ap' is not defined" in house.said
    assert house.workers(2) == before
    assert counted(house, "counted")


@pytest.fixture
def reloading(house: House) -> Popen[bytes]:
    """A worker that watches its files."""
    parent = house.start("--reload")
    house.workers()
    wait_until(lambda: counted(house, "counted"))
    return parent


def test_a_changed_task_is_picked_up(house: House, reloading: Popen[bytes]) -> None:
    """The next job runs the new code; the parent says what changed."""
    (before,) = house.workers()

    change(house.folder / "shop.py", "counted", "COUNTED")
    wait_until(lambda: counted(house, "COUNTED"), within=20)

    assert "changed: shop.py" in house.said
    wait_until(lambda: not is_alive(before))
    assert reloading.poll() is None


def test_broken_code_waits_for_the_next_change(house: House, reloading: Popen[bytes]) -> None:
    """One line names the mistake; when it is mended, work goes on."""
    change(house.folder / "shop.py", "app = App()", "app = App(")
    wait_until(lambda: "waiting for a change" in house.said, within=20)
    wait_until(lambda: house.client.workers() == [])
    assert reloading.poll() is None
    assert "Traceback" not in house.said

    change(house.folder / "shop.py", "app = App(", "app = App()")
    house.workers()

    reloading.terminate()
    assert reloading.wait(20) == 0


def test_a_worker_without_code_can_be_stopped(house: House, reloading: Popen[bytes]) -> None:
    """While it waits for a change, there is nobody but the parent."""
    change(house.folder / "shop.py", "app = App()", "app = App(")
    wait_until(lambda: "waiting for a change" in house.said, within=20)

    reloading.terminate()

    assert reloading.wait(20) == 0, house.said

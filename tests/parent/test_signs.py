"""Frozen or busy: decided without waiting, by signs of life and processor time."""

import os
from pathlib import Path

import pytest

from limpet.worker.parent.signs import OVERTIME_S, Effort, Verdict, Watch, effort_of


def idle() -> Effort:
    """A process that uses no processor time and wants none."""
    return Effort(cpu_s=1.0, runnable=False)


def looks(watch: Watch, effort: Effort | None, seconds: float) -> Verdict:
    """Let time pass in small steps; answers the last verdict."""
    verdict: Verdict = "fine"
    for _ in range(round(seconds / 0.25)):
        verdict = watch.look(0.25, lambda: effort)
    return verdict


def test_silence_without_work_for_a_lease_is_frozen() -> None:
    """Not before the lease is over, and then at once."""
    watch = Watch(lease_s=2.0)

    assert looks(watch, idle(), 1.75) == "fine"
    assert looks(watch, idle(), 0.25) == "frozen"


def test_a_sign_of_life_starts_the_silence_anew() -> None:
    """What was before the sign does not count."""
    watch = Watch(lease_s=2.0)

    looks(watch, idle(), 1.75)
    watch.sign(None)

    assert looks(watch, idle(), 1.75) == "fine"


def test_work_without_a_sign_is_no_freeze() -> None:
    """A child whose processor time grows is left alone, however long it is silent."""
    watch, used_s = Watch(lease_s=1.0), 1.0

    for _ in range(100):
        used_s += 0.01
        effort = Effort(used_s, runnable=False)
        assert watch.look(0.25, lambda effort=effort: effort) == "fine"


def test_a_child_that_waits_for_a_processor_is_not_frozen() -> None:
    """On a crowded machine a process may be ready to run and get no time."""
    assert looks(Watch(lease_s=1.0), Effort(1.0, runnable=True), 10) == "fine"


def test_a_child_that_worked_and_then_froze_is_found() -> None:
    """The lease counts from the end of its work."""
    watch = Watch(lease_s=2.0)
    looks(watch, Effort(1.0, runnable=True), 10)

    assert looks(watch, idle(), 1.5) == "fine"
    assert looks(watch, idle(), 0.75) == "frozen"


def test_without_knowledge_of_processor_time_silence_decides() -> None:
    """Where the system tells nothing of processes."""
    assert looks(Watch(lease_s=2.0), None, 2.0) == "frozen"


def test_a_lease_for_ever_is_never_frozen() -> None:
    """Whoever wants its jobs never to be taken away gets that."""
    assert looks(Watch(lease_s=None), idle(), 1000) == "fine"


def test_a_pause_of_the_parent_does_not_count() -> None:
    """Suspended together, woken together: nobody was silent meanwhile."""
    watch = Watch(lease_s=10.0)

    assert watch.look(3600.0, idle) == "fine"


@pytest.mark.parametrize("due_in_s", [0.0, 3.0])
def test_a_mute_child_is_overdue_after_its_jobs_time(due_in_s: float) -> None:
    """Busy or not: a job that must have ended keeps its child alive for a few seconds more."""
    watch = Watch(lease_s=100.0)
    watch.sign(due_in_s)
    busy = Effort(1.0, runnable=True)

    assert looks(watch, busy, due_in_s + OVERTIME_S - 0.5) == "fine"
    assert looks(watch, busy, 0.5) == "overdue"


def test_a_child_that_gives_signs_is_never_overdue() -> None:
    """It ends its jobs by itself."""
    watch = Watch(lease_s=10.0)

    for _ in range(100):
        watch.sign(-60.0)
        assert looks(watch, idle(), 0.5) == "fine"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="this system has no /proc")
def test_the_system_tells_the_effort_of_a_process() -> None:
    """Work shows, and a process that runs is runnable."""
    before = effort_of(os.getpid())
    assert before is not None

    while os.times().user + os.times().system < before.cpu_s + 0.05:
        pass

    after = effort_of(os.getpid())
    assert after is not None
    assert after.cpu_s > before.cpu_s
    assert after.runnable


def test_a_name_with_brackets_is_read_well(tmp_path: Path) -> None:
    """A program may call itself anything."""
    folder = tmp_path / "7"
    folder.mkdir()
    numbers = " ".join(str(number) for number in range(50))
    (folder / "stat").write_text(f"7 (a) R (b)) T {numbers}")

    assert effort_of(7, tmp_path) == Effort((10 + 11) / 100, runnable=False)
    assert effort_of(8, tmp_path) is None

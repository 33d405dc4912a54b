"""Faults of workers: none, killed, stopped, frozen."""

import os
import signal
from typing import Any

from tests.matrix.judge import Bounds, Verdict
from tests.matrix.scenes import scene
from tests.matrix.stage import LEASE_S, SLOTS, Stage
from tests.support.waiting import wait_until

#: Where nothing but the end of the lease tells of a death.
BY_LEASE_S = LEASE_S + 1
#: Jobs long enough to be hit in the middle.
LONGER: dict[str, Any] = {"shortest_ms": 50, "longest_ms": 100, "pace_ms": 5}


@scene("F0", Bounds(disorder=2 * SLOTS))
def none(stage: Stage) -> Verdict:
    """No fault."""
    stage.worker()
    stage.produce()
    return stage.settle()


@scene("F1a", Bounds(per_strike=SLOTS, recovery_s=0.5, places_lost=4 * SLOTS))
def child_killed(stage: Stage) -> Verdict:
    """A worker child gets kill -9; its parent and a sibling live."""
    stage.worker("--processes", "2", lease_s=30)
    stage.pids("worker", 2)
    stage.produce(**LONGER)
    stage.strike(signal.SIGKILL, stage.busy())
    return stage.settle()


@scene("F1c", Bounds(per_strike=SLOTS, recovery_s=3.0, places_lost=2 * SLOTS))
def only_child_killed(stage: Stage) -> Verdict:
    """The only child gets kill -9; its parent starts another."""
    stage.worker(lease_s=30)
    stage.pids("worker")
    stage.produce(**LONGER)
    stage.strike(signal.SIGKILL, stage.busy())
    wait_until(lambda: stage.queue.stats().recovered, within=0.5, step=0.002)
    return stage.settle()


@scene("F1b", Bounds(per_strike=SLOTS, recovery_s=BY_LEASE_S))
def worker_killed(stage: Stage) -> Verdict:
    """A whole worker gets kill -9, parent and child; another worker lives."""
    parent = stage.worker("--name", "doomed")
    (child,) = stage.pids("doomed")
    stage.worker("--name", "other")
    stage.pids("other")
    stage.produce(**LONGER)
    stage.busy(child)
    os.kill(parent.pid, signal.SIGKILL)
    stage.strike(signal.SIGKILL, child)
    return stage.settle()


@scene("F2a")
def stopped_in_time(stage: Stage) -> Verdict:
    """SIGTERM while jobs run that end within the grace time; a new worker takes over."""
    old = stage.worker("--name", "old", "--grace", "10s")
    stage.worker("--name", "new")
    (child,) = stage.pids("old")
    stage.pids("new")
    stage.produce(**LONGER)
    stage.busy(child)
    old.terminate()
    verdict = stage.settle()
    assert old.wait(20) == 0, stage.said
    return verdict


@scene("F2b", Bounds(per_strike=SLOTS, recovery_s=3.0, places_lost=2 * SLOTS))
def stopped_too_early(stage: Stage) -> Verdict:
    """SIGTERM while jobs run that do not end within the grace time: they are handed back."""
    old = stage.worker("--name", "old", "--grace", "100ms")
    stage.worker("--name", "new")
    (child,) = stage.pids("old")
    stage.pids("new")
    stage.produce(shortest_ms=600, longest_ms=800, jobs=max(stage.jobs // 6, 6), pace_ms=1)
    stage.busy(child)
    stage.strike(signal.SIGCONT, child)  # only to note the moment
    old.terminate()
    verdict = stage.settle()
    assert old.wait(20) == 0, stage.said
    assert stage.queue.stats().recovered == 0, "no death, so nothing is recovered"
    return verdict


@scene("F4a", Bounds(per_strike=SLOTS, recovery_s=BY_LEASE_S))
def zombie(stage: Stage) -> Verdict:
    """A worker without parent is stopped beyond its lease, then goes on: its word is void."""
    frozen = stage.solo()
    stage.worker("--name", "other")
    stage.pids("worker")
    stage.pids("other")
    stage.produce(**LONGER)
    return _outlive(stage, frozen.pid)


def _outlive(stage: Stage, pid: int, *others: int) -> Verdict:
    """Freeze processes until another one has done what the first of them had."""
    held = stage.freeze(pid, *others)
    try:
        stage.wait_for_ends(held, but_not_in=pid)
    finally:
        stage.thaw(pid, *others)
    # It may end them too late, or hear of its death first and stop them: a race that is its own.
    stage.wait_until_said("was declared dead")
    return stage.settle()


@scene("F4b", Bounds(per_strike=SLOTS, recovery_s=BY_LEASE_S))
def frozen_child(stage: Stage) -> Verdict:
    """A child is stopped beyond its lease: its parent kills it before anybody gets its jobs."""
    stage.worker("--processes", "2")
    stage.pids("worker", 2)
    stage.produce(**LONGER)
    child = stage.busy()
    stage.strike(signal.SIGSTOP, child)
    stage.wait_until_said(f"(process {child}) is frozen")
    return stage.settle()


@scene("F4c", Bounds(per_strike=SLOTS, recovery_s=BY_LEASE_S))
def suspended(stage: Stage) -> Verdict:
    """A whole worker, parent and child, is stopped beyond its lease, then goes on."""
    parent = stage.worker("--name", "frozen")
    stage.worker("--name", "other")
    (child,) = stage.pids("frozen")
    stage.pids("other")
    stage.produce(**LONGER)
    return _outlive(stage, child, parent.pid)

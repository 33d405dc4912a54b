"""Faults of workers: none, killed, stopped, frozen."""

import os
import signal

from tests.matrix.judge import Bounds, Verdict
from tests.matrix.scenes import scene
from tests.matrix.stage import LEASE_S, SLOTS, Stage

#: Where nothing but the end of the lease tells of a death.
BY_LEASE_S = LEASE_S + 1


@scene("F0", Bounds(disorder=2 * SLOTS))
def none(stage: Stage) -> Verdict:
    """No fault."""
    stage.worker()
    stage.produce()
    return stage.settle()


@scene("F1a", Bounds(per_strike=SLOTS, recovery_s=0.5, places_lost=4 * SLOTS))
def child_killed(stage: Stage) -> Verdict:
    """kill -9 of a worker child; its parent and a sibling live."""
    stage.worker("--processes", "2", lease_s=30)
    stage.pids("worker", 2)
    stage.produce(pace_ms=5)
    stage.strike(signal.SIGKILL, stage.busy())
    return stage.settle()


@scene("F1b", Bounds(per_strike=SLOTS, recovery_s=BY_LEASE_S))
def worker_killed(stage: Stage) -> Verdict:
    """kill -9 of a whole worker, parent and child; another worker lives."""
    parent = stage.worker("--name", "doomed")
    (child,) = stage.pids("doomed")
    stage.worker("--name", "other")
    stage.pids("other")
    stage.produce()
    stage.busy(child)
    os.kill(parent.pid, signal.SIGKILL)
    stage.strike(signal.SIGKILL, child)
    return stage.settle()


@scene("F2a")
def stopped_in_time(stage: Stage) -> Verdict:
    """SIGTERM while jobs run that end within the grace time; a new worker takes over."""
    old = stage.worker("--name", "old", "--grace", "10s")
    stage.produce()
    stage.busy()
    stage.worker("--name", "new")
    stage.pids("new")
    old.terminate()
    verdict = stage.settle()
    assert old.wait(20) == 0, stage.said
    return verdict


@scene("F2b", Bounds(per_strike=SLOTS, recovery_s=2.0, places_lost=0))
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


@scene("F4", Bounds(per_strike=SLOTS, recovery_s=BY_LEASE_S))
def zombie(stage: Stage) -> Verdict:
    """A worker without parent is stopped beyond its lease, then goes on: its acks are refused."""
    frozen = stage.solo()
    stage.produce(pace_ms=15)
    stage.busy(frozen.pid)
    stage.worker("--name", "other")
    stage.pids("other")
    stage.busy(frozen.pid)
    held = stage.open_starts()[frozen.pid]
    stage.strike(signal.SIGSTOP, frozen.pid)
    try:
        held |= stage.open_starts()[frozen.pid]
        stage.wait_for_others(held, frozen.pid)
    finally:
        os.kill(frozen.pid, signal.SIGCONT)
    stage.wait_for_ends_of(held, frozen.pid)
    verdict = stage.settle()
    stage.wait_until_said("was declared dead")
    return verdict

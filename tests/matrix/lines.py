"""Faults of the line between the programs and the server."""

from tests.matrix.judge import Bounds, Verdict
from tests.matrix.scenes import scene
from tests.matrix.stage import Stage


@scene("F5", Bounds(resumed_s=2.0))
def cut(stage: Stage) -> Verdict:
    """All connections are cut every 200 ms."""
    proxy = stage.behind_proxy()
    stage.worker()
    stage.pids("worker")
    stage.produce(pace_ms=60)
    stage.wait_for_starts(1)
    stage.again_and_again(proxy.cut, 0.2, times=max(stage.jobs // 4, 10))
    stage.relief()
    return stage.settle()

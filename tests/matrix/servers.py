"""Faults of the server: killed, restarted, forgetful, read-only, full, silent."""

import signal

from tests.matrix.judge import Bounds, Verdict
from tests.matrix.scenes import scene
from tests.matrix.stage import LEASE_S, Stage

#: A server that is back is used again so soon.
BACK = Bounds(resumed_s=2.0)


def _begin(stage: Stage) -> None:
    """Let a worker of one or two processes and a producer get going."""
    stage.worker("--processes", str(stage.chance.choice((1, 2))))
    stage.pids("worker")
    stage.produce(pace_ms=25)
    stage.wait_for_starts(stage.jobs // 8)


def _down(stage: Stage, seconds: float) -> None:
    """Kill the server, wait, start it on the same data."""
    stage.server.kill()
    stage.let_pass(seconds)
    stage.server.start()
    stage.relief()


@scene("F3a", BACK)
def server_killed(stage: Stage) -> Verdict:
    """The server (AOF) gets kill -9, back after a moment."""
    _begin(stage)
    _down(stage, 0.2)
    return stage.settle()


@scene("F3b", BACK)
def server_away(stage: Stage) -> Verdict:
    """The server (AOF) gets kill -9, away for three leases."""
    _begin(stage)
    _down(stage, 3 * LEASE_S)
    return stage.settle()


@scene("F3c", BACK, slow=True)
def server_away_for_long(stage: Stage) -> Verdict:
    """The server (AOF) gets kill -9, away for 40 s."""
    _begin(stage)
    _down(stage, 40)
    return stage.settle()


@scene("F6")
def scripts_flushed(stage: Stage) -> Verdict:
    """SCRIPT FLUSH every 50 ms."""
    _begin(stage)
    with stage.server.client() as plain:
        stage.again_and_again(plain.script_flush, 0.05, times=stage.jobs // 2)
    return stage.settle()


@scene("F7", BACK)
def restarted_while_producing(stage: Stage) -> Verdict:
    """The server is restarted cleanly, three times, while jobs are enqueued."""
    _begin(stage)
    for _ in range(3):
        stage.server.signal(signal.SIGTERM)
        assert stage.server.process is not None
        stage.server.process.wait(20)
        _down(stage, 0.05)
        stage.let_pass(stage.chance.uniform(0.05, 0.2))
    return stage.settle()


@scene("F9a", BACK)
def read_only(stage: Stage) -> Verdict:
    """The server is a replica for a moment, again and again: READONLY, UNBLOCKED."""
    _begin(stage)
    with stage.server.client() as plain:
        for _ in range(3):
            plain.execute_command("REPLICAOF", "127.0.0.1", "1")
            stage.let_pass(0.25)
            plain.execute_command("REPLICAOF", "NO", "ONE")
            stage.let_pass(stage.chance.uniform(0.05, 0.15))
    stage.relief()
    return stage.settle()


@scene("F9b")
def unblocked(stage: Stage) -> Verdict:
    """Waiting clients are thrown out of their wait, with and without an error."""
    stage.worker()
    stage.pids("worker")
    stage.produce(pace_ms=30, shortest_ms=1, longest_ms=10)
    stage.wait_for_starts(1)
    with stage.server.client() as plain:
        for turn in range(stage.jobs):
            for client in plain.client_list():
                if "b" in client["flags"]:
                    plain.client_unblock(int(client["id"]), error=turn % 2 == 0)
            stage.let_pass(0.02)
    return stage.settle()


@scene("F10", BACK)
def full(stage: Stage) -> Verdict:
    """The server's memory is full for a second: enqueues are refused, work goes on."""
    _begin(stage)
    with stage.server.client() as plain:
        plain.config_set("maxmemory", 1)
        try:
            stage.let_pass(1.0)
        finally:
            plain.config_set("maxmemory", 0)
    stage.relief()
    verdict = stage.settle()
    assert any(sighting.what == "refused" for sighting in stage.seen), "it never was full"
    return verdict


@scene("F11", BACK)
def stalled(stage: Stage) -> Verdict:
    """The server stands still for two leases."""
    _begin(stage)
    stage.server.signal(signal.SIGSTOP)
    try:
        stage.let_pass(2 * LEASE_S)
    finally:
        stage.server.signal(signal.SIGCONT)
        stage.relief()
    return stage.settle()

"""Runs in a peer's environment: a producer that is told what to do, or a worker.

    python -m benchmarks.driver NAME produce
    python -m benchmarks.driver NAME work KIND [PROFILE]

A producer reads one JSON object per line and answers one. Only the standard library here.
"""

import asyncio
import cProfile
import importlib
import inspect
import json
import sys
import time
from types import ModuleType
from typing import Any

from benchmarks.board import from_environment


def new_loop() -> asyncio.AbstractEventLoop:
    """Make the fastest event loop that this peer's environment has."""
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop()
    loop: asyncio.AbstractEventLoop = uvloop.new_event_loop()
    return loop


class Producer:
    """Enqueues numbered jobs with one peer and takes the time."""

    def __init__(self, peer: ModuleType) -> None:
        """Keep one event loop for the whole life: peers keep their connections on it."""
        self.peer, self.board = peer, from_environment()
        self.loop = new_loop()
        asyncio.set_event_loop(self.loop)

    def call(self, way: str, kind: str, numbers: range) -> None:
        """Enqueue jobs in one of the ways."""
        made = getattr(self.peer, way)(kind, numbers)
        if inspect.iscoroutine(made):
            self.loop.run_until_complete(made)

    def enqueue(self, way: str, kind: str, first: int, count: int) -> dict[str, Any]:
        """Enqueue and take the time."""
        if not hasattr(self.peer, way):
            return {"seconds": None}
        started, cpu = time.perf_counter(), time.process_time()
        self.call(way, kind, range(first, first + count))
        seconds = time.perf_counter() - started
        return {"seconds": seconds, "cpu": time.process_time() - cpu}

    def pace(self, kind: str, first: int, count: int, gap_s: float) -> dict[str, Any]:
        """Enqueue one job after the other, each when the one before ran and a while passed."""
        for number in range(first, first + count):
            self.board.sent[number] = time.monotonic()
            self.call("enqueue", kind, range(number, number + 1))
            deadline = time.monotonic() + 5
            time.sleep(gap_s)
            while not self.board.counts[number] and time.monotonic() < deadline:
                time.sleep(gap_s)
        return {}


def produce(peer: ModuleType) -> None:
    """Follow orders until there are no more."""
    producer = Producer(peer)
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        order = json.loads(line)
        try:
            answer = getattr(producer, order.pop("do"))(**order)
        except Exception as error:  # noqa: BLE001 - told to the harness, which goes on without us
            answer = {"error": f"{type(error).__name__}: {error}"[:300]}
        print(json.dumps(answer), flush=True)


def work(peer: ModuleType, kind: str, profile: str | None = None) -> None:
    """Work until SIGTERM; write down where the time went, if asked for."""
    if profile is not None:
        profiler = cProfile.Profile()
        profiler.runcall(work, peer, kind)
        profiler.dump_stats(profile)
        return
    made = peer.work(kind)
    if inspect.iscoroutine(made):
        with asyncio.Runner(loop_factory=new_loop) as runner:
            runner.run(made)


def main(name: str, role: str, *rest: str) -> None:
    """Load the peer and play the role."""
    peer = importlib.import_module(f"benchmarks.peers.{name}")
    if role == "produce":
        produce(peer)
    else:
        work(peer, *rest)


if __name__ == "__main__":
    main(*sys.argv[1:])

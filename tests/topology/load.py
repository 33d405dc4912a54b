"""Steady traffic through one queue while the servers behind it change."""

import contextlib
import threading
from collections.abc import Callable
from typing import Any, Self

from tests.concurrency.calls import Call
from tests.support.waiting import wait_until

Open = Callable[[], Any]
#: Workers that find out soon what a server lost in a failover: after one lease.
QUICK = {"heartbeat": 0.3, "lease": 2.0, "timeout": 40.0}


class Load:
    """One producer and some workers, each with a client of its own; no error is forgiven."""

    def __init__(self, open_client: Open, queue: str, workers: int = 2) -> None:
        """Start them."""
        self.pushed: list[str] = []
        self.started: list[str] = []
        self.acked: list[str] = []
        self._queue = queue
        self._enough, self._over = threading.Event(), threading.Event()
        self._clients = [open_client() for _ in range(workers + 1)]
        self._producing = Call(self._produce, self._clients[0])
        self._working = [Call(self._work, client) for client in self._clients[1:]]

    def _produce(self, client: Any) -> None:
        queue = client.queue(self._queue)
        while not self._enough.is_set():
            self.pushed += [p.id for p in queue.push_many([b"x", b"y"])]
            self.pushed.append(queue.push(b"z", lock="door").id)

    def _work(self, client: Any) -> None:
        queue = client.queue(self._queue)
        while not self._over.is_set():
            batch = queue.pop(count=3, wait=0.3)
            self.started += [delivery.id for delivery in batch]
            self.acked += queue.ack(*batch)

    def flow_on(self, jobs: int = 30) -> None:
        """Wait until so many more jobs were pushed and so many more were done."""
        pushed, acked = len(self.pushed) + jobs, len(self.acked) + jobs
        self._wait(lambda: len(self.pushed) >= pushed and len(self.acked) >= acked)

    def _ended(self) -> list[Call]:
        """List the calls that ended though nobody told them to."""
        running = [*self._working] if self._enough.is_set() else [self._producing, *self._working]
        return [call for call in running if call.done]

    def _wait(self, condition: Callable[[], bool]) -> None:
        wait_until(lambda: self._ended() or condition(), within=60)
        for call in self._ended():
            call.result()

    def finish(self, is_empty: Callable[[], bool]) -> None:
        """Stop pushing, let the workers do the rest, stop them too."""
        self._enough.set()
        self._producing.result(within=20)
        self._wait(is_empty)
        self._over.set()
        for call in self._working:
            call.result(within=20)

    def __enter__(self) -> Self:
        """Use it in a `with` block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Stop everybody and close all clients."""
        self._enough.set()
        self._over.set()
        for call in (self._producing, *self._working):
            with contextlib.suppress(Exception):
                call.result(within=20)
        for client in self._clients:
            client.close()

"""What one operation makes the server do: every command called, those inside scripts included."""

from collections import Counter
from typing import Any

import redis

from limpet.commands import push, take, workers
from limpet.commands.base import Command
from limpet.commands.push import NewJob
from limpet.commands.take import Burden, Taken, Taker
from limpet.connection.target import resolve
from limpet.keys import queue_keys
from limpet.link.sync import Link
from limpet.options import WorkerOptions
from limpet.values import Receipt

KEYS = queue_keys("mail")


class Bench:
    """A worker without a heartbeat: nothing but what the test asks for reaches the server."""

    def __init__(self, url: str, plain: redis.Redis) -> None:
        """Start on an empty server, with two workers registered."""
        self.plain = plain
        self.link = Link(resolve(url))
        #: Commands called by the server, by the name of the operation.
        self.counts: dict[str, Counter[str]] = {}
        plain.flushall()
        for worker in ("bench", "other"):
            options = WorkerOptions(heartbeat=1000, lease=100_000)
            self.send(workers.start_work(KEYS, worker, options, "here", 1))

    def send(self, command: Command[Any]) -> Any:
        """Send one command as a worker would."""
        return self.link.send(command)

    def push(self, count: int, **how: Any) -> list[str]:
        """Push that many jobs, a thousand at a time; answers their ids."""
        ids: list[str] = []
        for first in range(0, count, 1000):
            jobs = [NewJob(b"payload", **how) for _ in range(min(1000, count - first))]
            ids += [pushed.id for pushed in self.send(push.push_any(KEYS, jobs)).pushed]
        return ids

    def pop(self, count: int, step: int = 1000, worker: str = "bench") -> list[Receipt]:
        """Take that many jobs, so many at a time; answers their receipts."""
        found: list[Receipt] = []
        burden: Burden = "plain"
        while len(found) < count:
            taker = Taker(worker, burden, 3)
            taken: Taken = self.send(take.pop(KEYS, taker, min(step, count - len(found))))
            assert taken.deliveries
            found += [delivery.receipt for delivery in taken.deliveries]
        return found

    def count(self, name: str, command: Command[Any]) -> Any:
        """Send one command, count all that the server was made to call, answer its answer."""
        before = self._calls()
        answer = self.send(command)
        self.counts[name] = self._calls() - before
        self.counts[name].pop("info", None)
        return answer

    def _calls(self) -> Counter[str]:
        stats = self.plain.info("commandstats")
        return Counter(
            {name.removeprefix("cmdstat_"): int(s["calls"]) for name, s in stats.items()}
        )

    def close(self) -> None:
        """Close the connection."""
        self.link.close()

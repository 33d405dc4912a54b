"""The door: a connection, the queues behind it, and the worker of this process."""

import asyncio
import os
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Self, TypeVar

from limpet.aio.events import AsyncEvents
from limpet.aio.queue import AsyncQueue
from limpet.commands import workers
from limpet.commands.base import Command
from limpet.connection.target import resolve
from limpet.errors import ConfigError, WorkerLost
from limpet.flows import manage as manage_flows
from limpet.flows import pop as pop_flows
from limpet.flows.base import Flow
from limpet.flows.pop import Asker, Source
from limpet.hands import Hands
from limpet.heart import Heart
from limpet.keys import REGISTRY, queue_keys
from limpet.link.aio import AsyncLink
from limpet.options import Duration, Policy, WorkerOptions, count_of, milliseconds
from limpet.values import Delivery, WorkerView

T = TypeVar("T")
_FOREVER_MS = 10**12


class AsyncLimpet:
    """A connection to one server, its queues, and at most one worker."""

    def __init__(
        self,
        url: str | None = None,
        *,
        name: str = "worker",
        heartbeat: Duration = 1.0,
        lease: Duration | None = 10.0,
        timeout: Duration = 10.0,
        policies: Mapping[str, Mapping[str, Any]] | None = None,
        home: str | Path | None = None,
    ) -> None:
        """Choose the server and check all options; nothing is sent yet.

        Args:
            url: The server; else LIMPET_URL, REDIS_URL, a config file, or the embedded engine.
            name: How the worker of this client is called where workers are listed.
            heartbeat: The worker's sign of life, while it has jobs or waits for some.
            lease: How long a silent worker keeps its jobs; None for ever.
            timeout: How long one call may try to reach the server before it raises.
            policies: Options of queues by name; those under "*" are for all queues.
            home: Data directory of the embedded engine; else LIMPET_HOME or the user's own.
        """
        self._options = WorkerOptions(name, heartbeat, lease)
        self._policies = dict(policies or {})
        self._home = home
        self._known: set[str] = set()
        self._heart: Heart | None = None
        self._gate = asyncio.Lock()
        self.hands = Hands()
        timeout_s = milliseconds(timeout, "timeout") / 1000
        self.link = AsyncLink(resolve(url), timeout_s=timeout_s, home=home)

    # -- queues -----------------------------------------------------------------------------

    def queue(self, name: str, **policy: Any) -> AsyncQueue:
        """Get a queue by name; options given here go over the client's policies."""
        return AsyncQueue(name, self, **policy)

    def policy_of(self, queue: str, policy: Mapping[str, Any]) -> Policy:
        """Put the policy of a queue together: for all, for this name, said here."""
        merged = {**self._policies.get("*", {}), **self._policies.get(queue, {}), **policy}
        known = [field.name for field in fields(Policy)]
        unknown = [option for option in merged if option not in known]
        if unknown:
            raise ConfigError(f"queues have no option {unknown[0]!r}; they have {', '.join(known)}")
        return Policy(**merged)

    async def queues(self) -> list[str]:
        """List the names of all queues that were used and not dropped."""
        found = await self.link.raw("SMEMBERS", REGISTRY)
        return sorted(name.decode() for name in found)

    async def register(self, queue: str, *, again: bool = False) -> None:
        """Note a queue's name in the list of queues, once per client."""
        if again or queue not in self._known:
            await self.link.raw("SADD", REGISTRY, queue)
            self._known.add(queue)

    async def unregister(self, queue: str) -> None:
        """Take a dropped queue off the list."""
        await self.link.raw("SREM", REGISTRY, queue)
        self._known.discard(queue)

    # -- taking and ending ------------------------------------------------------------------

    async def pop(self, *queues: str, count: int = 1, wait: Duration | None = 0) -> list[Delivery]:
        """Take from several queues strictly in this order: all it can from the first, and on."""
        if not queues:
            raise ConfigError("name at least one queue to pop from")
        sources = [Source(queue_keys(q), self.policy_of(q, {})) for q in dict.fromkeys(queues)]
        return await self.pop_from(sources, count, wait)

    async def ack(self, *deliveries: Delivery) -> list[str]:
        """End deliveries of any queues as done; answers the ids really acked."""
        acked: list[str] = []
        for queue in dict.fromkeys(d.queue for d in deliveries):
            acked += await self.queue(queue).ack(*[d for d in deliveries if d.queue == queue])
        return acked

    async def release(self, *deliveries: Delivery, delay: Duration | None = None) -> list[str]:
        """Give deliveries of any queues back; answers the ids really released."""
        released: list[str] = []
        for queue in dict.fromkeys(d.queue for d in deliveries):
            mine = [d for d in deliveries if d.queue == queue]
            released += await self.queue(queue).release(*mine, delay=delay)
        return released

    async def pop_from(
        self, sources: list[Source], count: int, wait: Duration | None
    ) -> list[Delivery]:
        """Take from queues given with their policies, under this client's worker."""
        asked, wait_ms = count_of(count), self.wait_ms(wait)
        askers = [await self.asker_for(source) for source in sources]
        found = await self.take(pop_flows.pop(sources, askers[0], asked, wait_ms))
        for source in sources:
            mine = [d for d in found if d.queue == source.keys.queue]
            self.hands.take(mine, source.policy.crash_limit)
        return found

    async def take(self, flow: Flow[T]) -> T:
        """Run a flow that hands jobs out, after settling hand-outs whose reply was lost."""
        try:
            await self.link.settle()
            return await self.link.run(flow)
        except WorkerLost:
            await self._lose()
            raise

    async def send_as_worker(self, command: Command[T]) -> T:
        """Send a worker's command; if the worker was declared dead, the next call starts anew."""
        try:
            return await self.link.send(command)
        except WorkerLost:
            await self._lose()
            raise

    def wait_ms(self, wait: Duration | None) -> int:
        """Check a waiting time; None is for ever."""
        return _FOREVER_MS if wait is None else milliseconds(wait, "wait")

    # -- the worker of this process ---------------------------------------------------------

    async def start_worker(
        self,
        *,
        name: str | None = None,
        heartbeat: Duration | None = None,
        lease: Duration | None = 0,
    ) -> str:
        """Start this client's worker under a new identity; answers its id.

        Options not given are the client's own; lease None makes a permanent one.
        """
        await self.stop_worker()
        self._options = WorkerOptions(
            self._options.name if name is None else name,
            self._options.heartbeat if heartbeat is None else heartbeat,
            self._options.lease if lease == 0 else lease,
        )
        return self._new_heart().worker

    async def stop_worker(self) -> None:
        """Stop the worker; what it holds goes back to its place, no attempt spent."""
        heart, self._heart = self._heart, None
        self.hands.clear()
        if heart is not None:
            await asyncio.to_thread(heart.stop)

    @property
    def worker(self) -> str | None:
        """The id of this client's worker, if one is running."""
        return None if self._heart is None else self._heart.worker

    async def start_work(self, queue: str) -> str:
        """Serve a queue: register the worker there; answers its id. `pop` does it by itself."""
        source = Source(queue_keys(queue), self.policy_of(queue, {}))
        return (await self.asker_for(source)).worker

    async def stop_work(self, queue: str) -> int:
        """Stop serving a queue; its jobs in hand return to the front. Answers how many."""
        heart = self._heart
        if heart is None or queue not in heart.serving:
            return 0
        heart.leave(queue)
        return await self.link.run(manage_flows.stop_work(queue_keys(queue), heart.worker))

    async def fail_worker(self, worker: str) -> bool:
        """Declare a worker dead: its jobs return in every queue; True if it was known."""
        known = False
        for queue in await self.queues():
            source = Source(queue_keys(queue), self.policy_of(queue, {}))
            known = await self.link.run(manage_flows.fail_worker(source, worker)) or known
        return known

    async def workers(self) -> list[WorkerView]:
        """List all workers of all queues, one entry per worker and queue."""
        found: list[WorkerView] = []
        for queue in await self.queues():
            found.extend(await self.link.send(workers.crew(queue_keys(queue))))
        return found

    async def asker_for(self, source: Source) -> Asker:
        """Make sure that this client's worker serves a queue; answers who asks."""
        heart = self._heart
        if heart is not None and heart.lost:
            await self._lose()
            raise WorkerLost(heart.worker)
        if heart is None or heart.pid != os.getpid() or source.keys.queue not in heart.serving:
            async with self._gate:  # callers that come together must not start a worker each
                heart = await self._serve(source)
        return Asker(heart.worker, lambda: self.hands.burden)

    async def _serve(self, source: Source) -> Heart:
        heart = self._heart
        if heart is None or heart.pid != os.getpid():
            self.hands.clear()
            heart = self._new_heart()
        if source.keys.queue not in heart.serving:
            await self.register(source.keys.queue)
            started = workers.start_work(
                source.keys, heart.worker, heart.options, heart.host, heart.pid
            )
            await self.link.send(started)
            heart.serve(source)
        return heart

    def _new_heart(self) -> Heart:
        self._heart = Heart(
            self.link.target,
            self._options,
            home=self._home,
            is_idle=lambda: self.hands.burden == "none",
            unsettled=self.link.unsettled,
        )
        return self._heart

    async def _lose(self) -> None:
        if self._heart is not None:
            self._heart.lost = True
        await self.stop_worker()

    # -- events, opening and closing --------------------------------------------------------

    def events(self, *queues: str) -> AsyncEvents:
        """Listen to what happens in these queues, from now on."""
        if not queues:
            raise ConfigError("name at least one queue to listen to")
        return AsyncEvents(self.link, list(queues))

    async def ping(self) -> None:
        """Reach the server, or raise `BackendError`."""
        await self.link.raw("PING")

    async def __aenter__(self) -> Self:
        """Use the client in a `with` block."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close it."""
        await self.close()

    async def close(self) -> None:
        """Stop the worker, give back what it holds, close all connections. Safe to call twice."""
        await self.stop_worker()
        await self.link.close()


_default: AsyncLimpet | None = None


def default_client() -> AsyncLimpet:
    """Get the client that queues without one share; it is made at first use."""
    global _default  # noqa: PLW0603 - the one default of the process
    if _default is None:
        _default = AsyncLimpet()
    return _default

# Generated from src/limpet/aio/client.py by `python3 dev.py docs`; edit that file.
"""The door: a connection, the queues behind it, and the worker of this process."""

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Self

from limpet.commands import workers
from limpet.connection.target import resolve
from limpet.errors import ConfigError
from limpet.flows import manage as manage_flows
from limpet.flows import pop as pop_flows
from limpet.flows.pop import Source
from limpet.intake import by_queue, id_of
from limpet.keys import REGISTRY, queue_keys
from limpet.link.sync import Link
from limpet.options import Duration, Policy, WorkerOptions, count_of, milliseconds
from limpet.sync.events import Events
from limpet.sync.queue import Queue
from limpet.sync.working import Working
from limpet.values import Delivery, WorkerView

_FOREVER_MS = 10**12
_MOST_READY = 1000


class Limpet(Working):
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
        replicas: int = 0,
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
            replicas: A push returns once so many replicas have the job, else `NotReplicated`.
        """
        options = WorkerOptions(name, heartbeat, lease)
        timeout_ms = milliseconds(timeout, "timeout")
        if timeout_ms == 0:
            raise ConfigError("timeout must be longer than nothing")
        if not isinstance(policies or {}, Mapping):
            raise ConfigError("policies must be a mapping from names of queues to their options")
        self._policies = dict(policies or {})
        #: Policies of queues about which nothing more was said, put together already.
        self._ready: dict[str, Policy] = {}
        for queue in self._policies:  # a mistake shows here, not at the first job
            queue_keys(queue)
            self.policy_of(queue, {})
        target = resolve(url)
        if isinstance(replicas, bool) or not isinstance(replicas, int) or replicas < 0:
            raise ConfigError(f"replicas must be a whole number of at least 0, got {replicas!r}")
        if replicas and (target.clustered or target.embedded):
            raise ConfigError("replicas can be waited for on a single server or with Sentinel only")
        timeout_s = timeout_ms / 1000
        link = Link(target, timeout_s=timeout_s, home=home, replicas=replicas)
        super().__init__(link, options, home)

    # -- queues -----------------------------------------------------------------------------

    def queue(self, name: str, **policy: Any) -> Queue:
        """Get a queue by name; options given here go over the client's policies."""
        return Queue(name, self, **policy)

    def policy_of(self, queue: str, policy: Mapping[str, Any]) -> Policy:
        """Put the policy of a queue together: for all, for this name, said here."""
        if not policy and queue in self._ready:
            return self._ready[queue]
        made = self._merged(queue, policy)
        if not policy and len(self._ready) < _MOST_READY:
            self._ready[queue] = made
        return made

    def _merged(self, queue: str, policy: Mapping[str, Any]) -> Policy:
        given = (self._policies.get("*", {}), self._policies.get(queue, {}), policy)
        if not all(isinstance(options, Mapping) for options in given):
            raise ConfigError(f"the policy of queue {queue!r} must be a mapping of options")
        merged = {option: value for options in given for option, value in options.items()}
        known = [field.name for field in fields(Policy)]
        unknown = [option for option in merged if option not in known]
        if unknown:
            raise ConfigError(f"queues have no option {unknown[0]!r}; they have {', '.join(known)}")
        return Policy(**merged)

    def queues(self) -> list[str]:
        """List the names of all queues that were used and not dropped."""
        found = self.link.raw("SMEMBERS", REGISTRY)
        return sorted(name.decode() for name in found)

    def unregister(self, queue: str) -> None:
        """Take a dropped queue off the list."""
        self.link.raw("SREM", REGISTRY, queue)
        self._known.discard(queue)

    # -- taking and ending ------------------------------------------------------------------

    def pop(self, *queues: str, count: int = 1, wait: Duration | None = 0) -> list[Delivery]:
        """Take from several queues strictly in this order: all it can from the first, and on."""
        if not queues:
            raise ConfigError("name at least one queue to pop from")
        lines = dict.fromkeys(queue_keys(queue) for queue in queues)
        sources = [Source(keys, self.policy_of(keys.queue, {})) for keys in lines]
        return self.pop_from(sources, count, wait)

    def ack(self, *deliveries: Delivery) -> list[str]:
        """End deliveries of any queues as done; answers the ids really acked."""
        acked: list[str] = []
        for queue, mine in by_queue(deliveries).items():
            acked.extend(self.queue(queue).ack(*mine))
        return acked

    def release(self, *deliveries: Delivery, delay: Duration | None = None) -> list[str]:
        """Give deliveries of any queues back; answers the ids really released."""
        released: list[str] = []
        for queue, mine in by_queue(deliveries).items():
            released.extend(self.queue(queue).release(*mine, delay=delay))
        return released

    def pop_from(self, sources: list[Source], count: int, wait: Duration | None) -> list[Delivery]:
        """Take from queues given with their policies, under this client's worker."""
        asked, wait_ms = count_of(count), self.wait_ms(wait)
        askers = [self.asker_for(source) for source in sources]
        found = self.take(pop_flows.pop(sources, askers[0], asked, wait_ms), *sources)
        for source in sources:
            mine = [d for d in found if d.queue == source.keys.queue]
            self.hands.take(mine, source.policy.crash_limit)
        return found

    def wait_ms(self, wait: Duration | None) -> int:
        """Check a waiting time; None is for ever."""
        return _FOREVER_MS if wait is None else milliseconds(wait, "wait")

    # -- workers ----------------------------------------------------------------------------

    def start_work(self, queue: str) -> str:
        """Serve a queue: register the worker there; answers its id. `pop` does it by itself."""
        source = Source(queue_keys(queue), self.policy_of(queue, {}))
        return (self.asker_for(source)).worker

    def stop_work(self, queue: str) -> int:
        """Stop serving a queue; its jobs in hand return to the front. Answers how many."""
        heart = self._heart
        if heart is None or not heart.is_ours or queue not in heart.serving:
            return 0
        heart.leave(queue)
        return self.link.run(manage_flows.stop_work(queue_keys(queue), heart.worker))

    def fail_worker(self, worker: str) -> bool:
        """Declare a worker dead: its jobs return in every queue; True if it was known."""
        known = False
        for queue in self.queues() if id_of(worker) == worker else ():
            source = Source(queue_keys(queue), self.policy_of(queue, {}))
            known = self.link.run(manage_flows.fail_worker(source, worker)) or known
        return known

    def workers(self) -> list[WorkerView]:
        """List all workers of all queues, one entry per worker and queue."""
        found: list[WorkerView] = []
        for queue in self.queues():
            found.extend(self.link.send(workers.crew(queue_keys(queue))))
        return found

    # -- events, opening and closing --------------------------------------------------------

    def events(self, *queues: str) -> Events:
        """Listen to what happens in these queues, from now on."""
        if not queues:
            raise ConfigError("name at least one queue to listen to")
        return Events(self.link, list(queues))

    def ping(self) -> None:
        """Reach the server, or raise `BackendError`."""
        self.link.raw("PING")

    def __enter__(self) -> Self:
        """Use the client in a `with` block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Stop the worker, give back what it holds, close all connections. Safe to call twice."""
        self.stop_worker()
        self.link.close()


_default: Limpet | None = None


def default_client() -> Limpet:
    """Get the client that queues without one share; it is made at first use."""
    global _default  # noqa: PLW0603 - the one default of the process
    if _default is None:
        _default = Limpet()
    return _default

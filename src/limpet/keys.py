"""Every key a queue has on the server: its name, its type and what it means.

All keys of a queue start with `limpet:{name}:`. The braces are a hash tag, so the keys of one
queue live in one cluster slot and every script works there. Nothing else builds key names.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from limpet.errors import ConfigError

KeyType = Literal["string", "list", "set", "zset", "hash"]

PREFIX = "limpet"
#: Names of all queues that were ever used and not dropped (a set, outside every queue's slot).
REGISTRY = f"{PREFIX}:queues"
MAX_NAME_BYTES = 200


@dataclass(frozen=True, slots=True)
class KeySpec:
    """One key of a queue."""

    name: str
    type: KeyType
    meaning: str


KEYS: tuple[KeySpec, ...] = (
    KeySpec("clock", "hash", "last id (`ms`, `seq`), last `fence`, and the queue clock of leases"),
    KeySpec("jobs", "hash", "job id → payload, from push to the end, untouched"),
    KeySpec("waiting", "list", "ids in order; a removed job leaves its id until it is reached"),
    KeySpec("front", "zset", "returned, unlocked and pushed-to-front ids by place; served first"),
    KeySpec("suspects", "zset", "ids whose worker died, by place; a worker runs one at a time"),
    KeySpec("scheduled", "zset", "ids by the time they are due (ms)"),
    KeySpec("parked", "zset", "what it waits for (a lock, a group, a task) + place + id"),
    KeySpec("running", "hash", "id → fence of its present delivery"),
    KeySpec("leases", "hash", "fence → worker, time (ms) and ids of one hand-out"),
    KeySpec("left", "hash", "fence → ids still running, once some of the hand-out ended"),
    KeySpec("aging", "zset", "fences, oldest hand-out first"),
    KeySpec("held", "zset", "worker + fence: the hand-outs of each worker"),
    KeySpec("meta", "hash", "id → JSON of what is not plain about a job"),
    KeySpec("unique", "hash", "unique key → id of the job that holds it"),
    KeySpec("locks", "zset", "lock + id of the running jobs that hold it"),
    KeySpec("trials", "zset", "worker + id of the suspect it is running"),
    KeySpec("cancelled", "set", "running ids that were asked to end"),
    KeySpec("workers", "zset", "worker → end of its lease on the queue clock"),
    KeySpec("crew", "hash", "worker → JSON of its name, host, process and lease"),
    KeySpec("dead", "zset", "ids given up, by time (ms); bounded"),
    KeySpec("failures", "list", "JSON of the last 100 errors, newest first"),
    KeySpec("stats", "hash", "counters"),
    KeySpec("results", "hash", "id → how a job ended, when (ms), and its result, if asked for"),
    KeySpec("expiring", "zset", "ids of kept results by the time (ms) they are forgotten"),
    KeySpec("notes", "hash", "id → JSON of progress, log lines and effects of a job"),
    KeySpec("groups", "hash", "group → JSON of how many of its members ended how"),
    KeySpec("members", "zset", "group + id of its members that have not ended"),
    KeySpec("schedules", "hash", "name → last job id and JSON of when to push what"),
    KeySpec("firing", "zset", "names of schedules by the time (ms) they fire next"),
    KeySpec("sessions", "hash", "sender → its last request and the answer, to answer it again"),
    KeySpec("lanes", "list", "senders in the order they came, to forget the silent ones"),
    KeySpec("wake", "list", "at most one token; whoever waits for work blocks on it"),
    KeySpec("paused", "string", "present while the queue hands nothing out"),
)

KEY_TYPES: dict[str, KeyType] = {spec.name: spec.type for spec in KEYS}


@dataclass(frozen=True, slots=True)
class QueueKeys:
    """The keys of one queue, by name."""

    queue: str

    def __getitem__(self, name: str) -> str:
        """Build the full name of one key."""
        return f"{PREFIX}:{{{self.queue}}}:{name}"

    def pick(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Build several keys at once, in the order asked."""
        return tuple([self[name] for name in names])

    @property
    def events(self) -> str:
        """The channel on which events of the queue are published."""
        return self["events"]

    def outcome(self, job_id: str) -> str:
        """Name the channel on which the end of one job is told to those who wait for it."""
        return f"{self['results']}:{job_id}"


def queue_keys(queue: str) -> QueueKeys:
    """Check a queue name and give its keys."""
    if not isinstance(queue, str) or not queue:
        raise ConfigError("a queue name must be text with at least one character")
    return _keys_of(queue)


@lru_cache(maxsize=4096)
def _keys_of(queue: str) -> QueueKeys:
    if len(queue.encode("utf-8", "surrogatepass")) > MAX_NAME_BYTES:
        raise ConfigError(f"a queue name may have at most {MAX_NAME_BYTES} bytes")
    bad = next((c for c in queue if c in "{}" or not c.isprintable()), None)
    if bad is not None:
        raise ConfigError(
            f"queue name {queue!r} has {bad!r}: braces and control characters are not allowed"
        )
    return QueueKeys(queue)

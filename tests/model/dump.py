"""All keys of one queue as they are on the server, read in one atomic round trip."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import redis

from limpet.commands.base import loads
from limpet.keys import KEYS, KeyType, QueueKeys, queue_keys

NAMES = tuple(spec.name for spec in KEYS)

_READ = """
local read = {
  hash = { "HGETALL" }, set = { "SMEMBERS" }, string = { "GET" },
  list = { "LRANGE", 0, -1 }, zset = { "ZRANGE", 0, -1, "WITHSCORES" },
}
local found = {}
for i, key in ipairs(KEYS) do
  local kind = redis.call("TYPE", key).ok
  local how = read[kind]
  found[i] = { kind, redis.call("PTTL", key), how and redis.call(how[1], key, unpack(how, 2)) }
end
return found
"""


@dataclass(frozen=True, slots=True)
class Lease:
    """One hand-out as it is kept: who got it, when (ms), and the ids it named."""

    worker: str
    at: int
    count: int
    ids: tuple[str, ...]


class Dump:
    """The raw content of a queue by the names in `limpet.keys`, with a few readings of it.

    `fields("jobs")`, `elements("waiting")`, `scored("front")`, `members("cancelled")` give what
    is there; an empty answer stands for a key that is missing or of another type.
    """

    def __init__(self, keys: QueueKeys, found: list[Any], names: list[bytes]) -> None:
        self.keys = keys
        #: Every key on the server that starts like a key of this queue.
        self.names = {name.decode("utf-8", "surrogateescape") for name in names}
        there = {n: row for n, row in zip(NAMES, found, strict=True) if row[0] != b"none"}
        self.types: dict[str, str] = {name: row[0].decode() for name, row in there.items()}
        self.ttls: dict[str, int] = {name: row[1] for name, row in there.items()}
        self._content = {name: row[2] for name, row in there.items() if len(row) > 2}

    def _of(self, name: str, kind: KeyType) -> Any:
        return self._content[name] if self.types.get(name) == kind else []

    def fields(self, name: str) -> dict[bytes, bytes]:
        """The fields of a hash."""
        flat = self._of(name, "hash")
        return dict(zip(flat[::2], flat[1::2], strict=True))

    def texts(self, name: str) -> dict[str, str]:
        """The fields of a hash whose names and values are plain text."""
        return {key.decode(): value.decode() for key, value in self.fields(name).items()}

    def elements(self, name: str) -> list[bytes]:
        """The elements of a list."""
        return list(self._of(name, "list"))

    def members(self, name: str) -> set[str]:
        """The members of a set of ids."""
        return {member.decode() for member in self._of(name, "set")}

    def scored(self, name: str) -> list[tuple[bytes, float]]:
        """The members of a sorted set with their scores, lowest first."""
        flat = self._of(name, "zset")
        return [(m, float(score)) for m, score in zip(flat[::2], flat[1::2], strict=True)]

    def ids(self, name: str) -> list[str]:
        """The members of a sorted set of ids, lowest score first."""
        return [member.decode() for member, _ in self.scored(name)]

    @cached_property
    def facts(self) -> dict[str, dict[str, Any]]:
        """What is not plain about each job that has such facts."""
        return {job_id.decode(): loads(raw) for job_id, raw in self.fields("meta").items()}

    def place(self, job_id: str) -> int:
        """Where a job stands in line."""
        kept = self.facts.get(job_id, {}).get("place")
        return int(kept if kept is not None else job_id.rpartition("-")[2])

    @cached_property
    def entries(self) -> list[tuple[str, bool]]:
        """The ids in the list of waiting jobs, in order, each with whether it is a ghost."""
        jobs, found = self.fields("jobs"), []
        for entry in self.elements("waiting"):
            job_id, _, place = entry.decode().partition(" ")
            kept = self.facts.get(job_id, {}).get("place")
            found.append(
                (job_id, job_id.encode() not in jobs or (place != "" and int(place) != kept))
            )
        return found

    @cached_property
    def line(self) -> list[str]:
        """The ids in line, in the order they are served."""
        rest = [job_id for job_id, ghost in self.entries if not ghost]
        return self.ids("suspects") + self.ids("front") + rest

    @cached_property
    def leases(self) -> dict[int, Lease]:
        """The hand-outs by fence."""
        found = {}
        for fence, record in self.texts("leases").items():
            worker, at, count, *ids = record.split(" ")
            found[int(fence)] = Lease(worker, int(at), int(count), tuple(ids))
        return found

    def grouped(self, name: str) -> list[tuple[bytes, bytes]]:
        """The members of a set ordered in groups: each one's group and the rest of it."""
        found = []
        for member, _ in self.scored(name):
            digits, _, rest = member.partition(b":")
            found.append((rest[: int(digits)], rest[int(digits) + 1 :]))
        return found


def dump(client: redis.Redis, queue: str) -> Dump:
    """Read all keys of a queue at one moment."""
    keys = queue_keys(queue)
    special = str.maketrans({c: f"\\{c}" for c in "*?[]^\\"})
    with client.pipeline(transaction=False) as pipe:
        pipe.eval(_READ, len(NAMES), *keys.pick(NAMES))
        pipe.keys(keys[""].translate(special) + "*")
        found, names = pipe.execute()
    return Dump(keys, found, names)

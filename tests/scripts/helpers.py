"""One queue on a real server, called at fixed times, and everything it consists of as a dict."""

import json
from collections.abc import Callable, Generator
from types import TracebackType
from typing import Any, Self, TypeVar

import redis
from redis.exceptions import NoScriptError

from limpet.commands import finish, look, push, take, workers
from limpet.commands.base import Command
from limpet.commands.push import NewJob
from limpet.commands.take import Burden, Taken, Taker
from limpet.keys import KEYS, queue_keys
from limpet.options import WorkerOptions
from limpet.values import Delivery, Receipt, Stats

T = TypeVar("T")
Content = Any  # of one key: dict (hash), list, dict of scores (sorted set), set, str

#: The server time of tests unless they say otherwise: Unix milliseconds.
NOW = 1_700_000_000_000
HOUR = 3_600_000
#: What an ended job leaves behind: nothing.
GONE = None


def jid(seq: int, ms: int = NOW) -> str:
    """Name the job pushed at this time with this number."""
    return f"{ms}-{seq}"


def text(raw: bytes) -> str:
    """Show bytes in a way that can be compared and read."""
    return raw.decode("utf-8", "backslashreplace")


def fact(raw: bytes) -> Any:
    """Read JSON, whose order of names is nobody's business; anything else is shown as it is."""
    try:
        return json.loads(raw.decode("utf-8", "surrogateescape"))
    except ValueError:
        return text(raw)


def _value(key: bytes, raw: bytes) -> Any:
    return (
        fact(raw)
        if key.endswith((b":meta", b":crew", b":failures", b":notes", b":groups"))
        else text(raw)
    )


#: How to ask for a key of each type, and how to show what comes.
_ASK: dict[bytes, Callable[[Any, bytes], object]] = {
    b"hash": lambda pipe, key: pipe.hgetall(key),
    b"list": lambda pipe, key: pipe.lrange(key, 0, -1),
    b"zset": lambda pipe, key: pipe.zrange(key, 0, -1, withscores=True),
    b"set": lambda pipe, key: pipe.smembers(key),
    b"string": lambda pipe, key: pipe.get(key),
}
_SHOW: dict[bytes, Callable[[bytes, Any], Content]] = {
    b"hash": lambda key, raw: {text(k): _value(key, v) for k, v in raw.items()},
    b"list": lambda key, raw: [_value(key, v) for v in raw],
    b"zset": lambda key, raw: {text(m): score for m, score in raw},
    b"set": lambda key, raw: {text(m) for m in raw},
    b"string": lambda key, raw: text(raw),
}


def snapshot(store: redis.Redis) -> dict[str, Content]:
    """Give the full content of every key there is; a key that expires is also named so."""
    keys = sorted(store.keys())
    with store.pipeline(transaction=False) as pipe:
        for key in keys:
            pipe.type(key).pttl(key)
        seen = pipe.execute()
    with store.pipeline(transaction=False) as pipe:
        for key, kind in zip(keys, seen[::2], strict=True):
            _ASK[kind](pipe, key)
        contents = pipe.execute()
    found: dict[str, Content] = {}
    for key, kind, ttl, raw in zip(keys, seen[::2], seen[1::2], contents, strict=True):
        name = text(key.removeprefix(b"limpet:{q}:"))
        found[name] = _SHOW[kind](key, raw)
        if ttl >= 0:
            found[f"{name} expires"] = True
    return found


def changes(before: dict[str, Content], after: dict[str, Content]) -> dict[str, Content]:
    """Give the new content of every key that differs; None if it is gone."""
    names = before.keys() | after.keys()
    return {name: after.get(name) for name in names if before.get(name) != after.get(name)}


class World:
    """A queue called `q`, called at fixed times by a user who may touch only the keys declared."""

    def __init__(self, store: redis.Redis) -> None:
        """Take a client of an empty server."""
        self.store = store
        self.keys = queue_keys("q")
        self.now = NOW
        self._seq = 0
        self._strict = store.connection_pool.connection_kwargs | {
            "username": "strict",
            "password": "strict",
        }
        self._allowed: tuple[str, ...] = ("nothing yet",)
        self._allow(())
        pool = redis.ConnectionPool(
            connection_class=store.connection_pool.connection_class, **self._strict
        )
        self.limited = redis.Redis(connection_pool=pool)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.limited.close()
        self.limited.connection_pool.disconnect()

    def _allow(self, keys: tuple[str, ...]) -> None:
        """Let the strict user touch these keys, call anything, and publish events of the queue."""
        if keys == self._allowed:
            return
        self._allowed = keys
        rules = [f"~{key}" for key in dict.fromkeys(keys)]
        channels = [f"&{self.keys.events}", "&" + self.keys.outcome("*")]
        fixed = ["reset", "on", ">strict", "+@all", *channels]
        self.store.execute_command("ACL", "SETUSER", "strict", *fixed, *rules)

    def send(
        self, command: Command[T], *, lane: str = "", seq: int | None = None, at: int | None = None
    ) -> Any:
        """Send a command at a time (ms); lane "" leaves no memory. Answers the plain reply."""
        if seq is None:
            self._seq += 1
            seq = self._seq
        envelope = {"at": (self.now if at is None else at) * 1000, "lane": lane, "seq": seq}
        args = [*(envelope[name] for name in command.envelope), *command.args]
        self._allow(command.keys)
        call = (len(command.keys), *command.keys, *args)
        try:
            return self.limited.evalsha(command.script.sha, *call)
        except NoScriptError:
            return self.limited.eval(command.script.text, *call)

    def run(self, command: Command[T], **envelope: Any) -> T:
        """Send a command and read its answer."""
        return command.read(self.send(command, **envelope))

    def step(self, command: Command[T], **envelope: Any) -> tuple[Any, dict[str, Content]]:
        """Send a command; gives the plain reply and the new content of every key that changed."""
        before = self.snapshot()
        reply = self.send(command, **envelope)
        return reply, changes(before, self.snapshot())

    def drive(self, flow: Generator[Any, Any, T]) -> T:
        """Go through all steps of a flow."""
        answer: Any = None
        while True:
            try:
                command = flow.send(answer)
            except StopIteration as end:
                return end.value
            answer = self.run(command)

    def snapshot(self) -> dict[str, Content]:
        """Give the content of every key."""
        return snapshot(self.store)

    # What most tests need to get going.

    def push(self, *jobs: NewJob | bytes, at: int | None = None) -> list[str]:
        """Push jobs; gives their ids."""
        made = [NewJob(job) if isinstance(job, bytes) else job for job in jobs]
        return [pushed.id for pushed in self.run(push.push_any(self.keys, made), at=at).pushed]

    def start(self, worker: str = "w1", **options: Any) -> None:
        """Let a worker serve the queue."""
        made = WorkerOptions(**options)
        self.run(workers.start_work(self.keys, worker, made, "host", 1))

    def pop(
        self, count: int = 1, worker: str = "w1", burden: Burden = "none", at: int | None = None
    ) -> list[Delivery]:
        """Take jobs; what is due was brought in before."""
        return self.take(count, worker, burden, at).deliveries

    def take(
        self, count: int = 1, worker: str = "w1", burden: Burden = "none", at: int | None = None
    ) -> Taken:
        """Take jobs; gives the whole answer."""
        taker = Taker(worker, burden, 3)
        return self.run(take.pop(self.keys, taker, count, tended=True), at=at)

    def ack(self, *deliveries: Delivery) -> list[str]:
        """End deliveries as done; gives the ids really acked."""
        return self.run(finish.ack(self.keys, receipts(*deliveries)))

    def tend(self, *, at: int | None = None, crash_limit: int = 3) -> None:
        """Keep house until nothing is left to do."""
        while self.run(workers.tend(self.keys, crash_limit, 1000), at=at).more:
            pass

    def crash(self, worker: str = "w1") -> None:
        """Let a worker die and be cleared away."""
        self.run(workers.fail_worker(self.keys, worker))
        self.tend()

    def stats(self) -> Stats:
        """Count."""
        return self.run(look.stats(self.keys))

    def facts(self, job_id: str) -> dict[str, Any]:
        """Give what is noted about a job."""
        raw = self.store.hget(self.keys["meta"], job_id)
        return {} if raw is None else json.loads(raw)


def receipts(*deliveries: Delivery) -> list[Receipt]:
    """Give the receipts of deliveries."""
    return [delivery.receipt for delivery in deliveries]


def names_of_keys() -> tuple[str, ...]:
    """List the short names of all keys of a queue."""
    return tuple(spec.name for spec in KEYS)


def fence(nth: int = 0, ms: int = NOW) -> str:
    """Give the number of the nth hand-out made at this time."""
    return str(ms * 1000 + nth)


def lease(worker: str, *ids: str, ms: int = NOW) -> str:
    """Write a hand-out as the server keeps it."""
    return f"{worker} {ms} {len(ids)} {' '.join(ids)}"


def parked(lock: str, place: int, job_id: str) -> str:
    """Write a parked job as the server keeps it."""
    return f"{len(lock)}:{lock}|{place + 4503599627370496:016d}{job_id}"

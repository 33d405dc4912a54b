"""verify.lua and repair.lua, and all others, on queues damaged at random."""

from random import Random

import pytest

from limpet.commands import finish, look, manage, take, workers
from limpet.commands.take import Taker
from limpet.flows import audit
from limpet.keys import KEY_TYPES
from limpet.states import State
from tests.scripts.helpers import NOW, World
from tests.scripts.scenes import LOCK, drain, full

GARBAGE = (b"", b"x", b"7", b"-1", b"[]", b"{}", b"a b c", b"\x00", b"nan", b"9-9")
FACTS = (
    b'{"crashes":1}',
    b'{"crashes":2,"booked":"w1"}',
    b'{"place":5}',
    b'{"lock":"S","limit":2}',
    b'{"place":-3,"limit":0}',
    b'{"deliveries":"x","started":1}',
    b'{"mode":"never"}',
)


class Vandal:
    """Somebody who writes to the keys of a queue at random, but never a value of another type.

    A coarse one also writes nonsense into records; any one adds, moves and removes members.
    """

    def __init__(self, world: World, seed: int, *, coarse: bool) -> None:
        """Look at what is there."""
        self.random = Random(seed)
        self.coarse = coarse
        self.store, self.keys = world.store, world.keys
        self.ids = sorted(self.store.hkeys(self.keys["jobs"]))
        self.fences = sorted(self.store.hkeys(self.keys["leases"]))

    def act(self) -> None:
        """Do one thing to one key."""
        name = self.random.choice([n for n in KEY_TYPES if n not in {"paused", "failures"}])
        if self.random.random() < 0.08:
            self.store.delete(self.keys[name])
        else:
            getattr(self, f"_{KEY_TYPES[name]}")(name, self.keys[name])

    def _some(self, name: str) -> bytes:
        """Think of a member."""
        job = self.random.choice(self.ids)
        members: dict[str, bytes] = {
            "parked": b"3:%b|4503599627370501%b" % (LOCK, job),
            "locks": self.random.choice([b"3:" + LOCK, b"1:S", b"4:free"]) + b"|" + job,
            "trials": self.random.choice([b"2:w1|", b"2:w2|"]) + job,
            "held": b"2:w1|" + self.random.choice(self.fences),
            "aging": self.random.choice(self.fences),
            "workers": self.random.choice([b"w1", b"w2", b"stranger"]),
        }
        usual = members.get(name, job)
        return self.random.choice([usual, usual, usual, self.random.choice(GARBAGE)])

    def _zset(self, name: str, key: str) -> None:
        if self.random.random() < 0.5 and self.store.exists(key):
            self.store.zrem(key, self.random.choice(self.store.zrange(key, 0, -1)))
        else:
            score = self.random.choice([0, 0, 5, -7, 10.5, NOW, "inf", "-inf"])
            self.store.zadd(key, {self._some(name): score})

    def _set(self, name: str, key: str) -> None:
        if self.random.random() < 0.5:
            self.store.spop(key)
        else:
            self.store.sadd(key, self._some(name))

    def _list(self, name: str, key: str) -> None:
        size = self.store.llen(key)
        if self.random.random() < 0.5 and size:
            self.store.lrem(key, 1, self.store.lindex(key, self.random.randrange(size)))
        elif self.random.random() < 0.5 and size:
            self.store.lset(key, self.random.randrange(size), self._some(name))
        else:
            self.random.choice([self.store.lpush, self.store.rpush])(key, self._some(name))

    def _hash(self, name: str, key: str) -> None:
        fields = sorted(self.store.hkeys(key))
        if name == "jobs":
            self._payload(key, fields)
        elif self.random.random() < 0.5 and fields:
            self.store.hdel(key, self.random.choice(fields))
        else:
            field = self.random.choice([*fields, self._some(name)])
            values: dict[str, list[bytes]] = {
                "meta": list(FACTS[: None if self.coarse else 4]),
                "running": self.fences,
                "unique": self.ids,
                "leases": [b"w1 %d 2 %b %b" % (NOW, self._some(""), self._some(""))],
                "left": [b"1", b"2"],
            }
            usual = values.get(name, [])
            if usual or self.coarse:
                value = self.random.choice([*usual, *(GARBAGE if self.coarse else ())])
                self.store.hset(key, field, value)

    def _payload(self, key: str, fields: list[bytes]) -> None:
        if self.random.random() < 0.5 and fields:
            self.store.hdel(key, self.random.choice(fields))
        else:
            self.store.hset(key, f"{NOW}-{self.random.randrange(1000)}", "from nowhere")


@pytest.mark.parametrize("seed", range(200))
def test_repair_mends_any_damage(world: World, seed: int) -> None:
    """Afterwards all is well, and every job whose payload is there comes out exactly once."""
    full(world)
    vandal = Vandal(world, seed, coarse=True)
    for _ in range(vandal.random.randrange(1, 12)):
        vandal.act()
    there = {i.decode() for i in world.store.hkeys(world.keys["jobs"])}
    told = {i.decode() for i in world.store.smembers(world.keys["cancelled"])}

    world.drive(audit.repair(world.keys))

    assert world.drive(audit.verify(world.keys)).problems == ()
    came = drain(world)
    assert {i: n for i, n in came.items() if n > 1} == {}
    assert there - told <= came.keys() <= there
    assert not world.store.exists(world.keys["jobs"], world.keys["running"], world.keys["meta"])
    assert world.drive(audit.verify(world.keys)).problems == ()


@pytest.mark.parametrize("seed", range(100))
def test_no_damage_blocks_a_queue(world: World, seed: int) -> None:
    """Without any repair nothing raises and new jobs are served; repair still mends all of it."""
    full(world)
    vandal = Vandal(world, 1000 + seed, coarse=False)
    for _ in range(vandal.random.randrange(1, 12)):
        vandal.act()

    use(world, [i.decode() for i in vandal.ids])
    world.now += 1  # with a clock that lost its count, only the time makes an id new
    (fresh,) = world.push(b"fresh")
    came = drain(world)
    world.drive(audit.repair(world.keys))

    assert came[fresh] == 1
    assert world.drive(audit.verify(world.keys)).problems == ()


def use(world: World, ids: list[str]) -> None:
    """Make one call of each kind that changes jobs or shows them."""
    keys, taker = world.keys, Taker("new", "none", 3)
    world.start("new")
    taken = world.run(take.pop(keys, taker, 6, tended=True)).deliveries
    world.run(finish.ack(keys, [d.receipt for d in taken[:2]]))
    world.run(finish.release(keys, [d.receipt for d in taken[2:3]], None))
    world.run(finish.release(keys, [d.receipt for d in taken[3:4]], 5))
    for delivery in taken[4:5]:
        world.run(finish.fail(keys, delivery.receipt, b"no", 10))
    for delivery in taken[5:6]:
        world.run(finish.retry(keys, delivery.receipt, 5, b"no"))
    world.run(manage.cancel(keys, ids[::5], None))
    world.run(take.recover(keys, "new", 2, 0))
    world.run(take.claim(keys, taker, 0, tended=True))
    world.run(workers.beat([keys], "new"))
    world.run(manage.purge(keys, [], 1))
    world.crash("w1")
    for state in State:
        world.send(look.inspect(keys, state, 0, 100))
    world.send(look.locks(keys, 0, 100))

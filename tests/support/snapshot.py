"""Everything on a server as plain values, to compare before and after."""

from typing import Any

import redis

_READ = {
    b"string": lambda pipe, key: pipe.get(key),
    b"list": lambda pipe, key: pipe.lrange(key, 0, -1),
    b"set": lambda pipe, key: pipe.smembers(key),
    b"zset": lambda pipe, key: pipe.zrange(key, 0, -1, withscores=True),
    b"hash": lambda pipe, key: pipe.hgetall(key),
}


def everything(plain: redis.Redis) -> dict[str, Any]:
    """Read all keys, with their types and whether they end by themselves."""
    names = sorted(plain.keys("*"))
    types = plain.pipeline(transaction=False)
    for name in names:
        types.type(name)
        types.ttl(name)
    found = types.execute() if names else []
    values = plain.pipeline()
    for name, kind in zip(names, found[::2], strict=True):
        _READ[kind](values, name)
    read = values.execute() if names else []
    rows = zip(names, found[::2], found[1::2], read, strict=True)
    return {name.decode(): (kind.decode(), ttl >= 0, value) for name, kind, ttl, value in rows}

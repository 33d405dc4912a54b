"""No queue: RPUSH at one end, BLMOVE at the other. The limit for enqueueing and for latency."""

import json

import redis

from benchmarks.peers.common import PORT, calls_of, leave, mark, when_told

client = redis.Redis(port=PORT, protocol=2)


def payload(kind: str, number: int) -> bytes:
    """Give the bytes that limpet writes for the same job, as cheaply as can be."""
    return b'{"task":"%b","args":[%d]}' % (kind.encode(), number)


def enqueue(kind: str, numbers: range) -> None:
    """One round trip per job."""
    for number in numbers:
        client.rpush("bare:line", payload(kind, number))


def bulk(kind: str, numbers: range) -> None:
    """1,000 a call of a payload made beforehand: nothing but redis-py and the server."""
    ready = payload(kind, numbers[-1])
    for part in calls_of(numbers):
        client.rpush("bare:line", *[ready] * len(part))


def bulk_made(kind: str, numbers: range) -> None:
    """1,000 a call, each payload written by `json.dumps`, as a producer has to."""
    for part in calls_of(numbers):
        made = [json.dumps({"task": kind, "args": [n]}, separators=(",", ":")) for n in part]
        client.rpush("bare:line", *made)


def work(_kind: str) -> None:
    """Move a job aside, do nothing with it, remove it."""
    when_told(leave)
    while True:
        found = client.blmove("bare:line", "bare:running", 1, "LEFT", "RIGHT")
        if found is not None:
            mark(int(found[found.index(b"[") + 1 : -2]))
            client.lrem("bare:running", 1, found)

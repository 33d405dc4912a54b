"""No queue: RPUSH at one end, BLMOVE at the other. The limit for latency."""

import redis

from benchmarks.peers.common import PORT, leave, mark, when_told

client = redis.Redis(port=PORT, protocol=2)


def enqueue(_kind: str, numbers: range) -> None:
    """One round trip per number."""
    for number in numbers:
        client.rpush("bare:line", number)


def work(_kind: str) -> None:
    """Move a number aside, do nothing with it, remove it."""
    when_told(leave)
    while True:
        found = client.blmove("bare:line", "bare:running", 1, "LEFT", "RIGHT")
        if found is not None:
            mark(int(found))
            client.lrem("bare:running", 1, found)

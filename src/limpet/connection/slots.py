"""Waiting on several queues of a cluster: they live in different slots, so each needs a call.

The calls wait side by side, and the first answer ends them all. A second answer that comes at that
very moment is lost with its connection, so whoever waited must look into all of the queues.
"""

import asyncio
import selectors
from typing import Any

import redis
from redis.exceptions import AskError, MovedError, TryAgainError

AGAIN_S = 0.01


async def async_listen(client: Any, keys: tuple[str, ...], for_s: float) -> None:
    """Wait until one of the keys calls or the time is up."""
    calls = [asyncio.ensure_future(client.execute_command("BLPOP", key, for_s)) for key in keys]
    try:
        done, _ = await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
    finally:
        # The library may swallow a cancellation while it connects: say it until it is heard.
        while pending := [call for call in calls if not call.done()]:
            for call in pending:
                call.cancel()
            await asyncio.wait(pending, timeout=AGAIN_S)
        await asyncio.gather(*calls, return_exceptions=True)  # so that none of them complains
    for call in done:
        call.result()


def sync_listen(client: Any, keys: tuple[str, ...], for_s: float) -> None:
    """Wait until one of the keys calls or the time is up, without a thread per key."""
    with selectors.DefaultSelector() as selector:
        nodes: list[Any] = []
        waiting: set[Any] = set()
        try:
            for key in keys:
                node = client.get_redis_connection(client.get_node_from_key(key)).client()
                nodes.append(node)
                waiting.add(node)
                node.connection.send_command("BLPOP", key, for_s)
                socket = node.connection._sock  # noqa: SLF001 - to wait for many sockets at once
                selector.register(socket, selectors.EVENT_READ, (node, key))
            ready = selector.select(nodes[0].connection.socket_timeout)
            if not ready:
                raise redis.TimeoutError("no answer to a wait")
            for answered, _ in ready:
                node, key = answered.data
                _read(client, node.connection, key)
                waiting.discard(node)
        finally:
            for node in nodes:
                if node in waiting:
                    node.connection.disconnect()
                node.close()


def _read(client: Any, connection: Any, key: str) -> None:
    """Read one answer; the client learns of a slot that has moved by being sent there."""
    try:
        connection.read_response()
    except MovedError:
        client.execute_command("EXISTS", key)
    except AskError as error:
        raise TryAgainError(f"the slot of {key} is on its way") from error

"""Exchanges with the server: requests go out in one write, their answers come back in order."""

from typing import Any

import redis

from limpet.connection.clients import (
    Meet,
    async_borrow,
    async_client,
    async_close,
    async_is_clean,
    async_lend_back,
    async_refresh,
    async_return,
)
from limpet.connection.context import async_within
from limpet.connection.packing import pack

#: How many idle connections are kept; the others go back to the library's pool.
KEPT = 16
#: The words of a command.
Words = tuple[Any, ...]


class AsyncWire:
    """A client of the redis library, and connections of it that are kept between exchanges.

    For each command the library borrows a connection, times what it does and gives it back, which
    takes longer than many an answer of the server. Here connections stay, and only the whole
    exchange is timed.
    """

    def __init__(self, client: Any, patience_s: float) -> None:
        """Start with no connection; an exchange may take this long."""
        self.client, self._patience_s = client, patience_s
        self._idle: list[Any] = []

    async def ask(self, *requests: Words) -> list[Any]:
        """Send requests; answers all replies, those that are errors of the server as such."""
        connection = await self._connection()
        try:
            replies = await async_within(self._patience_s, _exchange(connection, requests))
        except BaseException:
            await async_return(self.client, connection)
            raise
        if len(self._idle) < KEPT:
            self._idle.append(connection)
        else:
            await async_lend_back(self.client, connection)
        return replies

    async def ask_one(self, request: Words) -> Any:
        """Send one request; an error of the server is raised."""
        (reply,) = await self.ask(request)
        return checked(reply)

    async def _connection(self) -> Any:
        while True:
            try:
                connection = self._idle.pop()
            except IndexError:
                return await async_borrow(self.client)
            try:
                clean = await async_is_clean(connection)
            except BaseException:
                await async_return(self.client, connection)
                raise
            if clean:
                return connection
            await async_return(self.client, connection)

    async def refresh(self) -> None:
        """Close connections that are not in use: behind the same address may be another server."""
        for _ in range(KEPT):
            try:
                connection = self._idle.pop()
            except IndexError:  # another thread may have taken the last one
                break
            await async_return(self.client, connection)
        await async_refresh(self.client)

    async def close(self) -> None:
        """Close all connections."""
        await async_close(self.client)


class AsyncClusterWire(AsyncWire):
    """The same for a cluster: the library knows which of its nodes to ask."""

    async def ask(self, *requests: Words) -> list[Any]:
        """Send requests; answers all replies, those that are errors of the server as such."""
        replies: list[Any] = []
        for request in requests:
            try:
                replies.append(await self.client.execute_command(*request))
            except redis.ResponseError as error:
                replies.append(error)
        return replies


def checked(reply: Any) -> Any:
    """Raise a reply that is an error, give back any other."""
    if isinstance(reply, Exception):
        raise reply
    return reply


async def _exchange(connection: Any, requests: tuple[Words, ...]) -> list[Any]:
    await connection.send_packed_command(pack(connection, requests))
    return [await _reply(connection) for _ in requests]


async def _reply(connection: Any) -> Any:
    try:
        return await connection.read_response()
    except redis.ResponseError as error:
        return error.with_traceback(None)  # which would hold on to its callers


def make_wire(url: str, patience_s: float, meet: Meet) -> AsyncWire:
    """Make a wire; `meet` is called for every new connection."""
    kind = AsyncClusterWire if "+cluster://" in url else AsyncWire
    return kind(async_client(url, patience_s, meet), patience_s)

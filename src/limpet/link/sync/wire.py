# Generated from src/limpet/link/aio/wire.py by `python3 dev.py docs`; edit that file.
"""Exchanges with the server: requests go out in one write, their answers come back in order."""

from typing import Any

import redis

from limpet.connection.clients import (
    Meet,
    sync_borrow,
    sync_client,
    sync_close,
    sync_is_clean,
    sync_lend_back,
    sync_refresh,
    sync_return,
)
from limpet.connection.context import sync_within
from limpet.connection.packing import pack

#: How many idle connections are kept; the others go back to the library's pool.
KEPT = 16
#: The words of a command.
Words = tuple[Any, ...]


class Wire:
    """A client of the redis library, and connections of it that are kept between exchanges.

    For each command the library borrows a connection, times what it does and gives it back, which
    takes longer than many an answer of the server. Here connections stay, and only the whole
    exchange is timed.
    """

    def __init__(self, client: Any, patience_s: float) -> None:
        """Start with no connection; an exchange may take this long."""
        self.client, self._patience_s = client, patience_s
        self._idle: list[Any] = []

    def ask(self, *requests: Words) -> list[Any]:
        """Send requests; answers all replies, those that are errors of the server as such."""
        connection = self._connection()
        try:
            replies = sync_within(self._patience_s, _exchange(connection, requests))
        except BaseException:
            sync_return(self.client, connection)
            raise
        if len(self._idle) < KEPT:
            self._idle.append(connection)
        else:
            sync_lend_back(self.client, connection)
        return replies

    def ask_one(self, request: Words) -> Any:
        """Send one request; an error of the server is raised."""
        (reply,) = self.ask(request)
        return checked(reply)

    def _connection(self) -> Any:
        while True:
            try:
                connection = self._idle.pop()
            except IndexError:
                return sync_borrow(self.client)
            try:
                clean = sync_is_clean(connection)
            except BaseException:
                sync_return(self.client, connection)
                raise
            if clean:
                return connection
            sync_return(self.client, connection)

    def refresh(self) -> None:
        """Close connections that are not in use: behind the same address may be another server."""
        for _ in range(KEPT):
            try:
                connection = self._idle.pop()
            except IndexError:  # another thread may have taken the last one
                break
            sync_return(self.client, connection)
        sync_refresh(self.client)

    def close(self) -> None:
        """Close all connections."""
        sync_close(self.client)


class ClusterWire(Wire):
    """The same for a cluster: the library knows which of its nodes to ask."""

    def ask(self, *requests: Words) -> list[Any]:
        """Send requests; answers all replies, those that are errors of the server as such."""
        replies: list[Any] = []
        for request in requests:
            try:
                replies.append(self.client.execute_command(*request))
            except redis.ResponseError as error:
                replies.append(error)
        return replies


def checked(reply: Any) -> Any:
    """Raise a reply that is an error, give back any other."""
    if isinstance(reply, Exception):
        raise reply
    return reply


def _exchange(connection: Any, requests: tuple[Words, ...]) -> list[Any]:
    connection.send_packed_command(pack(connection, requests))
    return [_reply(connection) for _ in requests]


def _reply(connection: Any) -> Any:
    try:
        return connection.read_response()
    except redis.ResponseError as error:
        return error.with_traceback(None)  # which would hold on to its callers


def make_wire(url: str, patience_s: float, meet: Meet) -> Wire:
    """Make a wire; `meet` is called for every new connection."""
    kind = ClusterWire if "+cluster://" in url else Wire
    return kind(sync_client(url, patience_s, meet), patience_s)

"""Make clients of the redis library: its own retries off, every timeout set.

A library that sends a command again on its own would do a push twice. We send again ourselves,
under the same request number.
"""

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

import redis
import redis.asyncio
from redis.asyncio.retry import Retry as AsyncRetry
from redis.backoff import NoBackoff
from redis.retry import Retry

from limpet.connection.faults import LIBRARY_ERRORS
from limpet.errors import ConfigError

Meet = Callable[[], None]

CONNECT_TIMEOUT_S = 3.0
#: What a URL may say after its question mark. The rest is ours: timeouts, retries, encoding.
OPTIONS = frozenset(
    {"db", "username", "password", "client_name", "health_check_interval", "max_connections"}
    | {"socket_keepalive"}
)


def _common(timeout_s: float) -> dict[str, Any]:
    return {
        "socket_timeout": timeout_s,
        "socket_connect_timeout": min(timeout_s, CONNECT_TIMEOUT_S),
        "decode_responses": False,
        "protocol": 2,
    }


def _sentinels(url: str) -> tuple[list[tuple[str, int]], str, dict[str, Any]]:
    """Read redis+sentinel://user:password@host:port,host:port/service/db."""
    parts = urlsplit(url)
    login, _, hosts = parts.netloc.rpartition("@")
    nodes = []
    for host in hosts.split(","):
        name, _, port = host.rpartition(":")
        if not name or not port.isdigit():
            raise ConfigError(
                "each sentinel needs host:port, for example redis+sentinel://a:26379,b:26379/mymaster"
            )
        nodes.append((name, int(port)))
    service, _, db = parts.path.strip("/").partition("/")
    if not service:
        raise ConfigError("name the service: redis+sentinel://host:26379/mymaster")
    extra: dict[str, Any] = {"db": int(db)} if db.isdigit() else {}
    user, _, password = login.partition(":")
    if user:
        extra["username"] = unquote(user)
    if password:
        extra["password"] = unquote(password)
    if parts.scheme.startswith("rediss"):
        extra |= {"ssl": True}
    return nodes, service, extra


def _plain(url: str) -> str:
    """Turn redis+cluster:// into the form the library knows."""
    scheme, _, rest = url.partition("+cluster")
    return scheme + rest


def fault_in(url: str) -> str | None:
    """Say what is wrong with a URL of a known scheme, without its values; None if nothing is."""
    parts = urlsplit(url)
    for name, _ in parse_qsl(parts.query, keep_blank_values=True):
        if name not in OPTIONS and not name.startswith("ssl_"):
            # With an @ it may be no option at all, but the rest of a password.
            named = "" if "@" in parts.query else f": {name!r:.40}"
            return f"has an option that is not known{named}"
    if parts.scheme.endswith("+sentinel"):
        _sentinels(url)
        return None
    return _fault_in_place(parts) or _fault_in_values(url)


def _fault_in_place(parts: SplitResult) -> str | None:
    if parts.scheme == "unix":
        fine = parts.path and not parts.netloc.rpartition("@")[2]
        return None if fine else "names no path"
    if not parts.hostname:
        return "names no host"
    if not re.fullmatch(r"/?\d*", parts.path):
        return "has something behind the host that is not the number of a database"
    return None


def _fault_in_values(url: str) -> str | None:
    try:
        redis.ConnectionPool.from_url(_plain(url)).make_connection()
    except (TypeError, ValueError, redis.RedisError):
        return "has an option with a value that cannot be used"
    return None


def sync_client(url: str, timeout_s: float, meet: Meet = lambda: None) -> Any:
    """Make a blocking client for any of our URLs; `meet` is called for every new connection."""

    def greet(connection: Any) -> None:
        meet()
        connection.on_connect()

    options = _common(timeout_s) | {"retry": Retry(NoBackoff(), 0), "redis_connect_func": greet}
    scheme = urlsplit(url).scheme
    if scheme.endswith("+cluster"):
        options["redis_connect_func"] = lambda _: meet()  # here the library greets by itself
        return redis.RedisCluster.from_url(_plain(url), **options)
    if scheme.endswith("+sentinel"):
        nodes, service, extra = _sentinels(url)
        sentinel: Any = redis.Sentinel  # the library leaves this class untyped
        watcher = sentinel(nodes, sentinel_kwargs=dict(options), **options, **extra)
        return watcher.master_for(service)
    return redis.Redis.from_url(url, **options)


def async_client(url: str, timeout_s: float, meet: Meet = lambda: None) -> Any:
    """Make an asyncio client for any of our URLs, as above (those of clusters call nobody)."""

    async def greet(connection: Any) -> None:
        meet()
        await connection.on_connect()

    options = _common(timeout_s) | {"retry": AsyncRetry(NoBackoff(), 0)}
    scheme = urlsplit(url).scheme
    if scheme.endswith("+cluster"):
        return redis.asyncio.RedisCluster.from_url(_plain(url), **options)
    options["redis_connect_func"] = greet
    if scheme.endswith("+sentinel"):
        nodes, service, extra = _sentinels(url)
        sentinel: Any = redis.asyncio.Sentinel  # untyped, as above
        watcher = sentinel(nodes, sentinel_kwargs=dict(options), **options, **extra)
        return watcher.master_for(service)
    return redis.asyncio.Redis.from_url(url, **options)


def _watchers(client: Any) -> list[Any]:
    """List the clients that ask the sentinels; the library does not close them with the other."""
    pool = getattr(client, "connection_pool", None)
    return list(getattr(getattr(pool, "sentinel_manager", None), "sentinels", ()))


def sync_close(client: Any) -> None:
    """Close a client, all of its connections."""
    for one in (client, *_watchers(client)):
        one.close()
    for node in getattr(client, "get_nodes", list)():
        if node.redis_connection is not None:  # the library leaves the connections of nodes open
            node.redis_connection.connection_pool.disconnect()


async def async_close(client: Any) -> None:
    """Close a client, as above."""
    for one in (client, *_watchers(client)):
        await one.aclose()


def sync_refresh(client: Any) -> None:
    """Close connections that are not in use: behind the same address may be another server now."""
    pool = getattr(client, "connection_pool", None)
    if pool is not None:
        pool.disconnect(inuse_connections=False)


async def async_refresh(client: Any) -> None:
    """Close connections that are not in use, as above."""
    pool = getattr(client, "connection_pool", None)
    if pool is not None:
        await pool.disconnect(inuse_connections=False)


def sync_borrow(client: Any) -> Any:
    """Take a connection out of a client's pool, to keep it for a while."""
    return client.connection_pool.get_connection()


async def async_borrow(client: Any) -> Any:
    """Take a connection out of a client's pool; whoever uses it watches the time (see `wire`)."""
    connection = await client.connection_pool.get_connection()
    connection.socket_timeout = None  # else each write gets a task of its own, to be timed
    return connection


def sync_is_clean(connection: Any) -> bool:
    """Tell whether a connection is as it was left: nothing came, and nobody closed it."""
    try:
        return not connection.can_read()
    except LIBRARY_ERRORS:
        return False


async def async_is_clean(connection: Any) -> bool:
    """Tell whether a connection is as it was left, as above."""
    look = getattr(connection, "can_read", None) or connection.can_read_destructive
    try:
        return not await look()
    except LIBRARY_ERRORS:
        return False


def sync_lend_back(client: Any, connection: Any) -> None:
    """Give a borrowed connection back as it is."""
    client.connection_pool.release(connection)


async def async_lend_back(client: Any, connection: Any) -> None:
    """Give a borrowed connection back as it is, as above."""
    pool = client.connection_pool
    connection.socket_timeout = pool.connection_kwargs.get("socket_timeout")
    await pool.release(connection)


def sync_return(client: Any, connection: Any) -> None:
    """Close a borrowed connection and give it back."""
    connection.disconnect()
    sync_lend_back(client, connection)


async def async_return(client: Any, connection: Any) -> None:
    """Close a borrowed connection and give it back, as above."""
    await connection.disconnect(nowait=True)
    await async_lend_back(client, connection)

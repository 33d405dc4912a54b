"""Make clients of the redis library: its own retries off, every timeout set.

A library that sends a command again on its own would do a push twice. We send again ourselves,
under the same request number.
"""

from typing import Any
from urllib.parse import unquote, urlsplit

import redis
import redis.asyncio
from redis.asyncio.retry import Retry as AsyncRetry
from redis.backoff import NoBackoff
from redis.retry import Retry

from limpet.errors import ConfigError

CONNECT_TIMEOUT_S = 3.0


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


def sync_client(url: str, timeout_s: float) -> Any:
    """Make a blocking client for any of our URLs."""
    options = _common(timeout_s)
    scheme = urlsplit(url).scheme
    if scheme.endswith("+cluster"):
        return redis.RedisCluster.from_url(_plain(url), **options)
    options["retry"] = Retry(NoBackoff(), 0)
    if scheme.endswith("+sentinel"):
        nodes, service, extra = _sentinels(url)
        sentinel: Any = redis.Sentinel  # the library leaves this class untyped
        watcher = sentinel(nodes, sentinel_kwargs=_common(timeout_s), **options, **extra)
        return watcher.master_for(service)
    return redis.Redis.from_url(url, **options)


def async_client(url: str, timeout_s: float) -> Any:
    """Make an asyncio client for any of our URLs."""
    options = _common(timeout_s)
    scheme = urlsplit(url).scheme
    if scheme.endswith("+cluster"):
        return redis.asyncio.RedisCluster.from_url(_plain(url), **options)
    options["retry"] = AsyncRetry(NoBackoff(), 0)
    if scheme.endswith("+sentinel"):
        nodes, service, extra = _sentinels(url)
        sentinel: Any = redis.asyncio.Sentinel  # untyped, as above
        watcher = sentinel(nodes, sentinel_kwargs=_common(timeout_s), **options, **extra)
        return watcher.master_for(service)
    return redis.asyncio.Redis.from_url(url, **options)

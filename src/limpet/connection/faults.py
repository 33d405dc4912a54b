"""Read the errors of the redis library: which pass by themselves, and what to tell the caller.

The library takes the first word of some answers away (OOM, READONLY, LOADING) and raises a class
of its own instead; others (BUSY, MISCONF, WRONGTYPE) keep their text.
"""

import re
from collections.abc import Callable, Iterator

import redis
import redis.exceptions
from redis.exceptions import ClusterError, RedisClusterException

from limpet.errors import BackendError, QueueFull
from limpet.keys import KEY_TYPES

_GONE = (redis.ConnectionError, redis.TimeoutError, OSError)
_REFUSED_USER = (redis.AuthenticationError, redis.exceptions.AuthorizationError)
_PASSING_TYPES = (
    redis.exceptions.ReadOnlyError,
    redis.exceptions.TryAgainError,
    ClusterError,
)
#: What a client may raise. Some errors of cluster clients are not of the library's own base.
LIBRARY_ERRORS = (redis.RedisError, RedisClusterException, OSError)
_CROSS_SLOT, _NO_CLUSTER = "same key slot", "Cluster mode is not enabled"
#: Answers that mean "not now": another moment or another connection may do.
_PASSING = re.compile(r"-?(BUSY|MISCONF|NOREPLICAS|UNBLOCKED|READONLY|TRYAGAIN|CLUSTERDOWN)\b")


def _root_of(error: Exception) -> Exception:
    """Look behind the error that a cluster client raises when it reaches no node."""
    cause = error.__cause__
    if isinstance(error, RedisClusterException) and isinstance(cause, Exception):
        return cause
    return error


def _is_lost_cluster(error: Exception) -> bool:
    """Tell whether a cluster client does not know at the moment who serves the slot."""
    if not isinstance(error, RedisClusterException):
        return False
    return _CROSS_SLOT not in str(error) and _NO_CLUSTER not in str(error)


def passes_by(error: Exception) -> bool:
    """Tell whether sending the same request again may help."""
    root = _root_of(error)
    if isinstance(root, _REFUSED_USER):
        return False
    if isinstance(root, _GONE + _PASSING_TYPES) or _is_lost_cluster(root):
        return True
    return bool(_PASSING.match(str(root)))


def is_cut(error: Exception) -> bool:
    """Tell whether the connection itself is gone: the request may have been carried out or not."""
    root = _root_of(error)
    if isinstance(root, (redis.BusyLoadingError, *_REFUSED_USER)):
        return False
    return isinstance(root, _GONE) or _is_lost_cluster(root)


def is_elsewhere(error: Exception) -> bool:
    """Tell whether this server cannot do it but another one behind the same address may."""
    if isinstance(error, redis.exceptions.ReadOnlyError):
        return True
    # A primary that lost its replicas may have been replaced by one of them.
    return "UNBLOCKED" in str(error) or "NOREPLICAS" in str(error)


def is_wrong_type(error: BaseException | None) -> bool:
    """Tell whether a key of another type was in the way."""
    return "WRONGTYPE" in str(error)


def _of(*kinds: type[Exception]) -> Callable[[Exception], bool]:
    return lambda error: isinstance(error, kinds)


def _says(word: str) -> Callable[[Exception], bool]:
    return lambda error: word in str(error)


#: How to know an error, what it becomes, and what it says; the first that fits counts.
_WORDS: tuple[tuple[Callable[[Exception], bool], type[BackendError], str], ...] = (
    (
        _of(redis.exceptions.OutOfMemoryError),
        QueueFull,
        (
            "queue {queue!r}: {server} has no memory left, nothing was queued;"
            " jobs can still be taken and ended, push again later"
        ),
    ),
    (
        is_wrong_type,
        BackendError,
        (
            "queue {queue!r}: a key of another type is in the way of one of its keys; nothing was"
            " written; rename or delete that key"
        ),
    ),
    (
        lambda e: isinstance(e, redis.exceptions.ClusterCrossSlotError) or _CROSS_SLOT in str(e),
        BackendError,
        (
            "queue {queue!r}: on a cluster all keys of one call must share a slot;"
            " give the list a name with the hash tag of the queue"
        ),
    ),
    (
        _says("compiling script"),
        BackendError,
        "{server} cannot read limpet's scripts: it must be Redis 7.0, Valkey 7.2 or newer",
    ),
    (_says(_NO_CLUSTER), BackendError, "{server} is no cluster; write redis:// instead"),
    (_of(*_REFUSED_USER), BackendError, "{server} refused the user or password; check the URL"),
    (_of(redis.BusyLoadingError), BackendError, "{server} is still loading its data; try later"),
    (
        _of(redis.exceptions.ReadOnlyError),
        BackendError,
        "{server} is a read-only replica; use the address of the primary",
    ),
    (is_cut, BackendError, "{server} cannot be reached ({kind}); is it running?"),
)


def translate(error: Exception, server: str, queue: str) -> BackendError:
    """Turn an error of the library into one of ours, with the next step in its words."""
    root = _root_of(error)
    for fits, kind, words in _WORDS:
        if fits(root):
            return kind(words.format(server=server, queue=queue, kind=type(root).__name__))
    return BackendError(f"{server} refused: {error}")


def wrong_type(keys: Iterator[tuple[str, str]]) -> str | None:
    """Find the key that has not the type it should have, among pairs of key and type found."""
    for key, found in keys:
        wanted = KEY_TYPES.get(key.rpartition(":")[2])
        if wanted and found not in {"none", wanted}:
            return f"{key} is a {found}, it should be a {wanted}"
    return None

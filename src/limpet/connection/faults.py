"""Read the errors of the redis library: which pass by themselves, and what to tell the caller."""

import re
from collections.abc import Iterator

import redis
import redis.exceptions

from limpet.errors import BackendError, QueueFull
from limpet.keys import KEY_TYPES

#: Answers that mean "not now": another moment or another connection may do.
_PASSING = re.compile(
    r"^(-?LOADING|-?READONLY|-?MASTERDOWN|-?CLUSTERDOWN|-?TRYAGAIN|-?BUSY|-?MISCONF|-?NOREPLICAS|-?UNBLOCKED|-?UNKILLABLE)"
)
_PASSING_WORDS = ("LOADING", "READONLY", "UNBLOCKED", "MASTERDOWN", "TRYAGAIN", "CLUSTERDOWN")


def passes_by(error: Exception) -> bool:
    """Tell whether sending the same request again may help."""
    if isinstance(error, redis.AuthenticationError | redis.exceptions.AuthorizationError):
        return False
    if isinstance(error, redis.ConnectionError | redis.TimeoutError | OSError):
        return True
    text = str(error)
    return bool(_PASSING.match(text)) or any(word in text[:60] for word in _PASSING_WORDS)


def is_cut(error: Exception) -> bool:
    """Tell whether the connection itself is gone."""
    return isinstance(error, redis.ConnectionError | redis.TimeoutError | OSError)


def translate(error: Exception, server: str, queue: str) -> BackendError:
    """Turn an error of the library into one of ours, with the next step in its words."""
    text = str(error)
    if "OOM" in text[:40]:
        return QueueFull(
            f"queue {queue!r}: {server} has no memory left, nothing was queued;"
            " jobs can still be taken and ended, push again later"
        )
    if "WRONGTYPE" in text:
        return BackendError(
            f"queue {queue!r}: a key of another type is in the way of one of its keys; nothing was"
            " written; rename or delete that key"
        )
    if "CROSSSLOT" in text:
        return BackendError(
            f"queue {queue!r}: on a cluster all keys of one call must share a slot;"
            " give the list a name with the hash tag of the queue"
        )
    if isinstance(error, redis.AuthenticationError):
        return BackendError(f"{server} refused the user or password; check the URL")
    if is_cut(error):
        return BackendError(f"{server} cannot be reached ({type(error).__name__}); is it running?")
    return BackendError(f"{server} refused: {text}")


def wrong_type(keys: Iterator[tuple[str, str]]) -> str | None:
    """Find the key that has not the type it should have, among pairs of key and type found."""
    for key, found in keys:
        wanted = KEY_TYPES.get(key.rpartition(":")[2])
        if wanted and found not in {"none", wanted}:
            return f"{key} is a {found}, it should be a {wanted}"
    return None

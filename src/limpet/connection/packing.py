"""Commands as the server reads them: written by hiredis where that is installed."""

from collections.abc import Callable
from typing import Any

_write: Callable[[tuple[Any, ...]], bytes] | None
try:
    from hiredis import pack_command
except ImportError:
    _write = None
else:
    _write = pack_command


def pack(connection: Any, requests: tuple[tuple[Any, ...], ...]) -> list[bytes]:
    """Write commands, to be sent in one go where they are small."""
    if _write is None:
        packed: list[bytes] = connection.pack_commands(requests)
        return packed
    if len(requests) == 1:
        return [_write(requests[0])]
    return [b"".join(map(_write, requests))]

"""Where a client was made: it must not be used in a forked child or in another event loop."""

import asyncio
import gc
import os
import warnings
from collections.abc import Awaitable
from typing import Any, TypeVar

T = TypeVar("T")

#: Kept by the object, not by its address: a new loop may get the address of one that is gone.
Context = tuple[int, object]

#: What forked children inherited and must never close: the other end belongs to the parent.
_inherited: list[object] = []


def async_context() -> Context:
    """Name the present process and event loop."""
    return os.getpid(), asyncio.get_running_loop()


def sync_context() -> Context:
    """Name the present process."""
    return os.getpid(), None


def async_recalls() -> int:
    """Count how often the present task was told to stop."""
    task = asyncio.current_task()
    return 0 if task is None else task.cancelling()


def sync_recalls() -> int:
    """Count nothing: a blocking call cannot be told to stop."""
    return 0


async def async_within(seconds: float, coming: Awaitable[T]) -> T:
    """Wait for something, no longer than this."""
    async with asyncio.timeout(seconds):
        return await coming


def sync_within(_seconds: float, come: T) -> T:
    """Give what came: the sockets of blocking connections have a timeout of their own."""
    return come


def leave_alone(inherited: object) -> None:
    """Keep something of the parent process as it is: not even the garbage collector closes it."""
    _inherited.append(inherited)


def forget(clients: dict[Any, Any]) -> None:
    """Drop asyncio clients whose loop is gone: their sockets are closed, nobody is warned of it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        clients.clear()
        gc.collect()

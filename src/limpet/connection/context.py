"""Where a client was made: it must not be used in a forked child or in another event loop."""

import asyncio
import os

Context = tuple[int, int]


def async_context() -> Context:
    """Name the present process and event loop."""
    return os.getpid(), id(asyncio.get_running_loop())


def sync_context() -> Context:
    """Name the present process."""
    return os.getpid(), 0

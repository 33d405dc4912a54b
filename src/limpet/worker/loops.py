"""The event loop of a worker: uvloop's where that is installed."""

import asyncio
import os


def new_loop() -> asyncio.AbstractEventLoop:
    """Make a loop; with LIMPET_UVLOOP=0 it is Python's own in any case."""
    if os.environ.get("LIMPET_UVLOOP") != "0":
        try:
            import uvloop
        except ImportError:
            pass
        else:
            loop: asyncio.AbstractEventLoop = uvloop.new_event_loop()
            return loop
    return asyncio.new_event_loop()

"""The asyncio flavour. The blocking one, `limpet.sync`, is made from it."""

from limpet.aio.client import AsyncLimpet
from limpet.aio.events import AsyncEvents
from limpet.aio.queue import AsyncQueue

__all__ = ["AsyncEvents", "AsyncLimpet", "AsyncQueue"]

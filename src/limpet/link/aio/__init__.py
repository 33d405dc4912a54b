"""The asyncio wire."""

from limpet.link.aio.link import AsyncLink

__all__ = ["AsyncLink"]

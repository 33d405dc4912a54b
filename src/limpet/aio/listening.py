"""A subscription that survives the absences of its server."""

import asyncio
from typing import Any

from limpet.connection.faults import LIBRARY_ERRORS, passes_by, translate
from limpet.errors import BackendError
from limpet.link.aio import AsyncLink

#: How long to wait before a broken subscription is made anew.
AGAIN_S = 0.05


class AsyncSubscription:
    """Messages of some channels; what is published while the server is away is missed."""

    def __init__(self, link: AsyncLink, channels: list[str], what: str) -> None:
        """Remember what to listen to; `what` names it in errors."""
        self._link, self._channels, self._what = link, channels, what
        self._pubsub: Any = None

    async def open(self) -> None:
        """Subscribe; raises `BackendError` if that cannot be."""
        try:
            await self._subscribe()
        except LIBRARY_ERRORS as error:
            raise self._translated(error) from error

    async def _subscribe(self) -> None:
        if self._pubsub is not None:
            return
        pubsub = await self._link.pubsub()
        try:
            await pubsub.subscribe(*self._channels)
            for _ in self._channels:  # the server's word that it took each channel
                await pubsub.get_message(timeout=5.0)
        except BaseException:
            await pubsub.aclose()
            raise
        self._pubsub = pubsub

    async def next(self, within_s: float) -> tuple[str, bytes] | None:
        """Get the next message, channel and content; None if nothing, or something else, came.

        A broken subscription is made anew at the next call.
        """
        try:
            await self._subscribe()
            message = await self._pubsub.get_message(timeout=within_s)
        except LIBRARY_ERRORS as error:
            if not passes_by(error):
                raise self._translated(error) from error
            await self.close()
            await asyncio.sleep(min(within_s, AGAIN_S))
            return None
        if message is None or message["type"] != "message":
            return None
        return message["channel"].decode(), message["data"]

    def _translated(self, error: Exception) -> BackendError:
        return translate(error, str(self._link.target), self._what)

    async def close(self) -> None:
        """Unsubscribe and let the connection go."""
        pubsub, self._pubsub = self._pubsub, None
        if pubsub is not None:
            await pubsub.aclose()

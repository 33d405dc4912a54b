# Generated from src/limpet/aio/listening.py by `python3 dev.py docs`; edit that file.
"""A subscription that survives the absences of its server."""

import time
from typing import Any

from limpet.connection.faults import LIBRARY_ERRORS, passes_by, translate
from limpet.errors import BackendError
from limpet.link.sync import Link

#: How long to wait before a broken subscription is made anew.
AGAIN_S = 0.05


class Subscription:
    """Messages of some channels; what is published while the server is away is missed."""

    def __init__(self, link: Link, channels: list[str], what: str) -> None:
        """Remember what to listen to; `what` names it in errors."""
        self._link, self._channels, self._what = link, channels, what
        self._pubsub: Any = None

    def open(self) -> None:
        """Subscribe; raises `BackendError` if that cannot be."""
        try:
            self._subscribe()
        except LIBRARY_ERRORS as error:
            raise self._translated(error) from error

    def _subscribe(self) -> None:
        if self._pubsub is not None:
            return
        pubsub = self._link.pubsub()
        try:
            pubsub.subscribe(*self._channels)
            for _ in self._channels:  # the server's word that it took each channel
                pubsub.get_message(timeout=5.0)
        except BaseException:
            pubsub.close()
            raise
        self._pubsub = pubsub

    def next(self, within_s: float) -> tuple[str, bytes] | None:
        """Get the next message, channel and content; None if nothing, or something else, came.

        A broken subscription is made anew at the next call.
        """
        try:
            self._subscribe()
            message = self._pubsub.get_message(timeout=within_s)
        except LIBRARY_ERRORS as error:
            if not passes_by(error):
                raise self._translated(error) from error
            self.close()
            time.sleep(min(within_s, AGAIN_S))
            return None
        if message is None or message["type"] != "message":
            return None
        return message["channel"].decode(), message["data"]

    def _translated(self, error: Exception) -> BackendError:
        return translate(error, str(self._link.target), self._what)

    def close(self) -> None:
        """Unsubscribe and let the connection go."""
        pubsub, self._pubsub = self._pubsub, None
        if pubsub is not None:
            pubsub.close()

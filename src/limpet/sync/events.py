# Generated from src/limpet/aio/events.py by `python3 dev.py docs`; edit that file.
"""Events: what happens in queues, told to whoever listens at that moment."""

import time
from typing import Any, Self, cast

from limpet.connection.faults import LIBRARY_ERRORS, passes_by, translate
from limpet.errors import BackendError, ConfigError
from limpet.keys import queue_keys
from limpet.link.sync import Link
from limpet.options import Duration, milliseconds
from limpet.values import Event, EventKind

#: How long to wait before a broken subscription is made anew.
AGAIN_S = 0.05
_KINDS = ("work", "done", "failed", "cancel", "delete", "lost")


def read_event(queue: str, text: str) -> Event:
    """Read one message of an event channel."""
    kind, _, rest = text.partition(" ")
    if kind not in _KINDS:
        raise ConfigError(f"queue {queue!r} published {text!r:.60}, which is no event of limpet")
    if kind in {"work", "done"}:
        return Event(queue, cast("EventKind", kind), count=int(rest or 0))
    return Event(queue, cast("EventKind", kind), subject=rest)


class Events:
    """An endless stream of events of one or more queues; close it, or use it in a `with` block."""

    def __init__(self, link: Link, queues: list[str]) -> None:
        """Remember what to listen to; the first step (or `with`) subscribes."""
        self._link = link
        self._channels = {queue_keys(queue).events: queue for queue in queues}
        self._pubsub: Any = None

    def open(self) -> Self:
        """Subscribe; what happens after this is told. Raises `BackendError` if that cannot be."""
        try:
            self._subscribe()
        except LIBRARY_ERRORS as error:
            raise self._translated(error) from error
        return self

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

    def next(self, within: Duration = 1.0) -> Event | None:
        """Get the next event, or None if there is none within that time."""
        deadline = time.monotonic() + milliseconds(within, "within") / 1000
        while True:
            left_s = deadline - time.monotonic()
            message = self._message(max(left_s, 0))
            if message is not None and message["type"] == "message":
                queue = self._channels[message["channel"].decode()]
                return read_event(queue, message["data"].decode("utf-8", "replace"))
            if left_s <= 0:
                return None

    def _message(self, within_s: float) -> Any:
        """Get whatever comes first; a broken subscription is made anew at the next call."""
        try:
            self._subscribe()
            return self._pubsub.get_message(timeout=within_s)
        except LIBRARY_ERRORS as error:
            if not passes_by(error):
                raise self._translated(error) from error
            self.close()
            time.sleep(min(within_s, AGAIN_S))
            return None

    def _translated(self, error: Exception) -> BackendError:
        return translate(error, str(self._link.target), ",".join(self._channels.values()))

    def __iter__(self) -> Self:
        """Iterate for ever."""
        return self

    def __next__(self) -> Event:
        """Wait for the next event."""
        while True:
            event = self.next()
            if event is not None:
                return event

    def __enter__(self) -> Self:
        """Subscribe."""
        return self.open()

    def __exit__(self, *_: object) -> None:
        """Unsubscribe."""
        self.close()

    def close(self) -> None:
        """Unsubscribe and let the connection go."""
        pubsub, self._pubsub = self._pubsub, None
        if pubsub is not None:
            pubsub.close()

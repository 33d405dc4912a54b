# Generated from src/limpet/aio/events.py by `python3 dev.py docs`; edit that file.
"""Events: what happens in queues, told to whoever listens at that moment."""

import time
from typing import Self, cast

from limpet.errors import ConfigError
from limpet.keys import queue_keys
from limpet.link.sync import Link
from limpet.options import Duration, milliseconds
from limpet.sync.listening import Subscription
from limpet.values import Event, EventKind

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
        self._channels = {queue_keys(queue).events: queue for queue in queues}
        self._messages = Subscription(link, list(self._channels), ",".join(queues))

    def open(self) -> Self:
        """Subscribe; what happens after this is told. Raises `BackendError` if that cannot be."""
        self._messages.open()
        return self

    def next(self, within: Duration = 1.0) -> Event | None:
        """Get the next event, or None if there is none within that time."""
        deadline = time.monotonic() + milliseconds(within, "within") / 1000
        while True:
            left_s = deadline - time.monotonic()
            message = self._messages.next(max(left_s, 0))
            if message is not None:
                channel, text = message
                return read_event(self._channels[channel], text.decode("utf-8", "replace"))
            if left_s <= 0:
                return None

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
        self._messages.close()

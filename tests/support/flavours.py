"""Both flavours of the API behind one face, so that one suite tests both.

The asyncio flavour runs in a loop of its own thread; each of its coroutines is waited for, so a
test reads the same for both: `limpet.queue("q").push(b"x")`.
"""

import asyncio
import inspect
import threading
from collections.abc import Coroutine
from typing import Any, Self

from limpet import AsyncEvents, AsyncLimpet, AsyncQueue, Limpet

_WRAPPED = (AsyncLimpet, AsyncQueue, AsyncEvents)


class Loop:
    """An event loop in a thread."""

    def __init__(self) -> None:
        """Start it."""
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Run a coroutine there and wait for it."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result()

    def stop(self) -> None:
        """Stop it."""
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()


class Bridge:
    """An object of the asyncio flavour that is called like one of the blocking flavour."""

    def __init__(self, inner: Any, loop: Loop) -> None:
        """Wrap it."""
        self.inner, self._loop = inner, loop

    def __getattr__(self, name: str) -> Any:
        """Give plain attributes as they are, and methods that wait."""
        found = getattr(self.inner, name)
        if isinstance(found, _WRAPPED):
            return Bridge(found, self._loop)
        return self._caller(found) if inspect.ismethod(found) else found

    def _caller(self, method: Any) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            answer = method(*args, **kwargs)
            if inspect.iscoroutine(answer):
                answer = self._loop.run(answer)
            return Bridge(answer, self._loop) if isinstance(answer, _WRAPPED) else answer

        return call

    def __enter__(self) -> Self:
        """Enter the wrapped block."""
        self._loop.run(self.inner.__aenter__())
        return self

    def __exit__(self, *error: object) -> None:
        """Leave it."""
        self._loop.run(self.inner.__aexit__(*error))

    def __iter__(self) -> Self:
        """Iterate over an asyncio stream."""
        return self

    def __next__(self) -> Any:
        """Wait for its next element."""
        return self._loop.run(self.inner.__anext__())


def open_limpet(flavour: str, loop: Loop, url: str | None, **options: Any) -> Any:
    """Open a client of either flavour ("sync" or "async")."""
    if flavour == "sync":
        return Limpet(url, **options)
    return Bridge(AsyncLimpet(url, **options), loop)

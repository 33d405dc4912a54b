"""A queue: where jobs wait, first in first out."""

from limpet.aio.consumer import AsyncConsumer
from limpet.aio.keeper import AsyncKeeper
from limpet.aio.producer import AsyncProducer
from limpet.aio.viewer import AsyncViewer


class AsyncQueue(AsyncProducer, AsyncConsumer, AsyncViewer, AsyncKeeper):
    """A named queue; all it can do is in its four parts: produce, consume, view, keep."""

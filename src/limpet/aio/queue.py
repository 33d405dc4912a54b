"""A queue: where jobs wait, first in first out."""

from limpet.aio.consumer import AsyncConsumer
from limpet.aio.keeper import AsyncKeeper
from limpet.aio.notes import AsyncNotebook
from limpet.aio.producer import AsyncProducer
from limpet.aio.schedules import AsyncSchedules
from limpet.aio.viewer import AsyncViewer


class AsyncQueue(
    AsyncProducer, AsyncConsumer, AsyncViewer, AsyncKeeper, AsyncNotebook, AsyncSchedules
):
    """A named queue; all it can do is in its parts: produce, consume, view, keep, note, plan."""

"""A queue: where jobs wait, first in first out."""

from limpet.aio.consumer import AsyncConsumer
from limpet.aio.explaining import AsyncExplainer
from limpet.aio.keeper import AsyncKeeper
from limpet.aio.notes import AsyncNotebook
from limpet.aio.producer import AsyncProducer
from limpet.aio.schedules import AsyncSchedules
from limpet.aio.viewer import AsyncViewer


class AsyncQueue(
    AsyncProducer,
    AsyncConsumer,
    AsyncViewer,
    AsyncExplainer,
    AsyncKeeper,
    AsyncNotebook,
    AsyncSchedules,
):
    """A named queue; its parts: produce, consume, view, explain, keep, note, plan."""

# Generated from src/limpet/aio/queue.py by `python3 dev.py docs`; edit that file.
"""A queue: where jobs wait, first in first out."""

from limpet.sync.consumer import Consumer
from limpet.sync.explaining import Explainer
from limpet.sync.keeper import Keeper
from limpet.sync.notes import Notebook
from limpet.sync.producer import Producer
from limpet.sync.schedules import Schedules
from limpet.sync.viewer import Viewer


class Queue(
    Producer,
    Consumer,
    Viewer,
    Explainer,
    Keeper,
    Notebook,
    Schedules,
):
    """A named queue; its parts: produce, consume, view, explain, keep, note, plan."""

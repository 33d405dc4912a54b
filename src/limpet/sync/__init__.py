# Generated from src/limpet/aio/__init__.py by `python3 dev.py docs`; edit that file.
"""The blocking flavour. The blocking one, `limpet.sync`, is made from it."""

from limpet.sync.client import Limpet
from limpet.sync.events import Events
from limpet.sync.queue import Queue

__all__ = ["Events", "Limpet", "Queue"]

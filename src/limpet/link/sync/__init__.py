# Generated from src/limpet/link/aio/__init__.py by `python3 dev.py docs`; edit that file.
"""The blocking wire."""

from limpet.link.sync.link import Link

__all__ = ["Link"]

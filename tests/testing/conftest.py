"""The fixtures that users get, also where limpet was installed before it had a plugin."""

from limpet.testing.plugin import limpet_server, limpet_stage

__all__ = ["limpet_server", "limpet_stage"]

# Generated from src/limpet/aio/base.py by `python3 dev.py docs`; edit that file.
"""What every part of a queue has: a client, a name, keys and a policy."""

from typing import TYPE_CHECKING, Any, TypeVar

from limpet.commands.base import Command
from limpet.flows.base import Flow
from limpet.flows.pop import Source
from limpet.keys import queue_keys

if TYPE_CHECKING:
    from limpet.sync.client import Limpet

T = TypeVar("T")


class QueueBase:
    """A queue by name, on a client (or on the default one)."""

    def __init__(self, name: str, limpet: "Limpet | None" = None, **policy: Any) -> None:
        """Check the name and the policy; nothing is sent."""
        if limpet is None:
            from limpet.sync.client import default_client

            limpet = default_client()
        self.name, self._keys = name, queue_keys(name)
        self.policy = limpet.policy_of(name, policy)
        self._limpet = limpet
        self._source = Source(self._keys, self.policy)

    def __repr__(self) -> str:
        """Show the name."""
        return f"<{type(self).__name__} {self.name!r}>"

    def _send(self, command: Command[T]) -> T:
        return self._limpet.link.send(command)

    def _run(self, flow: Flow[T]) -> T:
        return self._limpet.link.run(flow)

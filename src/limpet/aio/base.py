"""What every part of a queue has: a client, a name, keys and a policy."""

from typing import TYPE_CHECKING, Any, TypeVar

from limpet.commands.base import Command
from limpet.flows.base import Flow
from limpet.flows.pop import Source
from limpet.keys import queue_keys

if TYPE_CHECKING:
    from limpet.aio.client import AsyncLimpet

T = TypeVar("T")


class AsyncQueueBase:
    """A queue by name, on a client (or on the default one)."""

    def __init__(self, name: str, limpet: "AsyncLimpet | None" = None, **policy: Any) -> None:
        """Check the name and the policy; nothing is sent."""
        if limpet is None:
            from limpet.aio.client import default_client

            limpet = default_client()
        self.name, self._keys = name, queue_keys(name)
        self.policy = limpet.policy_of(name, policy)
        self._limpet = limpet
        self._source = Source(self._keys, self.policy)

    def __repr__(self) -> str:
        """Show the name."""
        return f"<{type(self).__name__} {self.name!r}>"

    async def _send(self, command: Command[T]) -> T:
        return await self._limpet.link.send(command)

    async def _run(self, flow: Flow[T]) -> T:
        return await self._limpet.link.run(flow)

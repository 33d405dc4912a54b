"""The wires of one link: one for each length of patience, made when it is needed."""

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING

from limpet.connection.clients import Meet
from limpet.connection.context import Context, async_context, forget, leave_alone
from limpet.connection.target import Target
from limpet.link.aio.wire import AsyncWire, make_wire

if TYPE_CHECKING:
    from limpet.engine import Engine


class AsyncWires:
    """Wires to one server, or to the embedded engine, which is started when it is needed.

    They belong to one process and one loop: in another they are made anew.
    """

    def __init__(self, target: Target, home: str | Path | None, meet: Meet) -> None:
        """Remember where to connect; nothing is opened yet."""
        self._target, self._home, self._meet = target, home, meet
        self._engine: Engine | None = None
        self._wires: dict[tuple[float, str], AsyncWire] = {}
        self._context: Context | None = None
        self._gate = asyncio.Lock()

    async def get(self, patience_s: float, use: str = "ask") -> AsyncWire:
        """Get the wire whose exchanges may take this long; each use has its own connections."""
        if self._context != async_context():
            self._start_afresh()
        wire = self._wires.get((patience_s, use))
        if wire is None:
            if self._target.embedded:
                async with self._gate:
                    await asyncio.to_thread(self._attach)
            url = self._engine.url if self._engine else str(self._target.url)
            made = make_wire(url, patience_s, self._meet)
            wire = self._wires.setdefault((patience_s, use), made)
        return wire

    def _start_afresh(self) -> None:
        """Forget wires of another loop; those of the parent process are not ours to close."""
        if self._context is not None and self._context[0] != os.getpid():
            leave_alone(self._wires)
        self._wires, self._gate, self._context = {}, asyncio.Lock(), async_context()

    def _attach(self) -> None:
        from limpet.engine import attach

        self._engine = self._engine or attach(self._home)

    async def refresh(self) -> None:
        """Close connections that are not in use: behind the same address may be another server."""
        for wire in list(self._wires.values()):
            await wire.refresh()

    async def revive(self) -> None:
        """Start the embedded engine again if it is ours and gone."""
        if self._engine is not None:
            await asyncio.to_thread(self._engine.revive)

    def forget(self) -> None:
        """Drop the connections of a loop that is gone."""
        forget(self._wires)

    async def close(self) -> None:
        """Close all connections; the last user of the embedded engine stops it."""
        if self._context == async_context():
            wires, self._wires, self._context = self._wires, {}, None
            for wire in wires.values():
                await wire.close()
        engine, self._engine = self._engine, None
        if engine is not None:
            await asyncio.to_thread(engine.release)

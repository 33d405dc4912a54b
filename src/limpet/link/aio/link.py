"""The asyncio wire: one request, one effect, however often the connection breaks."""

import asyncio
import logging
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import redis

from limpet.commands import workers
from limpet.commands.base import Command
from limpet.connection.clients import async_client
from limpet.connection.context import Context, async_context
from limpet.connection.faults import is_cut, passes_by, translate, wrong_type
from limpet.connection.target import Target
from limpet.errors import BackendError
from limpet.flows.base import Flow, Rest, Step, Wait, Woken
from limpet.flows.pop import MAX_WAIT_MS
from limpet.keys import queue_keys
from limpet.link.lanes import Lane, Lanes, Unsettled, backoff_s

if TYPE_CHECKING:
    from limpet.engine import Engine

T = TypeVar("T")
log = logging.getLogger("limpet")

#: Scripts that hand jobs out: if their reply is lost, somebody must give the jobs back.
HANDS_OUT = frozenset({"pop", "ack_and_pop", "claim", "recover", "resume"})
SOCKET_TIMEOUT_S = 5.0


class AsyncLink:
    """A connection to one server (or to the embedded engine) that survives its absences."""

    def __init__(
        self, target: Target, *, timeout_s: float = 10.0, home: str | Path | None = None
    ) -> None:
        """Remember where to connect; nothing is opened before the first command."""
        self.target = target
        self.unsettled = Unsettled()
        #: Fixes the server's time (microseconds, as text); empty outside of tests.
        self.at_us = ""
        self._timeout_s = timeout_s
        self._home = home
        self._lanes = Lanes()
        self._engine: Engine | None = None
        self._clients: tuple[Any, Any] | None = None
        self._context: Context | None = None
        self._down = False
        self._gate = asyncio.Lock()

    # -- commands ---------------------------------------------------------------------------

    async def send(self, command: Command[T]) -> T:
        """Send one command and read its answer; sent again as often as needed, done once."""
        if not command.numbered:
            envelope = (self.at_us,) if "at" in command.envelope else ()
            return command.read(await self._deliver(command, envelope))
        lane, answered = self._lanes.take(), False
        try:
            reply = await self._deliver(command, (self.at_us, lane.name, lane.seq))
            answered = True
        finally:
            if answered or command.script.name not in HANDS_OUT:
                self._lanes.give(lane)
            else:
                self.unsettled.add(command.queue, lane)
        return command.read(reply)

    async def run(self, flow: Flow[T]) -> T:
        """Drive an operation of several round trips; it is told when one of them fails."""
        try:
            step = flow.send(None)
            while True:
                try:
                    answer = await self._take_step(step)
                except BackendError as error:
                    step = flow.throw(error)
                else:
                    step = flow.send(answer)
        except StopIteration as done:
            result: T = done.value
            return result

    async def _take_step(self, step: Step) -> Any:
        if isinstance(step, Command):
            return await self.send(step)
        return await (self.wait(step) if isinstance(step, Wait) else self._rest(step))

    async def settle(self, lanes: Lanes | None = None, unsettled: Unsettled | None = None) -> None:
        """Give up hand-outs whose reply never came, ours or those of another wire."""
        lost = unsettled or self.unsettled
        while (entry := lost.take()) is not None:
            queue, lane = entry
            try:
                await self._give_up(queue, lane)
            except BaseException:
                lost.add(queue, lane)
                raise
            (lanes or self._lanes).give(lane)

    async def _give_up(self, queue: str, lane: Lane) -> None:
        command = workers.abandon(queue_keys(queue))
        command.read(await self._deliver(command, (self.at_us, lane.name, lane.seq)))

    async def raw(self, *words: str) -> Any:
        """Send a plain command that may safely be sent twice."""
        return await self._persist(lambda client: client.execute_command(*words), words[0])

    async def _deliver(self, command: Command[Any], envelope: tuple[str | int, ...]) -> Any:
        words = (len(command.keys), *command.keys, *envelope, *command.args)

        async def call(client: Any) -> Any:
            try:
                return await client.execute_command("EVALSHA", command.script.sha, *words)
            except redis.exceptions.NoScriptError:
                return await client.execute_command("EVAL", command.script.text, *words)

        try:
            return await self._persist(call, command.queue)
        except BackendError as error:
            if "another type" in str(error):
                await self._name_wrong_key(command, error)
            raise

    async def _persist(self, call: Any, queue: str) -> Any:
        """Call until there is an answer, the error is final, or the time is up."""
        deadline, attempt = time.monotonic() + self._timeout_s, 0
        while True:
            try:
                reply = await call((await self._open())[0])
            except (redis.RedisError, OSError) as error:
                if not passes_by(error) or time.monotonic() >= deadline:
                    raise translate(error, str(self.target), queue) from error
                await self._recover(error, attempt)
                attempt += 1
            else:
                self._tell(down=False)
                return reply

    async def _recover(self, error: Exception, attempt: int) -> None:
        self._tell(down=True)
        await asyncio.sleep(backoff_s(attempt))
        if self._engine is not None and is_cut(error):
            await asyncio.to_thread(self._engine.revive)

    def _tell(self, *, down: bool) -> None:
        """Log once per change: the server is gone, the server is back."""
        if down == self._down:
            return
        self._down = down
        if down:
            log.warning("limpet: %s does not answer, trying again", self.target)
        else:
            log.info("limpet: %s answers again", self.target)

    async def _name_wrong_key(self, command: Command[Any], error: BackendError) -> None:
        found = [(key, (await self.raw("TYPE", key)).decode()) for key in command.keys]
        named = wrong_type(iter(found))
        if named:
            raise BackendError(
                f"queue {command.queue!r}: {named}; nothing was written; rename or delete that key"
            ) from error.__cause__

    # -- waiting ----------------------------------------------------------------------------

    async def wait(self, step: Wait) -> Woken:
        """Block until one of the queues calls or the time is up; a broken wait ends early."""
        started = time.monotonic()
        keys = step.wake_keys
        if self.target.clustered and len(keys) > 1:
            # One blocking call cannot span slots: look at one queue after the other instead.
            keys = (keys[int(started * 10) % len(keys)],)
            step = Wait(keys, min(step.for_ms, 100))
        try:
            waiter = (await self._open())[1]
            found = await waiter.execute_command("BLPOP", *keys, step.for_ms / 1000)
        except (redis.RedisError, OSError) as error:
            if not passes_by(error):
                raise translate(error, str(self.target), keys[0]) from error
            await self._recover(error, 1)
            found = None
        waited_ms = round((time.monotonic() - started) * 1000)
        return Woken(found[0].decode() if found else None, max(waited_ms, 1))

    async def _rest(self, step: Rest) -> Woken:
        await asyncio.sleep(step.for_ms / 1000)
        return Woken(None, step.for_ms)

    async def pubsub(self) -> Any:
        """Make a subscription of the redis library on a connection of its own."""
        return (await self._open())[1].pubsub()

    # -- opening and closing ----------------------------------------------------------------

    async def _open(self) -> tuple[Any, Any]:
        """Get the two clients (for calls, for waiting), made for this process and loop."""
        if self._clients is not None and self._context == async_context():
            return self._clients
        async with self._gate:
            if self._clients is None or self._context != async_context():
                if self.target.embedded:
                    await asyncio.to_thread(self._attach)
                url = self._engine.url if self._engine else str(self.target.url)
                waiting_s = MAX_WAIT_MS / 1000 + SOCKET_TIMEOUT_S
                short_s = min(SOCKET_TIMEOUT_S, self._timeout_s)
                self._clients = (async_client(url, short_s), async_client(url, waiting_s))
                self._context = async_context()
            return self._clients

    def _attach(self) -> None:
        from limpet.engine import attach

        self._engine = self._engine or attach(self._home)

    async def close(self) -> None:
        """Close all connections; the last user of the embedded engine stops it."""
        clients, self._clients = self._clients, None
        if clients is not None and self._context == async_context():
            for client in clients:
                await client.aclose()
        engine, self._engine = self._engine, None
        if engine is not None:
            await asyncio.to_thread(engine.release)

"""The asyncio wire: one request, one effect, however often the connection breaks."""

import asyncio
import math
import time
from asyncio import CancelledError
from collections.abc import Container
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from limpet.commands.base import Command
from limpet.commands.take import Taken
from limpet.connection.context import async_recalls
from limpet.connection.faults import (
    LIBRARY_ERRORS,
    is_cut,
    is_elsewhere,
    is_wrong_type,
    passes_by,
    translate,
    wrong_type,
)
from limpet.connection.slots import async_listen
from limpet.connection.target import Target
from limpet.errors import BackendError
from limpet.flows.base import Flow, Rest, Step, Wait, Woken
from limpet.flows.pop import MAX_WAIT_MS
from limpet.keys import REGISTRY
from limpet.link import time_shift
from limpet.link.aio.calls import run_and_wait, run_script, run_when_called
from limpet.link.aio.settling import settle
from limpet.link.aio.wire import Words
from limpet.link.aio.wires import AsyncWires
from limpet.link.contact import Contact
from limpet.link.lanes import Lane, Lanes, Request, Unsettled, backoff_s

if TYPE_CHECKING:
    from limpet.values import Delivery

T = TypeVar("T")
#: What a request says of itself before its arguments: a time, its sender, its number.
Envelope = tuple[str | int, ...]

#: Scripts after which replicas are waited for, if that was asked for.
PUSHES = frozenset({"push", "push_plain"})
#: The longest time for one answer; a call that may take longer asks again on a new connection.
SOCKET_TIMEOUT_S = 5.0
#: Lengths of waiting on the server: each has a connection with a fitting socket timeout.
WAITS_MS = (1_000, 4_000, MAX_WAIT_MS)


class AsyncLink:
    """A connection to one server (or to the embedded engine) that survives its absences."""

    def __init__(
        self,
        target: Target,
        *,
        timeout_s: float = 10.0,
        home: str | Path | None = None,
        contact: Contact | None = None,
        replicas: int = 0,
    ) -> None:
        """Remember where to connect; nothing is opened before the first command."""
        self.target = target
        self.contact = contact or Contact(str(target))
        self.unsettled = Unsettled()
        #: Fixes the server's time (microseconds, as text); empty outside of tests.
        self.at_us = ""
        self.timeout_s = timeout_s
        #: Half of the whole time at most: an answer that got lost is asked for once more.
        self._short_s = min(SOCKET_TIMEOUT_S, timeout_s / 2)
        self._replicas = replicas
        self._lanes = Lanes()
        self._wires = AsyncWires(target, home, self.contact.meet)

    @property
    def _at(self) -> str:
        return self.at_us or time_shift.at

    # -- commands ---------------------------------------------------------------------------

    async def send(self, command: Command[T]) -> T:
        """Send one command and read its answer; sent again as often as needed, done once."""
        if not command.script.numbered:
            said: Envelope = (self._at,) if "at" in command.envelope else ()
            return command.read(await self._deliver(command, said))
        with Request(command, self._lanes, self.unsettled) as lane:
            said = (self._at, lane.name, lane.seq)
            return command.read(await self._deliver(command, said))

    async def run(self, flow: Flow[T]) -> T:
        """Drive an operation of several round trips; it is told when one of them fails."""
        handed: list[Delivery] = []
        try:
            step = flow.send(None)
            while True:
                try:
                    answer = await self._take_step(step)
                except BackendError as error:
                    step = flow.throw(error)
                else:
                    handed += _handed_in(answer)
                    step = flow.send(answer)
        except StopIteration as done:
            result: T = done.value
            return result
        except BaseException:
            self.unsettled.strand(handed)
            raise

    async def _take_step(self, step: Step) -> Any:
        if isinstance(step, Command):
            return await self.send(step)
        return await (self.wait(step) if isinstance(step, Wait) else self._rest(step))

    async def settle(self, queues: Container[str] | None = None) -> None:
        """Give back what nobody got, in these queues or in all."""
        await settle(self, self.unsettled, queues)

    async def send_again(self, command: Command[T], lane: Lane) -> T:
        """Send a command under the number of a request that was given up; that ends the latter."""
        answer = command.read(await self._deliver(command, (self._at, lane.name, lane.seq)))
        self._lanes.give(lane)
        return answer

    async def raw(self, *words: str) -> Any:
        """Send a plain command that may safely be sent twice."""
        try:
            return await self._persist(lambda wire: wire.client.execute_command(*words), words[-1])
        except BackendError as error:
            if not is_wrong_type(error.__cause__):
                raise
            raise BackendError(
                f"{words[1]} holds something that is not of limpet; nothing was written;"
                " rename or delete that key"
            ) from error.__cause__

    async def _deliver(self, command: Command[Any], envelope: Envelope) -> Any:
        words = (len(command.keys), *command.keys, *envelope, *command.args)
        call = partial(run_script, command, words)
        if self._replicas and command.script.name in PUSHES:
            wait = (self._replicas, round(self._short_s * 800))
            call = partial(run_and_wait, command, words, wait)
        try:
            return await self._persist(call, command.queue)
        except BackendError as error:
            if is_wrong_type(error.__cause__):
                await self._name_wrong_key(command, error)
            raise

    async def _persist(self, call: Any, queue: str) -> Any:
        """Call until there is an answer, the error is final, or the time is up."""
        started, recalls, attempt, unsure = time.monotonic(), async_recalls(), 0, False
        while True:
            try:
                reply = await call(await self._wires.get(self._short_s))
            except LIBRARY_ERRORS as error:
                unsure = unsure or is_cut(error)
                try:
                    # Asked for anew each time: whoever stops us may cut our time short.
                    await self._recover(error, attempt, started + self.timeout_s, queue)
                except BackendError as said:
                    said.maybe_done = unsure
                    raise
                attempt += 1
            else:
                self.contact.find()
                self._heed(recalls)
                return reply

    def _heed(self, recalls: int) -> None:
        """Stop if the task was told so meanwhile: `wait_for` of Python 3.11 may not pass it on."""
        if async_recalls() > recalls:
            raise CancelledError

    async def _recover(self, error: Exception, attempt: int, deadline: float, queue: str) -> None:
        """Get ready for another attempt; raises if that is of no use."""
        passes, over = passes_by(error), time.monotonic() >= deadline
        if passes and (attempt or over):
            self.contact.lose(error)
        if over or not passes:
            raise translate(error, str(self.target), queue) from error
        if is_elsewhere(error) or is_cut(error):
            await self._wires.refresh()
        await asyncio.sleep(backoff_s(attempt))
        if is_cut(error):
            await self._wires.revive()

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
        if step.then is None or self.target.clustered:
            key, answer = await self._listen(step), None
        else:
            key, answer = None, await self._listen_and_send(step, step.then)
        waited_ms = round((time.monotonic() - started) * 1000)
        return Woken(key, max(waited_ms, 1), answer)

    async def _listen(self, step: Wait) -> str | None:
        """Wait; answers who called."""
        recalls, found = async_recalls(), None
        try:
            wire = await self._wires.get(self._patience_s(step))
            if self.target.clustered and len(step.wake_keys) > 1:
                await async_listen(wire.client, step.wake_keys, step.for_ms / 1000)
            else:
                found = await wire.ask_one(_words(step))
            self._heed(recalls)
        except LIBRARY_ERRORS as error:
            await self._recover(error, 0, math.inf, step.wake_keys[0])
        except BaseException:
            # The call may have come just now, and nobody hears it: the heart looks after that.
            self.unsettled.call()
            raise
        return found[0].decode() if found else None

    async def _listen_and_send(self, step: Wait, command: Command[T]) -> T:
        """Wait, and send a command in the same breath: the server carries it out when called."""
        recalls = async_recalls()
        with Request(command, self._lanes, self.unsettled) as lane:
            said = (self._at, lane.name, lane.seq)
            words = (len(command.keys), *command.keys, *said, *command.args)
            try:
                wire = await self._wires.get(self._patience_s(step))
                reply = await run_when_called(command, words, _words(step), wire)
                self._heed(recalls)
            except LIBRARY_ERRORS as error:
                reply = await self._ask_again(error, command, said)
            return command.read(reply)

    async def _ask_again(self, error: Exception, command: Command[Any], said: Envelope) -> Any:
        """Send a command after a broken wait: it may have been carried out already."""
        try:
            await self._recover(error, 0, math.inf, command.queue)
            return await self._deliver(command, said)
        except BackendError as problem:
            problem.maybe_done = True
            raise

    def _patience_s(self, step: Wait) -> float:
        return next(w for w in WAITS_MS if step.for_ms <= w) / 1000 + self._short_s

    async def _rest(self, step: Rest) -> Woken:
        await asyncio.sleep(step.for_ms / 1000)
        return Woken(None, step.for_ms)

    async def pubsub(self) -> Any:
        """Make a subscription of the redis library on a connection of its own."""
        if self.target.clustered:
            await self.raw("EXISTS", REGISTRY)  # a cluster client must have met its nodes before
            return (await self._wires.get(self._short_s)).client.pubsub()
        # From a pool of its own: in the others, connections are kept between calls.
        return (await self._wires.get(self._short_s, "listen")).client.pubsub()

    def forget(self) -> None:
        """Drop the connections of a loop that is gone."""
        self._wires.forget()

    async def close(self) -> None:
        """Close all connections; the last user of the embedded engine stops it."""
        await self._wires.close()


def _handed_in(answer: Any) -> "list[Delivery]":
    """List the jobs that came with the answer to a step."""
    taken = answer.answer if isinstance(answer, Woken) else answer
    return taken.deliveries if isinstance(taken, Taken) else []


def _words(step: Wait) -> Words:
    return "BLPOP", *step.wake_keys, step.for_ms / 1000

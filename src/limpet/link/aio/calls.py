"""How one script is run: by its digest, by its text where the server does not know it yet."""

from typing import Any

import redis

from limpet.commands.base import Command
from limpet.errors import NotReplicated
from limpet.link.aio.wire import AsyncWire, Words, checked


async def run_script(wire: AsyncWire, command: Command[Any], words: Words) -> Any:
    """Run the script of a command."""
    (reply,) = await wire.ask(("EVALSHA", command.script.sha, *words))
    return await _known(reply, wire, command, words)


async def run_when_called(wire: AsyncWire, wait: Words, command: Command[Any], words: Words) -> Any:
    """Run the script of a command as soon as a wait is over: both go out in one write."""
    woken, reply = await wire.ask(wait, ("EVALSHA", command.script.sha, *words))
    checked(woken)
    return await _known(reply, wire, command, words)


async def _known(reply: Any, wire: AsyncWire, command: Command[Any], words: Words) -> Any:
    if isinstance(reply, redis.exceptions.NoScriptError):
        return await wire.ask_one(("EVAL", command.script.text, *words))
    return checked(reply)


async def run_and_wait(
    wire: AsyncWire, command: Command[Any], words: Words, replicas: int, wait_ms: int
) -> Any:
    """Run the script of a command and wait until that many replicas have what it wrote.

    The small write in between makes the wait honest when the request is sent again: a connection
    that wrote nothing would be told at once that all is well.
    """
    wait = (
        ("HSET", command.keys[0], "waited", replicas),
        ("WAIT", replicas, wait_ms),
    )
    reply, _, reached = await wire.ask(("EVALSHA", command.script.sha, *words), *wait)
    if isinstance(reply, redis.exceptions.NoScriptError):
        reply, _, reached = await wire.ask(("EVAL", command.script.text, *words), *wait)
    if checked(reply) and checked(reached) < replicas:
        ids = [pushed.id for pushed in command.read(reply).pushed]
        raise NotReplicated(command.queue, ids, reached, replicas)
    return reply

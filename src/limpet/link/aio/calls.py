"""How one script is run: by its digest, by its text where the server does not know it yet."""

from typing import Any

import redis

from limpet.commands.base import Command
from limpet.errors import NotReplicated
from limpet.link.aio.wire import AsyncWire, Words, checked


async def run_script(command: Command[Any], words: Words, wire: AsyncWire) -> Any:
    """Run the script of a command."""
    (reply,) = await wire.ask(("EVALSHA", command.script.sha, *words))
    return await _known(reply, command, words, wire)


async def run_when_called(command: Command[Any], words: Words, wait: Words, wire: AsyncWire) -> Any:
    """Run the script of a command as soon as a wait is over: both go out in one write."""
    woken, reply = await wire.ask(wait, ("EVALSHA", command.script.sha, *words))
    checked(woken)
    return await _known(reply, command, words, wire)


async def _known(reply: Any, command: Command[Any], words: Words, wire: AsyncWire) -> Any:
    """Give the reply; a script that the server does not know is sent with its text."""
    if isinstance(reply, redis.exceptions.NoScriptError):
        return await wire.ask_one(("EVAL", command.script.text, *words))
    return checked(reply)


async def run_and_wait(
    command: Command[Any], words: Words, wait: tuple[int, int], wire: AsyncWire
) -> Any:
    """Run the script of a command and wait until replicas have what it wrote: how many, how long.

    The small write in between makes the wait honest when the request is sent again: a connection
    that wrote nothing would be told at once that all is well.
    """
    behind = (("HSET", command.keys[0], "waited", wait[0]), ("WAIT", *wait))
    reply, _, reached = await wire.ask(("EVALSHA", command.script.sha, *words), *behind)
    if isinstance(reply, redis.exceptions.NoScriptError):
        reply, _, reached = await wire.ask(("EVAL", command.script.text, *words), *behind)
    if checked(reply) and checked(reached) < wait[0]:
        ids = [pushed.id for pushed in command.read(reply).pushed]
        raise NotReplicated(command.queue, ids, reached, wait[0])
    return reply

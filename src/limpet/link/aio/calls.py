"""How one script is run: by its digest, by its text where the server does not know it yet."""

from typing import Any

import redis

from limpet.commands.base import Command
from limpet.errors import NotReplicated


async def run_script(client: Any, command: Command[Any], words: tuple[Any, ...]) -> Any:
    """Run the script of a command."""
    try:
        return await client.execute_command("EVALSHA", command.script.sha, *words)
    except redis.exceptions.NoScriptError:
        return await client.execute_command("EVAL", command.script.text, *words)


async def run_and_wait(
    client: Any, command: Command[Any], words: tuple[Any, ...], replicas: int, wait_ms: int
) -> Any:
    """Run the script of a command and wait until that many replicas have what it wrote.

    The small write in between makes the wait honest when the request is sent again: a connection
    that wrote nothing would be told at once that all is well.
    """
    wait = (replicas, wait_ms)
    reply, reached = await _try(client, command, ("EVALSHA", command.script.sha, *words), wait)
    if isinstance(reply, redis.exceptions.NoScriptError):
        reply, reached = await _try(client, command, ("EVAL", command.script.text, *words), wait)
    for said in (reply, reached):
        if isinstance(said, Exception):
            raise said
    if reached < replicas:
        ids = [pushed.id for pushed in command.read(reply).pushed]
        raise NotReplicated(command.queue, ids, reached, replicas)
    return reply


async def _try(
    client: Any, command: Command[Any], call: tuple[Any, ...], wait: tuple[int, int]
) -> tuple[Any, Any]:
    pipe = client.pipeline(transaction=False)
    pipe.execute_command(*call)
    pipe.execute_command("HSET", command.keys[0], "waited", wait[0])
    pipe.execute_command("WAIT", *wait)
    reply, _, reached = await pipe.execute(raise_on_error=False)
    return reply, reached

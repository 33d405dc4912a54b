"""Pushes of one event loop, gathered: those made in the same turn of it share a round trip."""

import asyncio
from dataclasses import dataclass, field

from limpet.aio import AsyncLimpet
from limpet.commands.push import NewJob
from limpet.values import Pushed

#: A loop by its number, and a queue.
_Place = tuple[int, str]


@dataclass(slots=True)
class _Line:
    """Jobs for one queue, and who waits for what became of each."""

    jobs: list[NewJob | bytes] = field(default_factory=list)
    waiting: list[asyncio.Future[Pushed]] = field(default_factory=list)


class Outbox:
    """Jobs on their way to the queues of one client; a lone one does not wait for others."""

    def __init__(self) -> None:
        """Start empty."""
        self._lines: dict[_Place, _Line] = {}
        self._sending: set[asyncio.Task[None]] = set()

    async def push(self, client: AsyncLimpet, queue: str, job: NewJob | bytes) -> Pushed:
        """Push a job together with all that are pushed in this turn of the loop."""
        loop = asyncio.get_running_loop()
        place = (id(loop), queue)
        line = self._lines.get(place)
        if line is None:
            line = self._lines[place] = _Line()
            loop.call_soon(self._send, client, place)
        answer: asyncio.Future[Pushed] = loop.create_future()
        line.jobs.append(job)
        line.waiting.append(answer)
        return await answer

    def _send(self, client: AsyncLimpet, place: _Place) -> None:
        line = self._lines.pop(place)
        # A task of its own: whoever gives up waiting must not stop the jobs of the others.
        task = asyncio.get_running_loop().create_task(_deliver(client, place[1], line))
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)


async def _deliver(client: AsyncLimpet, queue: str, line: _Line) -> None:
    try:
        pushed = await client.queue(queue).push_jobs(line.jobs)
    except BaseException as error:
        _tell(line.waiting, error)
        if not isinstance(error, Exception):
            raise
        return
    for answer, one in zip(line.waiting, pushed, strict=True):
        if not answer.done():
            answer.set_result(one)


def _tell(waiting: list[asyncio.Future[Pushed]], error: BaseException) -> None:
    """Let all who wait know what went wrong."""
    for answer in waiting:
        if answer.done():
            continue
        if isinstance(error, asyncio.CancelledError):
            answer.cancel()
        else:
            answer.set_exception(error)

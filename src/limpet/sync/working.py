# Generated from src/limpet/aio/working.py by `python3 dev.py docs`; edit that file.
"""The worker of this process: started by the first pop, kept alive by its heart."""

import os
import threading
from pathlib import Path
from types import EllipsisType
from typing import TypeVar

from limpet.commands import workers
from limpet.commands.base import Command
from limpet.connection.context import leave_alone
from limpet.errors import QueueFull, WorkerLost
from limpet.flows import manage as manage_flows
from limpet.flows.base import Flow
from limpet.flows.pop import Asker, Source
from limpet.hands import Hands
from limpet.heart import Heart, Watcher
from limpet.keys import REGISTRY
from limpet.link.sync import Link
from limpet.options import Duration, WorkerOptions

T = TypeVar("T")


class Working:
    """A connection and at most one worker, who takes jobs over it."""

    def __init__(self, link: Link, options: WorkerOptions, home: str | Path | None) -> None:
        """Remember how to work; the worker is started when it is needed."""
        self.link = link
        self.hands = Hands()
        self._options = options
        self._home = home
        self._known: set[str] = set()
        self._heart: Heart | None = None
        self._watcher: Watcher | None = None
        self._guard, self._pid = threading.Lock(), os.getpid()

    def register(self, queue: str, *, again: bool = False) -> None:
        """Note a queue's name in the list of queues, once per client.

        A full server refuses that. It is no reason to stop: a push then says so itself, and a
        worker is needed all the more.
        """
        if again or queue not in self._known:
            try:
                self.link.raw("SADD", REGISTRY, queue)
            except QueueFull:
                return
            self._known.add(queue)

    def take(self, flow: Flow[T], *sources: Source) -> T:
        """Run a flow that hands out jobs of these queues, after giving back what nobody got."""
        try:
            self.link.settle({source.keys.queue for source in sources})
            return self.link.run(flow)
        except WorkerLost as error:
            self._lose(error.worker)
            raise

    def send_as_worker(self, command: Command[T]) -> T:
        """Send a worker's command; if the worker was declared dead, the next call starts anew."""
        try:
            return self.link.send(command)
        except WorkerLost as error:
            self._lose(error.worker)
            raise

    @property
    def worker(self) -> str | None:
        """The id of this client's worker, if one is running."""
        heart = self._heart
        return heart.worker if heart is not None and heart.is_ours else None

    @property
    def lost(self) -> bool:
        """Whether this client's worker was declared dead; the next call raises `WorkerLost`."""
        heart = self._heart
        return heart is not None and heart.lost

    def start_worker(
        self,
        *,
        name: str | None = None,
        heartbeat: Duration | None = None,
        lease: Duration | EllipsisType | None = ...,
        tasks: tuple[str, ...] | None = None,
    ) -> str:
        """Start this client's worker under a new identity; answers its id.

        Options not given are the client's own; lease None makes a permanent one. Tasks are the
        names it knows: it gets jobs that others set aside for not knowing them.
        """
        options = WorkerOptions(
            self._options.name if name is None else name,
            self._options.heartbeat if heartbeat is None else heartbeat,
            self._options.lease if lease is ... else lease,
            self._options.tasks if tasks is None else tasks,
        )
        self.stop_worker()
        self._options = options
        return self._present_heart().worker

    def watch(self, watcher: Watcher) -> None:
        """Have a function told of running jobs that were cancelled, from the heart's thread.

        It gets the queue and the ids, after every heartbeat as long as they run. Call this before
        the worker starts.
        """
        self._watcher = watcher

    def stop_worker(self) -> None:
        """Stop the worker; what it holds goes back to its place, no attempt spent."""
        heart = self._heart
        if heart is not None:
            self._part_from(heart)

    def give_back_now(self) -> None:
        """Give back what the worker holds; blocks. A last resort, for any thread."""
        heart = self._heart
        if heart is not None:
            heart.stop()

    def asker_for(self, source: Source) -> Asker:
        """Make sure that this client's worker serves a queue; answers who asks."""
        heart = self._present_heart()
        if heart.lost:
            self._part_from(heart)
            raise WorkerLost(heart.worker)
        if source.keys.queue not in heart.serving:
            self._serve(heart, source)
        return Asker(heart.worker, lambda: self.hands.burden)

    def _serve(self, heart: Heart, source: Source) -> None:
        self.register(source.keys.queue)
        started = workers.start_work(
            source.keys, heart.worker, heart.options, heart.host, heart.pid
        )
        self.link.send(started)
        if not heart.serve(source):
            # It was stopped while it started here: nobody would keep this lease alive.
            self.link.run(manage_flows.stop_work(source.keys, heart.worker))
            raise WorkerLost(heart.worker)

    def _present_heart(self) -> Heart:
        """Get the worker of this process; callers that come together must not make one each."""
        if self._pid != os.getpid():  # in a forked child the parent's lock may be taken for ever
            self._guard, self._pid = threading.Lock(), os.getpid()
        with self._guard:
            heart = self._heart
            if heart is None or not heart.is_ours:
                self._leave_to_parent(heart)
                self.hands.clear()
                heart = self._heart = self._new_heart()
            return heart

    def _new_heart(self) -> Heart:
        hands = self.hands  # not self: a client nobody needs any more can be collected at once
        return Heart(
            self.link.target,
            self._options,
            home=self._home,
            is_idle=lambda: hands.burden == "none",
            unsettled=self.link.unsettled,
            contact=self.link.contact,
            known=hands.receipts,
            watcher=self._watcher,
        )

    def _lose(self, worker: str) -> None:
        """Part from a worker that was declared dead, unless another one took its place already."""
        heart = self._heart
        if heart is not None and heart.worker == worker:
            heart.lost = True
            self._part_from(heart)

    def _part_from(self, heart: Heart) -> None:
        if self._heart is heart:
            self._heart = None
            self.hands.clear()
        self._leave_to_parent(heart)
        heart.stop()

    def _leave_to_parent(self, heart: Heart | None) -> None:
        if heart is not None and not heart.is_ours:
            leave_alone(heart)

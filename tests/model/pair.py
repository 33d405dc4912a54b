"""Server and model side by side: every request goes to both, and everything is compared.

    pair = Pair(client, "mail")
    pair.do("push", [NewJob(b"a")], lane="producer")
    pair.advance(5_000_000)                       # microseconds
    pair.do("pop", Taker("w1", "none", 3), 2, lane="w1")

After each request the answers are the same, the whole worlds are the same and all invariants
hold; else AssertionError tells what differs. Time stands still unless `advance` is called.
"""

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

import redis

from limpet.commands import finish, look, manage, push, take, workers
from limpet.commands.base import Command
from limpet.commands.workers import Beat
from limpet.errors import WorkerLost
from limpet.flows import audit
from limpet.keys import queue_keys
from tests.model import views
from tests.model.dump import Dump, dump
from tests.model.invariants import broken
from tests.model.queue_model import MEMORY_MS, SUPERSEDED, UNNUMBERED, Abandoned, QueueModel
from tests.model.world import abstract, differences, model_world

START_US = 1_800_000_000_000_000
LOST = "lost"
#: Requests that look at the line: they leave a token if they leave jobs behind.
TAKING = {"pop", "ack_and_pop", "claim", "tend", "unpause"}
MODULES = (push, take, finish, workers, manage)


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it was sent, to be sent again."""

    name: str
    args: tuple[Any, ...]
    named: dict[str, Any] = field(default_factory=dict)
    lane: str = ""
    seq: int = 0


class Pair:
    """One queue on a server and its model."""

    def __init__(self, client: redis.Redis, queue: str = "pair") -> None:
        self.client = client
        self.keys = queue_keys(queue)
        self.model = QueueModel(queue)
        self.us = self.latest_us = START_US
        self.seqs: Counter[str] = Counter()
        self.token_taken = self.mixed_modes = False
        self.found: Dump = dump(client, queue)

    def advance(self, us: int) -> None:
        """Let time pass; a negative number turns the server's clock back."""
        self.us += us
        self.latest_us = max(self.us, self.latest_us)

    def do(self, name: str, *args: Any, lane: str = "", **named: Any) -> Any:
        """Send a new request to both and compare everything; answers what both answered."""
        if lane and name not in UNNUMBERED:
            self.seqs[lane] += 1
        return self.send(Request(name, args, named, lane, self.seqs[lane]))

    def send(self, request: Request) -> Any:
        """Send a request, new or old, to both and compare everything."""
        memory = self.model.memory.get(request.lane)
        expected = self._ask_model(request)
        answer = self._ask_server(request)
        assert answer == expected, f"{request}:\nthe server answered {answer}\nthe model {expected}"
        if request.name in TAKING and (request.name == "unpause" or _looked(answer)):
            known = memory and request.name not in UNNUMBERED and request.seq <= memory.seq
            self.token_taken = self.token_taken and bool(known)
        self.check(request.name)
        return answer

    def remembers(self, lane: str) -> bool:
        """Is the last request of a lane still known: was it heard of within the hour?"""
        last = self.model.memory.get(lane)
        return last is not None and self.latest_us // 1000 - last.at_ms <= MEMORY_MS

    def take_token(self) -> None:
        """Wake up as somebody who waits for work does, without popping yet."""
        if self.client.lpop(self.keys["wake"]):
            self.token_taken = True
        self.check("take_token")

    def audit(self, name: str) -> None:
        """Verify or repair the queue: there is nothing to find and nothing to mend."""
        report = self._drive(getattr(audit, name)(self.keys))
        assert self.token_taken or report.ok, f"{name} found {report.problems}"
        self.check(name)

    def _drive(self, flow: Any) -> Any:
        """Run an operation of several round trips on the server alone."""
        answer = None
        while True:
            try:
                step = flow.send(answer)
            except StopIteration as done:
                return done.value
            answer = step.read(self.run(step, "", 0))

    def look(self, name: str, *args: Any) -> Any:
        """Look at the queue: it shows what the model has."""
        command = getattr(look, name)(self.keys, *args)
        self.model.us, self.model.ms = self.us, self.us // 1000
        answer = command.read(self.run(command, "", 0))
        expected = getattr(views, name)(self.model, *args)
        assert answer == expected, f"{name}{args}:\nthe server shows {answer}\nthe model {expected}"
        return answer

    def check(self, name: str) -> None:
        """Compare the whole worlds and look at all invariants."""
        before, self.found = self.found, dump(self.client, self.keys.queue)
        came = set(self.found.line) - set(before.line)
        if came or self.found.elements("wake"):
            self.token_taken = False
        wrong = differences(abstract(self.found), model_world(self.model))
        wrong += broken(self.found, token_taken=self.token_taken, mixed_modes=self.mixed_modes)
        assert not wrong, f"after {name}:\n" + "\n".join(wrong)

    def _ask_model(self, request: Request) -> Any:
        try:
            answer = self.model.send(
                self.us,
                request.name,
                *request.args,
                lane=request.lane,
                seq=request.seq,
                **request.named,
            )
        except WorkerLost:
            return LOST
        if isinstance(answer, Beat):
            tend = not answer.lost and (answer.tend or self._stranded())
            return _tidy(replace(answer, tend=tend))
        return answer

    def _stranded(self) -> bool:
        """Jobs wait, nobody was called: a heartbeat must notice."""
        line = self.found.elements("waiting") or self.found.line
        return bool(line) and "wake" not in self.found.types and "paused" not in self.found.types

    def _ask_server(self, request: Request) -> Any:
        command = self.command(request)
        reply = self.run(command, request.lane, request.seq)
        if reply[0] == b"superseded":
            return SUPERSEDED
        if reply[0] == b"abandoned" and request.name != "abandon":
            return Abandoned(reply[1]) if isinstance(reply[1], int) else Abandoned(reply[1][0])
        try:
            answer = command.read(reply)
        except WorkerLost:
            return LOST
        return _tidy(answer[0]) if request.name == "beat" else answer

    def command(self, request: Request) -> Command[Any]:
        """Make the command of a request."""
        make = next(getattr(m, request.name) for m in MODULES if hasattr(m, request.name))
        where = [self.keys] if request.name == "beat" else self.keys
        made: Command[Any] = make(where, *request.args, **request.named)
        return made

    def run(self, command: Command[Any], lane: str, seq: int) -> Any:
        """Run a script at the present time; a server that forgot it gets its text."""
        envelope = {"at": self.us, "lane": lane, "seq": seq}
        args = [envelope[name] for name in command.envelope]
        rest: Any = (len(command.keys), *command.keys, *args, *command.args)
        try:
            return self.client.execute_command("EVALSHA", command.script.sha, *rest)
        except redis.exceptions.NoScriptError:
            return self.client.execute_command("EVAL", command.script.text, *rest)


def _looked(answer: Any) -> bool:
    """Did this request go through the line, or was it refused?"""
    return answer not in (LOST, SUPERSEDED, None) and not getattr(answer, "tend", False)


def _tidy(beat: Beat) -> Beat:
    """Of a worker that is lost, or that has to tend now, the time of the next look is nothing."""
    next_in_ms = -1 if beat.lost or beat.tend else beat.next_in_ms
    return replace(beat, next_in_ms=next_in_ms, cancelled=tuple(sorted(beat.cancelled)))

"""Server and flow model side by side: after every request all that can be seen is compared."""

from typing import Any

import redis

from limpet.commands import finish, look, manage, notes, push, take, workers
from limpet.commands.base import Command
from limpet.flows import audit
from limpet.states import State
from tests.model import views
from tests.model.dump import dump
from tests.model.pair import Pair, Request
from tests.properties.flow_model import FlowModel

MODULES = (push, take, finish, workers, manage, notes)
SOME = 100
#: All keys that may be there when no job is left and all outcomes are forgotten.
AT_REST = {"clock", "stats", "sessions", "lanes", "workers", "crew", "failures", "wake"}


class FlowPair(Pair):
    """One queue with flows on a server and its model."""

    model: FlowModel

    def __init__(self, client: redis.Redis, model: FlowModel, queue: str = "flows") -> None:
        super().__init__(client, queue)
        self.model = model
        self.seen: set[str] = set()
        self.before: dict[str, Any] = {}
        self.checks = 0

    def command(self, request: Request) -> Command[Any]:
        """Make the command of a request."""
        make = next(getattr(m, request.name) for m in MODULES if hasattr(m, request.name))
        made: Command[Any] = make(self.keys, *request.args, **request.named)
        return made

    def check(self, name: str) -> None:
        """Compare what is shown of the queue and of its jobs, those that are gone included."""
        self.model.us, self.model.ms = self.us, self.us // 1000
        self.seen |= set(self.model.jobs)
        shown = self._shown()
        for what, answer, expected in zip(shown[0], self._answers(shown[1]), shown[2], strict=True):
            assert answer == expected, (
                f"after {name}, {what}:\nthe server shows {answer}\nthe model {expected}"
            )
        self.checks += 1
        if self.checks % 8 == 0:
            self.verify(name)

    def verify(self, name: str = "all") -> None:
        """Let the server look for inconsistencies."""
        report = self._drive(audit.verify(self.keys))
        assert report.ok, f"after {name}: {report.problems}"

    def _shown(self) -> tuple[list[str], list[Command[Any]], list[Any]]:
        """What to look at: a name, the command, and what the model says."""
        model, keys = self.model, self.keys
        rows: list[tuple[str, Command[Any], Any]] = [
            ("stats", look.stats(keys), self._stats()),
            ("stranded", notes.stranded(keys), model.stranded()),
        ]
        for state in State:
            expected = views.inspect(model, state, 0, SOME)
            if state is State.PARKED:
                parked = sorted(model.of(state), key=model.parks_as)
                expected = [view for job in parked if (view := views.job(model, job.id))]
            rows.append((state, look.inspect(keys, state, 0, SOME), expected))
        for job_id in self._looked_at():
            rows += [
                (f"result of {job_id}", notes.result(keys, job_id), model.result(job_id)),
                (f"notes of {job_id}", notes.notes(keys, job_id), model.notes(job_id)),
            ]
            if job_id not in model.jobs:
                rows.append((f"job {job_id}", look.job(keys, job_id), None))
        names, commands, expected = zip(*rows, strict=True)
        return list(names), list(commands), list(expected)

    def _looked_at(self) -> list[str]:
        """Ids to look at more closely: those that changed, and in turn some of all there were."""
        turn = self.checks % 8
        now = {i: (j.state, self.model.notes(i)) for i, j in self.model.jobs.items()}
        before, self.before = self.before, now
        changed = {i for i in now.keys() | before.keys() if now.get(i) != before.get(i)}
        return sorted(changed | set(sorted(self.seen)[turn::8]))

    def _stats(self) -> Any:
        found = views.stats(self.model)
        return type(found)(
            **{name: getattr(found, name) for name in found.__slots__ if name != "stranded"},
            stranded=len(self.model.aside()),
        )

    def _answers(self, commands: list[Command[Any]]) -> list[Any]:
        """Ask all in one round trip."""
        with self.client.pipeline(transaction=False) as pipe:
            for command in commands:
                envelope = {"at": self.us, "lane": "", "seq": 0}
                args = [envelope[name] for name in command.envelope]
                pipe.eval(
                    command.script.text, len(command.keys), *command.keys, *args, *command.args
                )
            try:
                replies = pipe.execute()
            except redis.exceptions.NoScriptError:
                for command in commands:
                    self.client.script_load(command.script.text)
                return self._answers(commands)
        return [command.read(raw) for command, raw in zip(commands, replies, strict=True)]

    def groups(self) -> None:
        """Compare what is kept about groups."""
        found = dump(self.client, self.keys.queue)
        kept = {(group, rest.decode()) for group, rest in found.grouped("members")}
        assert kept == {(g.encode(), i) for g, ids in self.model.members.items() for i in ids}
        assert set(found.texts("groups")) == set(self.model.tallies)

    def at_rest(self) -> None:
        """When no job is left, nothing is left of flows."""
        assert set(dump(self.client, self.keys.queue).types) <= AT_REST

"""The child of `limpet worker`: loads the app, works, and reports to the parent.

Started as `python -m limpet.worker.child` by `limpet.worker.parent`, with the plan in the
environment and one end of a wire.
"""

import logging
import os
import signal
import sys
import traceback
from pathlib import Path
from typing import NoReturn

from limpet.app.app import App
from limpet.connection.faults import is_cut, passes_by
from limpet.errors import BackendError, ConfigError, EngineError, LimpetError
from limpet.options import WorkerOptions
from limpet.worker.load import load, place_of
from limpet.worker.logs import write_log
from limpet.worker.plan import Plan
from limpet.worker.report import Reporter, inherited
from limpet.worker.wire import CannotStart, Order, Ready, Wire
from limpet.worker.worker import Worker

log = logging.getLogger("limpet")

#: What it may take on top of its grace time to stop, as in the parent.
EXTRA_S = 5.0
#: Exit codes, as the command line has them.
WRONG, USAGE, UNREACHABLE = 1, 2, 69


class Child:
    """One working process."""

    def __init__(self, plan: Plan, number: int, wire: Wire) -> None:
        """Remember what to do."""
        self._plan, self._number = plan, number
        self._worker: Worker | None = None
        self._works = False
        self._reporter = Reporter(wire, self.obey, self._stop_alone)

    def run(self) -> int:
        """Work until told to stop; answers the exit code."""
        self._hear_signals()
        self._reporter.start()
        try:
            app = self._load()
            worker = self._make_worker(app)
            worker.on_identity = lambda worker_id, queues: self._tell(app, worker_id, queues)
            worker.on_deadline = self._reporter.due
            self._worker = worker
            code = worker.run()
        except Exception as error:  # noqa: BLE001 - the parent is told of whatever it is
            return self._fail(error)
        if code == 0:
            self._reporter.say_goodbye()
        return code

    def obey(self, order: Order) -> None:
        """Do what the parent or a signal says. May be called from any thread.

        Before there is a worker nothing is held, and an import cannot be ended in a nicer way.
        """
        worker = self._worker
        if order == "dump":
            if worker is not None:
                worker.dump()
        elif worker is None:
            self._reporter.say_goodbye()
            os._exit(0)
        else:
            worker.stop(now=order == "now")

    def _stop_alone(self) -> None:
        """Stop without the parent, who would kill us if we did not."""
        self.obey("stop")
        if self._worker is not None:
            self._worker.end_within(self._plan.grace_s + EXTRA_S)

    def _hear_signals(self) -> None:
        """Take signals as the parent's orders: it may pass on what the whole group got.

        So a second one does not mean "at once" here; only the parent says that.
        """
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self.obey("stop"))
        for number in (signal.SIGUSR1, signal.SIGTTIN):
            signal.signal(number, lambda *_: self.obey("dump"))
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    # -- starting ---------------------------------------------------------------------------

    def _load(self) -> App:
        app = load(self._plan.app)
        who = f"child {self._number}:" if self._plan.processes > 1 else ""
        write_log(self._plan.log_level, who)
        if self._plan.url is not None:
            app.close()
            app.url = self._plan.url
        return app

    def _make_worker(self, app: App) -> Worker:
        plan = self._plan
        queues = {} if plan.queues is None else {"queues": plan.queues}
        return Worker(
            app,
            **queues,
            concurrency=plan.concurrency,
            burst=plan.burst,
            grace=plan.grace,
            name=plan.name,
            heartbeat=plan.heartbeat,
            lease=plan.lease,
            handle_signals=False,
        )

    def _tell(self, app: App, worker_id: str, queues: list[str]) -> None:
        """Tell the parent who we are and what it needs to return our jobs."""
        client, plan = app.limpet, self._plan
        policies = {queue: client.policy_of(queue, {}) for queue in queues}
        options = WorkerOptions(plan.name, plan.heartbeat, plan.lease)
        self._works = True
        self._reporter.works(
            Ready(
                worker=worker_id,
                queues={name: (p.crash_limit, p.dead_limit) for name, p in policies.items()},
                url=client.link.target.url,
                home=None if app.home is None else str(app.home),
                source=client.link.target.source,
                lease_ms=None if plan.lease is None else options.lease_ms,
                tasks=len(app.tasks),
                files=files_of(plan.app) if plan.reload else (),
            )
        )

    # -- failing ----------------------------------------------------------------------------

    def _fail(self, error: Exception) -> int:
        """Say why we do not go on: to the parent as long as we never worked, else in the log."""
        unexpected = self._works and not isinstance(error, LimpetError)
        if self._plan.verbose or unexpected:
            traceback.print_exception(error)
        refusal = refusal_of(error)
        if self._works:
            log.error("%s", refusal.line)
        else:
            self._reporter.cannot_start(refusal)
        return refusal.code


def refusal_of(error: Exception) -> CannotStart:
    """Put an error in one line, with its exit code; a server that is away may come back."""
    line = " ".join(str(error).split())
    match error:
        case ConfigError():
            return CannotStart(line, USAGE)
        case EngineError():
            return CannotStart(line, UNREACHABLE)
        case BackendError(__cause__=Exception() as cause) if passes_by(cause) or is_cut(cause):
            return CannotStart(line, UNREACHABLE, final=False)
        case LimpetError():
            return CannotStart(line, WRONG)
    # Of the user's own code, such as the app's lifespan.
    said = f"{place_of(error)}: {type(error).__name__}: {line}".rstrip(": ")
    return CannotStart(said, WRONG, final=False)


def files_of(path: str) -> tuple[str, ...]:
    """List the files of the app's module and of its package, wherever they are."""
    top = sys.modules.get(path.partition(":")[0].partition(".")[0])
    file = getattr(top, "__file__", None)
    if file is None:
        return ()
    found = Path(file)
    if found.name != "__init__.py":
        return (str(found),)
    return tuple(str(one) for one in sorted(found.parent.rglob("*.py")))


def main() -> NoReturn:
    """Run as a program."""
    sys.exit(Child(*inherited()).run())


if __name__ == "__main__":
    main()

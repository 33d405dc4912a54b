"""What runs in the process of a task with `runs_in="process"`: one job after the other.

Orders come over a pipe. Its end means that the worker is gone, and then the process ends at
once, also in the middle of a job: whoever holds the job next must not meet us.
"""

import faulthandler
import importlib
import os
import pickle
import queue
import random
import signal
import sys
import threading
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from limpet.app.app import App
from limpet.app.context import enter_job
from limpet.app.desk import Desk
from limpet.app.task import Task
from limpet.errors import ConfigError
from limpet.link import time_shift
from limpet.values import Delivery
from limpet.worker.outcomes import Done, Failed, Outcome, Rejected, RetryLater
from limpet.worker.runner import Kit, Run, judge_error, judge_value, prepare, told

#: Told before user code begins.
BEGUN = "begun"


class Order(NamedTuple):
    """A job to perform, and where its task is."""

    module: str
    qualname: str
    task: str
    delivery: Delivery
    #: The server of the worker's app: it may be another than the module says.
    url: str | None
    #: By how much a test moved the time: see `limpet.link.time_shift`.
    moved: str


def serve(line: Connection) -> None:
    """Perform jobs until the worker is gone."""
    _leave_signals_to_the_worker()
    orders: queue.SimpleQueue[Order] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(line, orders), daemon=True).start()
    kits: dict[str, Kit] = {}
    while True:
        order = orders.get()
        line.send(_portable(_perform(order, kits, line)))


def _leave_signals_to_the_worker() -> None:
    """A signal to the whole group is the worker's business; handlers are not inherited further."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    faulthandler.register(signal.SIGUSR1)


def _listen(line: Connection, orders: "queue.SimpleQueue[Order]") -> None:
    while True:
        try:
            orders.put(line.recv())
        except (EOFError, OSError):
            os._exit(1)


def _perform(order: Order, kits: dict[str, Kit], line: Connection) -> Outcome:
    """The same pipeline as in the worker, up to the outcome."""
    time_shift.at = order.moved
    try:
        kit = kits.get(order.task) or kits.setdefault(order.task, _kit_of(order))
    except BaseException as error:  # noqa: BLE001 - importing runs code of the user's
        return Failed(told(error), error)
    run = prepare(order.delivery, kit)
    if not isinstance(run, Run):
        return run
    line.send(BEGUN)
    outcome = _call(run, kit)
    if run.job.pad is not None and isinstance(kit.desk, Desk):
        kit.desk.flush(run.job)
    return outcome


def _call(run: Run, kit: Kit) -> Outcome:
    enter_job(run.job)
    try:
        value = run.task.fn(*run.args, **run.kwargs)
    except BaseException as error:  # noqa: BLE001 - whatever it is, it ends this job only
        return judge_error(run, error, random.random())
    return judge_value(run, value, kit.codec.encode)


def _portable(outcome: Outcome) -> Outcome:
    """Make sure that an outcome can cross; what cannot is told in words."""
    try:
        pickle.loads(pickle.dumps(outcome))  # noqa: S301 - our own bytes
    except Exception:  # noqa: BLE001 - any class may fail in its own way
        if isinstance(outcome, Done):
            return Done(outcome.body)
        if isinstance(outcome, Failed | RetryLater | Rejected):
            return replace(outcome, error=RuntimeError(outcome.message))
    return outcome


# -- finding the task -----------------------------------------------------------------------


def _kit_of(order: Order) -> Kit:
    """Make ready what the task needs. In a script it may have another name here: it is told its."""
    task = _task_of(order)
    app = task.app
    if app.url != order.url:
        app.close()
        app.url = order.url
    return Kit({order.task: task}, app.codec, Desk(lambda: app.limpet, app.codec.decode))


def _task_of(order: Order) -> Task[..., Any]:
    """Find a task: where its function stands, or in the apps of that module."""
    module = sys.modules.get(order.module) or importlib.import_module(order.module)
    found: Any = module
    for name in order.qualname.split("."):
        found = getattr(found, name, None)
    if isinstance(found, Task):
        return found
    for value in vars(module).values():
        if isinstance(value, App) and order.task in value.tasks:
            return value.tasks[order.task]
    raise ConfigError(
        f"a process cannot find task {order.task!r} in module {order.module!r}:"
        " define it at the top of its module, beside the app"
    )

"""limpet: a reliable, unique, atomic job queue on Redis or Valkey.

from limpet import Queue

queue = Queue("mail")
queue.push(b"hello")
for job in queue.pop(count=10, wait="5s"):
    ...
    queue.ack(job)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from limpet._version import __version__

if TYPE_CHECKING:
    # the two doors, and queues
    from limpet.aio import AsyncEvents, AsyncLimpet, AsyncQueue

    # tasks
    from limpet.app.app import App
    from limpet.app.context import Job, JobInterrupted, current_job
    from limpet.app.flow import Batch
    from limpet.app.handle import JobHandle, LogLine, Progress
    from limpet.app.items import TaskItem
    from limpet.app.middleware import Middleware
    from limpet.app.task import Task

    # errors
    from limpet.errors import (
        BackendError,
        ConfigError,
        Duplicate,
        EngineError,
        JobCancelled,
        JobCrashed,
        JobError,
        JobFailed,
        JobGone,
        JobTimeout,
        LimpetError,
        NotReplicated,
        PayloadError,
        QueueFull,
        ResultTimeout,
        ScriptError,
        WorkerLost,
    )

    # what goes in
    from limpet.intake import Item
    from limpet.states import State
    from limpet.sync import Events, Limpet, Queue
    from limpet.tasks.codec import JSON, Codec, Pickle
    from limpet.tasks.message import Call
    from limpet.tasks.standing import Explanation
    from limpet.tasks.steering import Reject, Retry

    # what comes out
    from limpet.values import (
        Claim,
        Delivery,
        Event,
        Failure,
        JobView,
        LockView,
        Notes,
        Outcome,
        Problem,
        Pushed,
        Receipt,
        Renewed,
        Report,
        ScheduleView,
        Stats,
        Tally,
        WorkerView,
    )

    # who runs the jobs of tasks
    from limpet.worker.worker import Worker
else:
    # Names are fetched at first use: a program that only wants `limpet.errors`, or `limpet --help`,
    # does not wait for the client library.
    _HOMES = {
        "limpet.aio": "AsyncEvents AsyncLimpet AsyncQueue",
        "limpet.app.app": "App",
        "limpet.app.context": "Job JobInterrupted current_job",
        "limpet.app.flow": "Batch",
        "limpet.app.handle": "JobHandle LogLine Progress",
        "limpet.app.items": "TaskItem",
        "limpet.app.middleware": "Middleware",
        "limpet.app.task": "Task",
        "limpet.errors": "BackendError ConfigError Duplicate EngineError JobCancelled JobCrashed"
        " JobError JobFailed JobGone JobTimeout LimpetError NotReplicated PayloadError QueueFull"
        " ResultTimeout ScriptError WorkerLost",
        "limpet.intake": "Item",
        "limpet.states": "State",
        "limpet.sync": "Events Limpet Queue",
        "limpet.tasks.codec": "Codec JSON Pickle",
        "limpet.tasks.message": "Call",
        "limpet.tasks.standing": "Explanation",
        "limpet.tasks.steering": "Reject Retry",
        "limpet.values": "Claim Delivery Event Failure JobView LockView Notes Outcome Problem"
        " Pushed Receipt Renewed Report ScheduleView Stats Tally WorkerView",
        "limpet.worker.worker": "Worker",
    }
    _HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}

    def __getattr__(name: str) -> Any:
        """Fetch a public name from the module where it lives."""
        if f"limpet.{name}" in _HOMES:
            return import_module(f"limpet.{name}")
        if name not in _HOME_OF:
            raise AttributeError(f"module 'limpet' has no attribute {name!r}")
        found = getattr(import_module(_HOME_OF[name]), name)
        globals()[name] = found
        return found

    def __dir__() -> list[str]:
        return sorted({*globals(), *_HOME_OF})


__all__ = [
    "JSON",
    "App",
    "AsyncEvents",
    "AsyncLimpet",
    "AsyncQueue",
    "BackendError",
    "Batch",
    "Call",
    "Claim",
    "Codec",
    "ConfigError",
    "Delivery",
    "Duplicate",
    "EngineError",
    "Event",
    "Events",
    "Explanation",
    "Failure",
    "Item",
    "Job",
    "JobCancelled",
    "JobCrashed",
    "JobError",
    "JobFailed",
    "JobGone",
    "JobHandle",
    "JobInterrupted",
    "JobTimeout",
    "JobView",
    "Limpet",
    "LimpetError",
    "LockView",
    "LogLine",
    "Middleware",
    "NotReplicated",
    "Notes",
    "Outcome",
    "PayloadError",
    "Pickle",
    "Problem",
    "Progress",
    "Pushed",
    "Queue",
    "QueueFull",
    "Receipt",
    "Reject",
    "Renewed",
    "Report",
    "ResultTimeout",
    "Retry",
    "ScheduleView",
    "ScriptError",
    "State",
    "Stats",
    "Tally",
    "Task",
    "TaskItem",
    "Worker",
    "WorkerLost",
    "WorkerView",
    "__version__",
    "current_job",
]

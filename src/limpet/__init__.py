"""limpet: a reliable, unique, atomic job queue on Redis or Valkey.

from limpet import Queue

queue = Queue("mail")
queue.push(b"hello")
for job in queue.pop(count=10, wait="5s"):
    ...
    queue.ack(job)
"""

from limpet._version import __version__

# the two doors, and queues
from limpet.aio import AsyncEvents, AsyncLimpet, AsyncQueue

# errors
from limpet.errors import (
    BackendError,
    ConfigError,
    Duplicate,
    EngineError,
    LimpetError,
    PayloadError,
    QueueFull,
    ScriptError,
    WorkerLost,
)

# what goes in
from limpet.intake import Item
from limpet.states import State
from limpet.sync import Events, Limpet, Queue

# what comes out
from limpet.values import (
    Claim,
    Delivery,
    Event,
    Failure,
    JobView,
    LockView,
    Problem,
    Pushed,
    Receipt,
    Renewed,
    Report,
    Stats,
    WorkerView,
)

__all__ = [
    "AsyncEvents",
    "AsyncLimpet",
    "AsyncQueue",
    "BackendError",
    "Claim",
    "ConfigError",
    "Delivery",
    "Duplicate",
    "EngineError",
    "Event",
    "Events",
    "Failure",
    "Item",
    "JobView",
    "Limpet",
    "LimpetError",
    "LockView",
    "PayloadError",
    "Problem",
    "Pushed",
    "Queue",
    "QueueFull",
    "Receipt",
    "Renewed",
    "Report",
    "ScriptError",
    "State",
    "Stats",
    "WorkerLost",
    "WorkerView",
    "__version__",
]

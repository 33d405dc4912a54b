"""What `limpet worker` was asked to do, as a value that its processes hand on to each other."""

import json
from dataclasses import asdict, dataclass
from typing import Self

from limpet.errors import ConfigError
from limpet.options import WorkerOptions, count_of, milliseconds

LEVELS = ("debug", "info", "warning", "error")


@dataclass(frozen=True, slots=True)
class Plan:
    """All options, checked before the first process is started."""

    #: Where the app is, such as "shop:app"; only children go there.
    app: str
    #: As in "high,low" or "high=3,low=1"; None: all queues of the app's tasks.
    queues: str | None = None
    concurrency: int = 10
    processes: int = 1
    burst: bool = False
    reload: bool = False
    grace: str = "30s"
    name: str = "worker"
    heartbeat: str = "1s"
    #: None: for ever.
    lease: str | None = "10s"
    url: str | None = None
    log_level: str = "info"
    verbose: bool = False

    def __post_init__(self) -> None:
        """Check what needs no app to be checked."""
        count_of(self.concurrency, "concurrency")
        count_of(self.processes, "processes")
        milliseconds(self.grace, "grace")
        _ = WorkerOptions(self.name, self.heartbeat, self.lease)
        if self.log_level not in LEVELS:
            raise ConfigError(f"the log level {self.log_level!r} is not one of {', '.join(LEVELS)}")
        if self.burst and self.reload:
            raise ConfigError("burst ends when all is done, reload goes on: choose one of them")

    @property
    def grace_s(self) -> float:
        """How long running jobs get when the worker is told to stop."""
        return milliseconds(self.grace, "grace") / 1000

    def to_json(self) -> str:
        """Write it as one word of a command line or an environment."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what `to_json` wrote."""
        return cls(**json.loads(text))

"""Everything limpet raises on purpose.

    LimpetError                       the base: catch this to catch all of them
    ├── ConfigError (ValueError)      a bad option or name, found at the door
    ├── PayloadError (ValueError)     a payload that is not bytes or text, or too large
    ├── Duplicate                     strict push met a twin: .queue, .job_id
    ├── WorkerLost                    this worker was declared dead: .worker
    └── BackendError                  the server cannot be reached, or refused: .maybe_done
        ├── QueueFull                 the server has no memory left for new jobs
        ├── NotReplicated             queued, but not on as many replicas as asked: .ids
        ├── ScriptError               an answer no command understands: please report it
        └── EngineError               the embedded engine cannot be found, started or joined

A duplicate push, an empty queue and a stale receipt are answers, not errors
(`Duplicate` is raised only where strict mode asked for it).
"""


class LimpetError(Exception):
    """Base of every error that limpet raises on purpose."""


class ConfigError(LimpetError, ValueError):
    """A bad option or name; the message says the rule."""


class PayloadError(LimpetError, ValueError):
    """A payload that cannot be stored; nothing was sent."""


class Duplicate(LimpetError):
    """A strict push met a job with the same identity."""

    def __init__(self, queue: str, job_id: str) -> None:
        """Name the queue and the job in the way."""
        super().__init__(f"queue {queue!r} already holds this job as {job_id}")
        self.queue = queue
        self.job_id = job_id


class WorkerLost(LimpetError):
    """This worker was declared dead; start a new one to go on."""

    def __init__(self, worker: str) -> None:
        """Name the worker that was declared dead."""
        super().__init__(
            f"worker {worker} was declared dead and its jobs were returned; start a new worker"
        )
        self.worker = worker


class BackendError(LimpetError):
    """The server cannot be reached or refused; the cause is in `__cause__`."""

    #: The request may have been carried out: it was sent, and its answer never came.
    maybe_done = False


class QueueFull(BackendError):
    """The server has no memory left; nothing was queued, try again later."""


class NotReplicated(BackendError):
    """The jobs are queued, but fewer replicas than asked for have them yet.

    Pushing again would queue them twice, unless they have an `id` or a unique key.
    """

    maybe_done = True

    def __init__(self, queue: str, ids: list[str], reached: int, wanted: int) -> None:
        """Name the jobs and how many replicas have them."""
        super().__init__(
            f"queue {queue!r}: {len(ids)} jobs are queued, but {reached} of {wanted} replicas"
            " confirmed them in time; they may be lost if the server fails now"
        )
        self.queue, self.ids, self.reached, self.wanted = queue, ids, reached, wanted


class ScriptError(BackendError):
    """A script answered something no command understands: a bug, please report it."""

    maybe_done = True


class EngineError(BackendError):
    """The embedded engine cannot be found, started or joined."""

"""Everything limpet raises on purpose.

    LimpetError                       the base: catch this to catch all of them
    ├── ConfigError (ValueError)      a bad option or name, found at the door
    ├── PayloadError (ValueError)     a payload or argument that cannot be sent or read
    ├── Duplicate                     strict push met a twin: .queue, .job_id
    ├── WorkerLost                    this worker was declared dead: .worker
    ├── JobError                      about one job: .job_id
    │   ├── JobFailed                 it failed, so there is no result: .message
    │   ├── JobCancelled              it was cancelled, or must stop now: .why
    │   ├── JobGone                   it is not there, and left no result
    │   ├── JobTimeout                it took longer than its task allows (also a TimeoutError)
    │   ├── JobCrashed                the process it ran in died: .ended
    │   └── ResultTimeout             no result within the time asked for (also a TimeoutError)
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


class JobError(LimpetError):
    """About one job."""

    def __init__(self, job_id: str, message: str) -> None:
        """Name the job and say what is the matter with it."""
        super().__init__(message)
        self.job_id = job_id


class JobFailed(JobError):
    """The job failed and was given up, so there is no result."""

    def __init__(self, job_id: str, message: str) -> None:
        """Name the job and its last error."""
        super().__init__(job_id, f"job {job_id} failed: {message}")
        self.message = message

    def __reduce__(self) -> tuple[type, tuple[str, str]]:
        """Let it cross from one process to another."""
        return type(self), (self.job_id, self.message)


class JobCancelled(JobError):
    """The job was cancelled; raised inside of it, it must stop now."""

    def __init__(self, job_id: str, why: str = "cancelled") -> None:
        """Name the job and why it ends."""
        super().__init__(job_id, f"job {job_id} is {why}")
        self.why = why

    def __reduce__(self) -> tuple[type, tuple[str, str]]:
        """Let it cross from one process to another."""
        return type(self), (self.job_id, self.why)


class JobGone(JobError):
    """The job is not in its queue, and no result of it is kept (any more)."""

    def __init__(self, job_id: str) -> None:
        """Name the job."""
        super().__init__(
            job_id,
            f"job {job_id} is not there and no result of it is kept;"
            " ask earlier, or give its task a longer result_ttl",
        )

    def __reduce__(self) -> tuple[type, tuple[str]]:
        """Let it cross from one process to another."""
        return type(self), (self.job_id,)


class JobTimeout(JobError, TimeoutError):
    """The job took longer than it may."""

    def __init__(self, job_id: str, seconds: float) -> None:
        """Name the job and how long it was allowed to take."""
        super().__init__(job_id, f"it took longer than {seconds:g} s and was stopped")
        self.seconds = seconds

    def __reduce__(self) -> tuple[type, tuple[str, float]]:
        """Let it cross from one process to another."""
        return type(self), (self.job_id, self.seconds)


class JobCrashed(JobError):
    """The process in which the job ran died with it."""

    def __init__(self, job_id: str, ended: str) -> None:
        """Name the job and how its process ended."""
        super().__init__(job_id, f"the process it ran in ended: {ended}")
        self.ended = ended

    def __reduce__(self) -> tuple[type, tuple[str, str]]:
        """Let it cross from one process to another."""
        return type(self), (self.job_id, self.ended)


class ResultTimeout(JobError, TimeoutError):
    """The job did not end within the time asked for; it goes on."""

    def __init__(self, job_id: str, seconds: float) -> None:
        """Name the job and how long was waited."""
        super().__init__(job_id, f"job {job_id} gave no result within {seconds:g} s; it goes on")
        self.seconds = seconds

    def __reduce__(self) -> tuple[type, tuple[str, float]]:
        """Let it cross from one process to another."""
        return type(self), (self.job_id, self.seconds)


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

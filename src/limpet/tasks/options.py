"""The options of a task, checked when it is made."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any, Literal, TypedDict

from limpet.errors import ConfigError
from limpet.keys import queue_keys
from limpet.options import Duration, OnTwin, Payload, UniqueMode, count_of, milliseconds
from limpet.tasks.names import MAX_NAME, is_name
from limpet.tasks.steering import Errors, Retry, errors_of

Unique = UniqueMode | tuple[str, ...]
RunsIn = Literal["loop", "thread", "process"]


class TaskSettings(TypedDict, total=False):
    """The options of a task as `app.task` takes them."""

    name: str
    queue: str
    unique: Unique | None
    unique_while: UniqueMode
    on_twin: OnTwin
    lock: str | None
    lock_limit: int
    retry: int | Retry | None
    retry_on: Errors
    give_up_on: Errors
    timeout: Duration | None
    result_ttl: Duration | None
    runs_in: RunsIn | None


class Choice(TypedDict, total=False):
    """What one push may choose differently, as `using` takes it."""

    delay: Duration | None
    at: float | datetime | None
    queue: str
    front: bool
    unique: Unique | None
    unique_while: UniqueMode
    key: Payload | None
    lock: str | None
    lock_limit: int
    retry: int | Retry | None
    timeout: Duration | None
    result_ttl: Duration | None
    id: str | None
    on_twin: OnTwin


@dataclass(frozen=True, slots=True)
class TaskOptions:
    """How the jobs of one task are treated."""

    #: The name under which jobs find the task; made from the function if not given.
    name: str | None = None
    queue: str = "default"
    #: None: as the queue says; a mode: equal arguments make twins; names: these alone do.
    unique: Unique | None = None
    #: How long a twin named by parameters is refused.
    unique_while: UniqueMode = "waiting"
    #: None: as the queue says, which keeps the first.
    on_twin: OnTwin | None = None
    #: A text with names of parameters in braces: at most `lock_limit` jobs with the same run.
    lock: str | None = None
    lock_limit: int = 1
    #: None: an error sends the job to the dead list; a number: so many retries.
    retry: int | Retry | None = None
    retry_on: Errors | None = None
    give_up_on: Errors | None = None
    #: How long one attempt may take.
    timeout: Duration | None = None
    #: How long a result is kept; None: there is none.
    result_ttl: Duration | None = None
    #: None: the loop for `async def`, a thread for `def`.
    runs_in: RunsIn | None = None
    #: The policy that `retry`, `retry_on` and `give_up_on` come to.
    policy: Retry | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        """Check every option."""
        if self.name is not None and not is_name(self.name):
            raise ConfigError(f"the name of a task is a text of 1 to {MAX_NAME} characters")
        queue_keys(self.queue)
        check_unique(self.unique)
        _one_of(self.unique_while, ("waiting", "running"), "unique_while")
        _one_of(self.on_twin, (None, "keep", "replace", "raise"), "on_twin")
        _one_of(self.runs_in, (None, "loop", "thread", "process"), "runs_in")
        if self.lock is not None and not isinstance(self.lock, str):
            raise ConfigError(f"lock must be text such as 'mail:{{to}}', got {self.lock!r}")
        count_of(self.lock_limit, "lock_limit")
        limit_ms(self.timeout, "timeout")
        limit_ms(self.result_ttl, "result_ttl")
        policy = retry_policy(self.retry, self.retry_on, self.give_up_on)
        object.__setattr__(self, "policy", policy)

    @property
    def timeout_ms(self) -> int | None:
        """The timeout in milliseconds."""
        return limit_ms(self.timeout, "timeout")


def task_options(*layers: Mapping[str, Any]) -> TaskOptions:
    """Put options together, later ones over earlier ones; unknown ones are refused."""
    merged = {name: value for layer in layers for name, value in layer.items()}
    known = [option.name for option in fields(TaskOptions) if option.init]
    refuse_unknown(merged, known, "tasks have")
    return TaskOptions(**merged)


def refuse_unknown(given: Mapping[str, Any], known: list[str], who: str) -> None:
    """Refuse options that nobody knows, naming those there are."""
    unknown = [name for name in given if name not in known]
    if unknown:
        raise ConfigError(f"{who} no option {unknown[0]!r}; there are {', '.join(known)}")


def check_unique(unique: Any) -> None:
    """Check the form of `unique`; whether its names are parameters is checked with the function."""
    if unique is None or unique in ("waiting", "running"):
        return
    if isinstance(unique, str):
        raise ConfigError(
            f"unique={unique!r} is no mode: say 'waiting', 'running',"
            f" or for one parameter ({unique!r},)"
        )
    names = isinstance(unique, tuple) and unique and all(isinstance(n, str) for n in unique)
    if not names:
        raise ConfigError(
            f"unique must be None, 'waiting', 'running' or a tuple of parameters, got {unique!r}"
        )


def limit_ms(value: Duration | None, what: str) -> int | None:
    """Check a time that must be longer than nothing; None is none."""
    if value is None:
        return None
    number = milliseconds(value, what)
    if number < 1:
        raise ConfigError(f"{what} must be longer than nothing; leave it out for none")
    return number


def retry_policy(
    retry: int | Retry | None, retry_on: Errors | None = None, give_up_on: Errors | None = None
) -> Retry | None:
    """Make one policy of a number or a policy and the errors it is for."""
    errors = {"on": retry_on, "give_up_on": give_up_on}
    said = {name: value for name, value in errors.items() if value is not None}
    if retry is None and not said:
        return None
    policy = retry if isinstance(retry, Retry) else Retry() if retry is None else Retry(retry)
    return policy.changed(**{name: errors_of(value, name) for name, value in said.items()})


def _one_of(value: Any, known: tuple[Any, ...], what: str) -> None:
    if value not in known:
        words = ", ".join(repr(word) for word in known)
        raise ConfigError(f"{what} must be one of {words}, got {value!r}")

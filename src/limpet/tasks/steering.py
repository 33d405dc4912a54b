"""What steers a job from inside, and the policy of its retries.

`Retry` is both: said of a task it is the policy, raised by a task it asks for another attempt.
"""

from typing import Any

from limpet.errors import ConfigError
from limpet.options import Duration, milliseconds

Errors = type[BaseException] | tuple[type[BaseException], ...]
_MOST_RETRIES, _MOST_FACTOR = 1_000_000, 1000


class Steering(Exception):
    """What a task raises to say how its job goes on; not an error."""


class Reject(Steering):
    """Give this job up at once: it goes to the dead list with this reason."""

    def __init__(self, reason: str = "rejected") -> None:
        """Say why, for those who look at the dead list."""
        super().__init__(reason)
        self.reason = reason


class Retry(Steering):
    """Another attempt later, each time after a longer while.

    The wait before the n-th retry is `base * factor ** (n - 1)`, at most `longest`. With jitter
    it is drawn between half of that and the whole, so that jobs that failed together do not
    come back together.
    """

    def __init__(
        self,
        limit: int = 3,
        *,
        base: Duration = "1s",
        factor: float = 2.0,
        longest: Duration = "10m",
        jitter: bool = True,
        on: Errors = (Exception,),
        give_up_on: Errors = (),
        delay: Duration | None = None,
    ) -> None:
        """Check all of it.

        Args:
            limit: How many retries there may be; 0 for none.
            base: The wait before the first retry.
            factor: How much longer each next wait is.
            longest: No wait is longer than this.
            jitter: Draw each wait between its half and its whole.
            on: Only these errors are retried.
            give_up_on: These are not, although `on` names them.
            delay: Always this wait, instead of a growing one.
        """
        self.limit = _limit(limit)
        self.base_ms, self.longest_ms = milliseconds(base, "base"), milliseconds(longest, "longest")
        self.factor = _factor(factor)
        self.jitter = bool(jitter)
        self.on, self.give_up_on = errors_of(on, "on"), errors_of(give_up_on, "give_up_on")
        self.delay_ms = None if delay is None else milliseconds(delay, "delay")
        super().__init__("asked for another attempt")

    def next_ms(self, retries: int, draw: float) -> int | None:
        """Say how long to wait after so many retries; None if there may be no more.

        Args:
            retries: How many there have been.
            draw: A random number from 0 to 1, which places the wait between half and whole.
        """
        if retries >= self.limit:
            return None
        if self.delay_ms is not None:
            return self.delay_ms
        whole = self._whole_ms(retries)
        return round(whole / 2 + whole / 2 * draw) if self.jitter else round(whole)

    def covers(self, error: BaseException) -> bool:
        """Tell whether an error is one to retry."""
        return isinstance(error, self.on) and not isinstance(error, self.give_up_on)

    def changed(self, **facts: Any) -> "Retry":
        """Make another policy that differs in some facts: `limit`, `base_ms`, `on`, ..."""
        other = Retry()
        other.__dict__.update(self.facts | facts)
        return other

    @property
    def facts(self) -> dict[str, Any]:
        """All there is to know about it, by name."""
        return {name: getattr(self, name) for name in FACTS}

    def __eq__(self, other: object) -> bool:
        """Two policies that say the same are the same."""
        return isinstance(other, Retry) and self.facts == other.facts

    def __hash__(self) -> int:
        """Hash as equality compares."""
        return hash(tuple(self.facts.values()))

    def __repr__(self) -> str:
        """Show all facts."""
        return f"Retry({', '.join(f'{name}={value!r}' for name, value in self.facts.items())})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Let it cross from one process to another."""
        return Retry, (), self.facts

    def _whole_ms(self, retries: int) -> float:
        try:
            return min(self.base_ms * self.factor**retries, float(self.longest_ms))
        except OverflowError:
            return float(self.longest_ms)


FACTS = ("limit", "base_ms", "factor", "longest_ms", "jitter", "on", "give_up_on", "delay_ms")
#: What a job can carry: classes cannot travel.
NUMBERS = tuple(name for name in FACTS if name not in ("on", "give_up_on"))


def errors_of(given: Errors, what: str) -> tuple[type[BaseException], ...]:
    """Check one class of errors, or several."""
    many = given if isinstance(given, tuple) else (given,)
    for one in many:
        if not (isinstance(one, type) and issubclass(one, BaseException)):
            raise ConfigError(f"{what} must be a class of errors, or a tuple of them, got {one!r}")
    return many


def _limit(value: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _MOST_RETRIES:
        raise ConfigError(f"limit of retries must be a whole number of at least 0, got {value!r}")
    return value


def _factor(value: float) -> float:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not number or not 1 <= value <= _MOST_FACTOR:
        raise ConfigError(f"factor must be a number from 1 to {_MOST_FACTOR}, got {value!r}")
    return float(value)

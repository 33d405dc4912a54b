"""What to take next: from which queue, and how many. Decisions only, nothing is sent here."""

from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from limpet.errors import ConfigError
from limpet.keys import queue_keys

#: The heaviest weight.
MOST = 1000
#: What users write: "high,low", "high=3,low=1", a list of names, or names with weights.
QueuesGiven = str | Sequence[str] | Mapping[str, int]
#: Asks for jobs: yields a queue and how many to take there, is sent how many there were.
Asking = Generator[tuple[str, int], int, None]


@dataclass(frozen=True, slots=True)
class Lines:
    """The queues a worker serves: strictly in order, or by weights."""

    names: tuple[str, ...]
    #: None: strictly in order.
    weights: tuple[int, ...] | None = None

    def __str__(self) -> str:
        """Write it as users do."""
        if self.weights is None:
            return ",".join(self.names)
        pairs = zip(self.names, self.weights, strict=True)
        return ",".join(f"{name}={weight}" for name, weight in pairs)


def lines_of(given: QueuesGiven) -> Lines:
    """Read and check what a worker is to serve."""
    if isinstance(given, str):
        pairs = [_pair(part) for part in given.split(",") if part.strip()]
    elif isinstance(given, Mapping):
        pairs = list(given.items())
    elif isinstance(given, Iterable):
        pairs = [(name, None) for name in given]
    else:
        raise ConfigError(f"queues must be text, a list or a mapping, not {type(given).__name__}")
    if not pairs:
        raise ConfigError("name at least one queue to serve, such as 'high,low' or 'high=3,low=1'")
    names = tuple(queue_keys(name).queue for name, _ in pairs)
    if len(set(names)) < len(names):
        raise ConfigError(f"a queue is named twice in {','.join(names)!r}; name each one once")
    if all(weight is None for _, weight in pairs):
        return Lines(names)
    return Lines(names, tuple(_weight(name, weight) for name, weight in pairs))


def _pair(part: str) -> tuple[str, int | None]:
    name, equals, weight = (word.strip() for word in part.partition("="))
    if not equals:
        return name, None
    if not (weight.isascii() and weight.isdigit()):
        raise ConfigError(f"the weight of queue {name!r} is {weight!r}: write it like {name}=3")
    return name, int(weight)


def _weight(name: str, weight: int | None) -> int:
    """Check a weight; a queue without one among others with weights counts once."""
    if weight is None:
        return 1
    if isinstance(weight, bool) or not isinstance(weight, int) or not 1 <= weight <= MOST:
        raise ConfigError(f"the weight of queue {name!r} must be from 1 to {MOST}, got {weight!r}")
    return weight


class InOrder:
    """Strict order: a queue is asked when all before it have nothing more to give."""

    def __init__(self, names: tuple[str, ...]) -> None:
        """Remember the order."""
        self._names = names

    def asking(self, free: int) -> Asking:
        """Ask for as many jobs as there are free slots."""
        for name in self._names:
            free -= yield name, free
            if free <= 0:
                return

    def note(self, name: str, taken: int) -> None:
        """Nothing to remember: the order does not change."""


@dataclass(slots=True)
class ByWeight:
    """Weights: each queue has a clock that runs the slower the heavier it is.

    Whose clock is behind comes first, so over time jobs are taken in the ratio of the weights,
    and a queue with little weight waits but does not starve. A queue that has no work gains no
    credit by it.
    """

    weights: dict[str, int]
    clocks: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Start all clocks at zero."""
        self.clocks = dict.fromkeys(self.weights, 0.0)

    def asking(self, free: int) -> Asking:
        """Ask each queue for its share, then those that may have more for what is left."""
        poor, left = set(), free
        for name, count in self.split(free).items():
            taken = yield name, count
            self.note(name, taken)
            left -= taken
            if taken < count:
                poor.add(name)
        for name in sorted(self.clocks, key=lambda n: self.clocks[n]):
            if left > 0 and name not in poor:
                taken = yield name, left
                self.note(name, taken)
                left -= taken
        self._forgive(poor)

    def split(self, free: int) -> dict[str, int]:
        """Share free slots out, one by one, to whoever is behind."""
        clocks, shares = dict(self.clocks), dict.fromkeys(self.weights, 0)
        for _ in range(free):
            name = min(clocks, key=lambda n: (clocks[n] + 1 / self.weights[n], -self.weights[n]))
            clocks[name] += 1 / self.weights[name]
            shares[name] += 1
        return {name: count for name, count in shares.items() if count}

    def note(self, name: str, taken: int) -> None:
        """Move the clock of a queue by what was taken there."""
        self.clocks[name] += taken / self.weights[name]

    def _forgive(self, poor: set[str]) -> None:
        """Bring the clocks of those that had no work up to the others', and all back near zero."""
        others = [clock for name, clock in self.clocks.items() if name not in poor]
        for name in poor if others else ():
            self.clocks[name] = max(self.clocks[name], min(others))
        base = min(self.clocks.values())
        self.clocks = {name: clock - base for name, clock in self.clocks.items()}


def plan_of(lines: Lines) -> InOrder | ByWeight:
    """Make the plan by which a worker takes."""
    if lines.weights is None:
        return InOrder(lines.names)
    return ByWeight(dict(zip(lines.names, lines.weights, strict=True)))

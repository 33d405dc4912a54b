"""How much is measured in a full and in a quick run."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Plan:
    """The sizes of a run."""

    rounds: int
    #: About how long a drain should take.
    drain_s: float
    #: Jobs of one enqueue sample; a fast queue gets ten times as many where they are cheap.
    enqueue: int
    latencies: int
    #: Batches of 100 between two looks at the server's clock.
    batches: int
    backlogs: tuple[int, ...]
    running: tuple[int, ...]
    queues: tuple[int, ...]
    idle: tuple[int, ...]
    processes: tuple[int, ...]
    slow_s: float
    special: tuple[str, ...] = ("async", "unique", "locked")
    payloads: tuple[int, ...] = (10, 100, 1_000, 10_000, 100_000)
    scaling: bool = True


FULL = Plan(
    rounds=3,
    drain_s=1.5,
    enqueue=1000,
    latencies=120,
    batches=150,
    backlogs=(1_000, 10_000, 100_000, 1_000_000, 10_000_000),
    running=(1, 100, 1_000, 10_000, 100_000),
    queues=(1, 10, 100, 1_000),
    idle=(1, 10, 100),
    processes=(1, 2, 3, 4),
    slow_s=10.0,
)
QUICK = Plan(
    rounds=1,
    drain_s=0.7,
    enqueue=1000,
    latencies=60,
    batches=60,
    backlogs=(1_000, 100_000),
    running=(1, 10_000),
    queues=(1, 100),
    idle=(1, 100),
    processes=(1, 2),
    slow_s=1.0,
    special=(),
    payloads=(),
    scaling=False,
)
#: For tests: everything once, nothing for long.
TINY = Plan(
    rounds=1,
    drain_s=0.01,
    enqueue=20,
    latencies=3,
    batches=2,
    backlogs=(1_000,),
    running=(1,),
    queues=(1, 3),
    idle=(2,),
    processes=(1,),
    slow_s=0.1,
    payloads=(10,),
)

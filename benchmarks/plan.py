"""How much is measured in a full and in a quick run."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Plan:
    """The sizes of a run."""

    rounds: int
    #: About how long a drain should take.
    drain_s: float
    #: Jobs of one sample that pushes one by one.
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
    #: How long one enqueue sample of a queue should take.
    enqueue_s: float
    #: Pairs of samples beside the bare server in each round.
    pairs: int
    #: How long may be spent in all on samples taken again because the machine was busy.
    patience_s: float
    special: tuple[str, ...] = ("async", "unique", "locked")
    payloads: tuple[int, ...] = (10, 100, 1_000, 10_000, 100_000)
    scaling: bool = True
    #: Whether peers are asked for the memory of running jobs, which takes two starts of a worker.
    running_memory: bool = True


FULL = Plan(
    rounds=3,
    drain_s=1.2,
    enqueue=1000,
    latencies=120,
    batches=150,
    backlogs=(1_000, 10_000, 100_000, 1_000_000, 10_000_000),
    running=(1, 100, 1_000, 10_000, 100_000),
    queues=(1, 10, 100, 1_000),
    idle=(1, 10, 100),
    processes=(1, 2, 3, 4),
    slow_s=10.0,
    enqueue_s=0.4,
    pairs=5,
    patience_s=60.0,
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
    enqueue_s=0.25,
    pairs=5,
    patience_s=15.0,
    special=(),
    payloads=(),
    scaling=False,
    running_memory=False,
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
    enqueue_s=0.01,
    pairs=2,
    patience_s=0.0,
    payloads=(10,),
)

"""The numbers of the demo."""

import random

#: How many jobs there are, and how many the producer pushes at once.
JOBS = 200
BATCH = 20
BETWEEN_BATCHES_S = 0.15

#: How many jobs a worker runs side by side, and the bounds of how long one takes.
SLOTS = 4
SHORTEST_S = 0.1
LONGEST_S = 0.3

#: Shorter than the defaults, so that the dead worker is noticed while somebody watches.
HEARTBEAT_S = 0.3
LEASE_S = 1.0

WORKERS = ("worker-1", "worker-2")
VICTIM = "worker-1"
#: Share of the jobs that is done before the kill.
KILL_AFTER = 0.4
#: How long the server may be silent.
ANSWER_WITHIN_S = 5.0
#: The demo gives up, unproven, after this time.
GIVE_UP_S = 24.0
#: Time between two looks.
LOOK_EVERY_S = 0.05


def duration_s(number: int) -> float:
    """Say how long a job takes: different ones, the same in every run."""
    return round(random.Random(number).uniform(SHORTEST_S, LONGEST_S), 3)

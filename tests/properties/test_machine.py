"""All operations in any order: the server does what the model says."""

import os

import pytest
import redis
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.properties.machine import QueueMachine

#: How many steps are compared; a number in LIMPET_STEPS makes it a soak with new seeds.
STEPS = int(os.environ.get("LIMPET_STEPS", "20000"))
SOAK = "LIMPET_STEPS" in os.environ
STEPS_PER_RUN = 100
#: Few, so that no run is a variation of another one: Hypothesis varies only after ten.
RUNS_PER_ROUND = 10
#: Parts of the whole, so that several processes can share it.
PARTS = 5


@pytest.mark.timeout(120 + STEPS // 50)
@pytest.mark.parametrize("part", range(PARTS))
def test_the_server_does_what_the_model_says(plain: redis.Redis, part: int) -> None:
    """Answers, worlds and invariants agree after every one of 20,000 random steps in all parts."""
    wanted = STEPS // PARTS
    chosen = settings(
        max_examples=RUNS_PER_ROUND,
        stateful_step_count=STEPS_PER_RUN,
        deadline=None,
        database=None,
        derandomize=False,
        print_blob=True,
        report_multiple_bugs=False,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )

    class Counted(QueueMachine):
        client = plain
        steps = 0

    first = int.from_bytes(os.urandom(4)) if SOAK else part * STEPS
    for round_seed in range(first, first + wanted // 500):
        print(f"seed {round_seed}: {Counted.steps} steps so far")
        if Counted.steps < wanted:
            run_state_machine_as_test(seed(round_seed)(Counted), settings=chosen)

    assert Counted.steps >= wanted

"""Flows in any order: the server does what the model says, and a wrong model is found out."""

import os
from collections import Counter
from typing import Any

import pytest
import redis
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from limpet.states import State
from limpet.values import Outcome, Receipt
from tests.model.moves import Job
from tests.properties.flow_machine import FlowMachine
from tests.properties.flow_model import Flow, FlowModel

#: How many steps are compared; a number in LIMPET_STEPS makes it a soak with new seeds.
STEPS = int(os.environ.get("LIMPET_STEPS", "3000"))
SOAK = "LIMPET_STEPS" in os.environ


def run(machine: type[FlowMachine], first: int, steps: int, phases: tuple[Phase, ...]) -> None:
    """Run a machine until so many steps were compared."""
    chosen = settings(
        max_examples=10,
        stateful_step_count=60,
        deadline=None,
        database=None,
        derandomize=False,
        print_blob=True,
        report_multiple_bugs=False,
        phases=phases,
        suppress_health_check=list(HealthCheck),
    )
    for round_seed in range(first, first + steps // 50):
        print(f"seed {round_seed}: {machine.steps} steps so far")
        if machine.steps < steps:
            run_state_machine_as_test(seed(round_seed)(machine), settings=chosen)


@pytest.mark.timeout(120 + STEPS // 20)
def test_flows_do_what_the_model_says(plain: redis.Redis) -> None:
    """All that is shown agrees after every one of at least 3,000 random steps."""

    class Counted(FlowMachine):
        client = plain
        steps = 0

    first = int.from_bytes(os.urandom(4)) if SOAK else 0
    run(Counted, first, STEPS, (Phase.generate, Phase.shrink))

    assert Counted.steps >= STEPS


class NeverCallsOff(FlowModel):
    """A wrong model: a follower runs although it needed what failed."""

    def _follow(self, job: Job, tally: Counter[str]) -> None:
        self.flows[job.id].needs = False
        super()._follow(job, tally)


class CountsStranding(FlowModel):
    """A wrong model: to be set aside costs a delivery."""

    def strand(self, receipt: Receipt, task: str) -> bool:
        """Set aside, and count."""
        done = super().strand(receipt, task)
        if done and receipt.id in self.jobs:
            self.jobs[receipt.id].deliveries += 1
        return done


class ForgetsCrashes(FlowModel):
    """A wrong model: a member that is given up for its crashes counts as cancelled."""

    def _ended(self, job_id: str, flow: Flow, how: Any, said: bytes) -> None:
        super()._ended(job_id, flow, "cancelled" if said[:10] == b"its worker" else how, said)


class RemembersForEver(FlowModel):
    """A wrong model: outcomes are kept for ever."""

    def result(self, job_id: str) -> Outcome | None:
        """Show it, however old."""
        lives = job_id in self.jobs and self.jobs[job_id].state is not State.DEAD
        return None if lives else self.outcomes.get(job_id, (Outcome(job_id, "unknown"), 0))[0]


WRONG = (NeverCallsOff, CountsStranding, ForgetsCrashes, RemembersForEver)


@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_model_is_found_out(wrong: type[FlowModel], plain: redis.Redis) -> None:
    """The machine meets what it is meant to meet: each deliberate mistake is seen soon."""

    class Mistaken(FlowMachine):
        client = plain
        steps = 0
        make_model = wrong

    with pytest.raises(AssertionError, match="the model"):
        run(Mistaken, 0, 1500, (Phase.generate,))

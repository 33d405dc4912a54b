"""A server that keeps its data through a kill, for all faults of one file."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.matrix.judge import Verdict
from tests.matrix.rounds import act
from tests.matrix.scenes import SCENES
from tests.matrix.stage import DURABLE, Stage
from tests.support.servers import Server

Check = Callable[[str], Verdict]


@pytest.fixture(scope="module")
def durable() -> Iterator[Server]:
    """One server for the faults of a file."""
    running = Server(*DURABLE).start()
    yield running
    running.remove()


@pytest.fixture
def check(durable: Server, tmp_path: Path) -> Iterator[Check]:
    """Play a fault by its name, and hold the outcome against its bounds."""
    stage = Stage(durable, tmp_path)

    def play(name: str) -> Verdict:
        outcome = act(SCENES[name], stage)
        assert not outcome.wrong, outcome.wrong
        return outcome.verdict

    yield play
    stage.close()

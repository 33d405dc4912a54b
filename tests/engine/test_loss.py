"""Nothing that was acknowledged is lost, however users and servers die."""

import os
import random
import signal
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from limpet.engine import attach, status
from tests.engine.helpers import Launch, Witness, items, lines, wait_until


class Writer:
    """A process that pushes, ended by itself or killed after so many confirmed pushes."""

    def __init__(
        self, launch: Launch, notes: Path, count: int = 1_000_000, kill_at: int | None = None
    ) -> None:
        """Start it; with 0 it is killed while it still attaches."""
        self.notes = notes
        self.kill_at = kill_at
        self.process = launch("writer.py", notes.name, count, notes)

    def confirmed(self) -> list[str]:
        """Return what the server confirmed so far."""
        return lines(self.notes)

    def goes_on(self) -> bool:
        """Kill it when its moment has come; tell whether it lives."""
        doomed = self.kill_at is not None and self.notes.exists()
        if doomed and len(self.confirmed()) >= self.kill_at:
            self.process.kill()
        return self.process.poll() is None


def test_writers_that_start_end_and_die_at_random_lose_nothing(
    home: Path, witness: Witness, tmp_path: Path, launch: Launch
) -> None:
    """Of 24 writers, eight at a time, a third is killed; every confirmed push is there."""
    every: list[Writer] = []

    def births() -> Iterator[Writer]:
        chance = random.Random(7)
        for number in range(24):
            count = chance.randint(100, 600)
            kill_at = {0: 0, 3: chance.randint(1, count)}.get(number % 6)
            every.append(Writer(launch, tmp_path / f"w{number}", count, kill_at))
            yield every[-1]

    waiting = births()
    living: list[Writer] = []

    def all_ended() -> bool:
        living[:] = [writer for writer in living if writer.goes_on()]
        living.extend(islice(waiting, 8 - len(living)))
        return not living

    wait_until(all_ended, within=50)
    with attach(home) as engine:
        present = items(engine.url)
    confirmed = [item for writer in every for item in writer.confirmed()]

    assert [w.process.returncode for w in every if w.kill_at is None] == [0] * 16
    assert set(confirmed) <= set(present)
    assert len(present) == len(set(present))
    assert witness.overlaps == []
    assert not status(home).running


def test_a_server_killed_under_its_writers_loses_nothing(
    home: Path, witness: Witness, tmp_path: Path, launch: Launch
) -> None:
    """Four kills while four processes write: all confirmed pushes stay, five starts in all."""
    writers = [Writer(launch, tmp_path / f"w{number}") for number in range(4)]

    for kills in range(5):
        goals = [(writer, len(writer.confirmed()) + 300) for writer in writers]
        wait_until(lambda goals=goals: all(len(w.confirmed()) > goal for w, goal in goals))
        assert len(witness.starts) == 1 + kills
        if kills < 4:
            os.kill(witness.starts[-1], signal.SIGKILL)
    for writer in writers:
        writer.process.kill()
        writer.process.wait()
    with attach(home) as engine:
        present = items(engine.url)
    confirmed = [item for writer in writers for item in writer.confirmed()]

    assert set(confirmed) <= set(present)
    assert len(present) == len(set(present))
    assert len(witness.starts) == 5
    assert witness.overlaps == []

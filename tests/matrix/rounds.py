"""Playing faults: one on a given stage, or all of them with many seeds."""

import shutil
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

# These fill the list of faults.
from tests.matrix import lines, poison, servers, workers  # noqa: F401
from tests.matrix.judge import Verdict, complaints
from tests.matrix.scenes import SCENES, Scene
from tests.matrix.stage import DURABLE, Stage
from tests.support.servers import Server


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a run; `wrong` says all that is, with what the programs said."""

    verdict: Verdict
    wrong: str = ""


def act(scene: Scene, stage: Stage) -> Outcome:
    """Play one fault, and hold it against its bounds."""
    try:
        verdict = scene.play(stage)
    except AssertionError as error:
        return Outcome(Verdict(), f"{scene.name}: {error}\n{_last(stage)}")
    said = complaints(verdict, scene.bounds)
    heading = f"{scene.name} ({scene.title}):"
    return Outcome(verdict, "\n".join([heading, *said, _last(stage)]) if said else "")


def _last(stage: Stage) -> str:
    return f"seed {stage.seed}; the programs said:\n{stage.said[-6000:]}"


@dataclass(slots=True)
class Row:
    """One fault over all its seeds."""

    scene: Scene
    outcomes: list[Outcome] = field(default_factory=list)
    seconds: float = 0.0


def play_all(names: Iterable[str], seeds: int, jobs: int, tell: Callable[[Row], None]) -> list[Row]:
    """Play these faults with so many seeds; `tell` hears of each that is through."""
    rows = []
    server = Server(*DURABLE).start()
    try:
        for name in names:
            row = Row(SCENES[name])
            for seed in range(1, seeds + 1):
                _play_seed(row, server, seed, jobs)
            rows.append(row)
            tell(row)
    finally:
        server.remove()
    return rows


def _play_seed(row: Row, server: Server, seed: int, jobs: int) -> None:
    began = time.monotonic()
    folder = Path(tempfile.mkdtemp(prefix="limpet-matrix-"))
    stage = Stage(server, folder, jobs=jobs, seed=seed)
    try:
        row.outcomes.append(act(row.scene, stage))
    finally:
        stage.close()
        row.seconds += time.monotonic() - began
        shutil.rmtree(folder)


def chosen(only: Iterable[str]) -> list[str]:
    """Find faults by name; F3 stands for F3a, F3b and so on."""
    wanted = tuple(only)
    if not wanted:
        return sorted(SCENES, key=_order)
    found = [name for name in SCENES if name in wanted or name.rstrip("abcdef") in wanted]
    return sorted(found, key=_order)


def _order(name: str) -> tuple[int, str]:
    number = name.strip("Fabcdef")
    return int(number), name

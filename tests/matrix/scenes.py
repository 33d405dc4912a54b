"""The list of faults; each is played on a stage and held against its bounds."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.matrix.judge import Bounds, Verdict
from tests.matrix.stage import Stage

Play = Callable[[Stage], Verdict]


@dataclass(frozen=True, slots=True)
class Scene:
    """One fault: how it is played, and what it may cost."""

    name: str
    title: str
    play: Play
    bounds: Bounds
    #: Takes too long for the test command.
    slow: bool = False


SCENES: dict[str, Scene] = {}


def scene(name: str, bounds: Bounds | None = None, *, slow: bool = False) -> Callable[[Play], Play]:
    """Put a function on the list; the first line of its docstring is its title."""

    def enlist(play: Play) -> Play:
        title = (play.__doc__ or "").partition("\n")[0].rstrip(".")
        SCENES[name] = Scene(name, title, play, bounds or Bounds(), slow)
        return play

    return enlist

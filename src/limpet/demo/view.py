"""The picture while the demo runs: live on a terminal, plain lines elsewhere."""

import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from rich.console import Console
    from rich.live import Live
    from rich.table import Table

    from limpet.values import Stats

_PLAIN_EVERY_S = 1.0


@dataclass(frozen=True, slots=True)
class Hand:
    """A worker as the demo sees it."""

    name: str
    pid: int
    alive: bool
    done: int
    holds: int


@dataclass(frozen=True, slots=True)
class Scene:
    """One moment of the demo."""

    at_s: float
    jobs: int
    stats: "Stats"
    hands: tuple[Hand, ...]


class View(Protocol):
    """Whoever shows the demo."""

    def tell(self, at_s: float, text: str) -> None:
        """Tell something that happened."""

    def show(self, scene: Scene) -> None:
        """Show how things are."""


class PlainView:
    """Lines on standard error: each event, and the counts once a second."""

    def __init__(self) -> None:
        """Start with nothing said."""
        self._said_s = 0.0

    def tell(self, at_s: float, text: str) -> None:
        """Write an event."""
        print(event_line(at_s, text), file=sys.stderr, flush=True)

    def show(self, scene: Scene) -> None:
        """Write the counts, if the last ones are a second old."""
        if scene.at_s - self._said_s >= _PLAIN_EVERY_S:
            self._said_s = scene.at_s
            stats = scene.stats
            self.tell(
                scene.at_s,
                f"waiting {stats.waiting:>3}  running {stats.running:>2}"
                f"  done {stats.completed:>3} of {scene.jobs}",
            )


class LiveView:
    """A picture that moves, with the events scrolling above it."""

    def __init__(self, console: "Console", live: "Live") -> None:
        """Draw with these."""
        self._console, self._live = console, live

    def tell(self, at_s: float, text: str) -> None:
        """Write an event above the picture."""
        self._console.print(event_line(at_s, text), markup=False, highlight=False)

    def show(self, scene: Scene) -> None:
        """Draw the picture anew."""
        self._live.update(picture(scene), refresh=True)


def event_line(at_s: float, text: str) -> str:
    """Write an event with its time."""
    return f"{at_s:5.1f} s  {text}"


def picture(scene: Scene) -> "Table":
    """Draw the bar, the counts and the workers; it fits into 80 columns."""
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    stats = scene.stats
    board = Table.grid(padding=(0, 2))
    counts = f"waiting {stats.waiting:>3}   running {stats.running:>2}   done {stats.completed:>3}"
    board.add_row("")
    board.add_row(Text(f"         {counts} of {scene.jobs}", style="bold"))
    bar = Table.grid()
    done = ProgressBar(
        total=scene.jobs, completed=stats.completed, width=60, complete_style="green"
    )
    bar.add_row("         ", done)
    board.add_row(bar)
    for hand in scene.hands:
        state = f"runs {hand.holds} jobs" if hand.alive else "killed"
        style = "" if hand.alive else "red"
        line = f"         {hand.name}  process {hand.pid:<8} {state:<13} {hand.done:>3} done"
        board.add_row(Text(line, style=style))
    return board


def _is_screen() -> bool:
    return sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb"


@contextmanager
def _live() -> Iterator[View]:
    from rich.console import Console
    from rich.live import Live

    console = Console(stderr=True)
    with Live(console=console, auto_refresh=False, transient=True) as live:
        yield LiveView(console, live)


@contextmanager
def _plain() -> Iterator[View]:
    yield PlainView()


def view() -> AbstractContextManager[View]:
    """Choose the picture that fits where standard error goes."""
    return _live() if _is_screen() else _plain()

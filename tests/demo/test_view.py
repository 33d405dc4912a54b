"""What the demo shows while it runs."""

from io import StringIO

import pytest
from rich.console import Console

from limpet import Stats
from limpet.demo.view import Hand, PlainView, Scene, picture

SCENE = Scene(
    at_s=3.2,
    jobs=200,
    stats=Stats(waiting=104, running=8, completed=88),
    hands=(Hand("worker-1", 4242, False, 42, 0), Hand("worker-2", 4243, True, 46, 4)),
)


def test_the_picture_fits_a_small_terminal() -> None:
    """Counts, a bar and both workers, in 80 columns and a few lines."""
    screen = StringIO()

    Console(file=screen, width=80).print(picture(SCENE))

    lines = screen.getvalue().splitlines()
    assert len(lines) < 10
    assert max(len(line) for line in lines) <= 80
    assert "waiting 104   running  8   done  88 of 200" in lines[1]
    assert "worker-1  process 4242     killed" in lines[3]
    assert "worker-2  process 4243     runs 4 jobs    46 done" in lines[4]


def test_without_a_terminal_there_are_plain_lines(capsys: pytest.CaptureFixture[str]) -> None:
    """Counts at most once a second, events at once, on stderr, without escape codes."""
    view = PlainView()

    view.show(SCENE)
    view.show(SCENE)
    view.tell(3.4, "worker-1 is killed with 4 jobs in hand")

    out, said = capsys.readouterr()
    assert out == ""
    assert said.splitlines() == [
        "  3.2 s  waiting 104  running  8  done  88 of 200",
        "  3.4 s  worker-1 is killed with 4 jobs in hand",
    ]

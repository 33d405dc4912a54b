"""Following a page in a terminal: its files are written, its commands typed, in one shell."""

import re
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.docs.pages import blocks

_DONE = "--- done ---"
#: What differs from run to run: who works where, how long it took, how wide a column is.
_CHANGING = (
    (r"(?m)^bash: line .*\n", ""),  # the shell's own remark on a process that was killed
    (r"worker-[0-9a-f]{12}", "worker-ID"),
    (r"\S+:\d+(?= )", "HOST:PID"),
    (r"\d[\d,]*(\.\d+)? (ms|s|min|h)\b", "TIME"),
    (r"limpet \d+\.\d+\.\d+\S*", "limpet VERSION"),
    (r"server: the embedded engine \(nothing else was named\)\n", ""),
    (r" +", " "),
)


@dataclass(frozen=True)
class Typed:
    """A block of commands, what the page says they print, and what they printed."""

    line: int
    commands: str
    told: str
    printed: str


def steady(text: str) -> str:
    """Take out of an output what differs from run to run."""
    for pattern, instead in _CHANGING:
        text = re.sub(pattern, instead, text)
    return text


@contextmanager
def shell(folder: Path, environment: Mapping[str, str]) -> Iterator["subprocess.Popen[str]"]:
    """Open a shell in a folder."""
    with subprocess.Popen(
        ["bash", "--norc"],
        cwd=folder,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as opened:
        yield opened


def type_in(opened: "subprocess.Popen[str]", commands: str) -> str:
    """Type commands and wait until they are through; answers what they printed."""
    assert opened.stdin is not None
    assert opened.stdout is not None
    opened.stdin.write(f"{commands}\necho '{_DONE}'\n")
    opened.stdin.flush()
    lines = iter(opened.stdout.readline, "")
    return "".join(iter(lambda: next(lines), f"{_DONE}\n"))


def follow(page: Path, folder: Path, environment: Mapping[str, str]) -> list[Typed]:
    """Do everything that a page tells, in its order."""
    typed: list[Typed] = []
    with shell(folder, environment) as opened:
        steps = [block for block in blocks(page) if block.runs]
        for block, after in zip(steps, [*steps[1:], None], strict=True):
            if block.file is not None:
                (folder / block.file).write_text(block.text)
            elif block.language == "sh":
                told = after.text if after is not None and after.language == "text" else ""
                printed = type_in(opened, block.text)
                typed.append(Typed(block.line, block.text, steady(told), steady(printed)))
    return typed

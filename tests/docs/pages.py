"""Reading and running the code in the documents.

Python blocks of a page run one after the other, in one process and one namespace. An `output` block
after one is what it must print. A block that starts with `# file: NAME` is written to that file
instead, and one behind `<!-- not run: why -->` is left alone.
"""

import contextlib
import io
import re
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_NOT_RUN = re.compile(r"<!-- not run: .+ -->\s*\Z")
_FILE = re.compile(r"# file: (\S+)\n")


@dataclass(frozen=True)
class Block:
    """One fenced block: its language, its text, and the line it starts on."""

    language: str
    text: str
    line: int
    runs: bool

    @property
    def file(self) -> str | None:
        """The name of the file it is meant to be, if it is one."""
        found = _FILE.match(self.text)
        return found[1] if found else None


def pages() -> list[Path]:
    """All documents that users and developers read."""
    return sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    text = page.read_text("utf-8")
    return [
        Block(
            found[1],
            found[2],
            text.count("\n", 0, found.start()) + 2,
            runs=not _NOT_RUN.search(text[: found.start()]),
        )
        for found in _FENCE.finditer(text)
    ]


def files(page: Path) -> dict[str, str]:
    """The files that a page shows, by name."""
    return {block.file: block.text for block in blocks(page) if block.file}


def run(page: Path) -> list[str]:
    """Run the Python blocks of a page; answers what did not print as the page says."""
    wrong: list[str] = []
    names: dict[str, object] = {"__name__": "__main__"}
    printed = None
    for block in blocks(page):
        if block.language == "python" and block.runs and not block.file:
            said = io.StringIO()
            code = compile("\n" * (block.line - 1) + block.text, str(page), "exec")
            with contextlib.redirect_stdout(said):
                exec(code, names)
            printed = said.getvalue()
        elif block.language == "output" and printed != block.text:
            wrong.append(f"line {block.line}: the page says\n{block.text}but it prints\n{printed}")
    return wrong


if __name__ == "__main__":
    found = run(Path(sys.argv[1]))
    sys.exit("\n".join(found) if found else 0)

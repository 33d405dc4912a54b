"""Write the sync shell from the async one: `aio/*.py` -> `sync/*.py`, and the same in `link`.

The async shell is the one people edit. Its twin is the same text after the
substitutions below, sorted and formatted by ruff. With `--check` nothing is written:
the stale files are named and the exit code is 1.
"""

import argparse
import re
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "limpet"
#: Folders of sources and of their twins.
FOLDERS = (
    (PACKAGE / "aio", PACKAGE / "sync"),
    (PACKAGE / "link" / "aio", PACKAGE / "link" / "sync"),
)
BANNER = "# Generated from {source} by `python3 dev.py docs`; edit that file.\n"
BANNER_START = BANNER.partition("{")[0]

# Applied in this order, to code, docstrings and comments alike. Each one must find
# something in some file: one that finds nothing is out of date, and that is an error.
SUBSTITUTIONS: tuple[tuple[str, str], ...] = (
    # names of ours and of others
    (r"\blimpet(\.link)?\.aio\b", r"limpet\1.sync"),
    (r"\bAsync(?=[A-Z])", ""),  # AsyncLimpet, AsyncQueue
    (r"\basync_(borrow|client|close|context|is_clean|lend_back|listen)\b", r"sync_\1"),
    (r"\basync_(recalls|refresh|return|within)\b", r"sync_\1"),
    (r"\basyncio (flavour|wire)\b", r"blocking \1"),
    # syntax
    (r"\basync (?=def\b|with\b|for\b)", ""),
    (r"\bawait asyncio\.to_thread\(([\w.]+)\)", r"\1()"),
    (r"\bawait\s+", ""),
    (r"\b__a(enter|exit|iter|next)__\b", r"__\1__"),
    (r"\baclose\b", "close"),
    # asyncio; of the two imports, ruff takes away the one that is not used
    (r"\bimport asyncio\b", "import threading\nimport time"),
    (r"\basyncio\.Lock\b", "threading.Lock"),
    (r"\basyncio\.sleep\b", "time.sleep"),
)


Folders = tuple[tuple[Path, Path], ...]


class Refused(Exception):
    """What stands in the way of writing the twin."""


@dataclass
class Translator:
    """Makes sync text of async text, and remembers which substitutions were of use."""

    substitutions: tuple[tuple[str, str], ...] = SUBSTITUTIONS

    def __post_init__(self) -> None:
        self.unused = {pattern for pattern, _ in self.substitutions}

    def translate(self, text: str) -> str:
        """Return the text after every substitution, in order."""
        for pattern, replacement in self.substitutions:
            text, count = re.subn(pattern, replacement, text)
            if count:
                self.unused.discard(pattern)
        return text


def ruff(*arguments: str, path: Path, text: str) -> str:
    """Send a text through ruff as if it were the file of that path."""
    command = [sys.executable, "-m", "ruff", *arguments, "--quiet", f"--stdin-filename={path}", "-"]
    done = subprocess.run(
        command, cwd=ROOT, input=text, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise Refused(f"ruff does not accept the twin {path.name}:\n{done.stderr.strip()}")
    return done.stdout


def tidy(path: Path, text: str) -> str:
    """Drop unused imports, sort the others, format."""
    fixed = ruff("check", "--select=I,F401", "--fix-only", path=path, text=text)
    return ruff("format", path=path, text=fixed)


def shown(path: Path) -> str:
    """Return a path as the reader knows it."""
    return (path.relative_to(ROOT) if path.is_relative_to(ROOT) else path).as_posix()


def make_twins(folders: Folders, translator: Translator) -> dict[Path, str]:
    """Return what every twin should hold."""
    wanted = {}
    for sources, twins in folders:
        for source in sorted(sources.glob("*.py")):
            text = translator.translate(source.read_text(encoding="utf-8"))
            path = twins / source.name
            wanted[path] = tidy(path, BANNER.format(source=shown(source)) + text)
    if wanted and translator.unused:
        unused = "\n".join(f"  {pattern}" for pattern in sorted(translator.unused))
        raise Refused(
            f"substitutions that find nothing, to be taken out of tools/unasync.py:\n{unused}"
        )
    return wanted


def find_stale(wanted: dict[Path, str], folders: Folders) -> list[Path]:
    """Return the twins that are missing, out of date, or left without a source."""
    found = [path for _, twins in folders for path in twins.glob("*.py")]
    present = {path: path.read_text(encoding="utf-8") for path in found}
    for path, text in present.items():
        if not text.startswith(BANNER_START):
            raise Refused(f"{shown(path)} is in the way: it was not generated, and would be lost")
    return sorted(path for path in {*wanted, *present} if wanted.get(path) != present.get(path))


def write(stale: Iterable[Path], wanted: dict[Path, str]) -> None:
    """Bring the stale twins up to date; those without a source go."""
    for path in stale:
        if path in wanted:
            path.parent.mkdir(exist_ok=True)
            path.write_text(wanted[path], encoding="utf-8")
        else:
            path.unlink()


def main(arguments: list[str] | None = None, folders: Folders = FOLDERS) -> int:
    """Write the twins, or with `--check` say which are stale; return the exit code."""
    parser = argparse.ArgumentParser(description="Write the sync shell from the async one.")
    parser.add_argument("--check", action="store_true", help="write nothing, fail if stale")
    options = parser.parse_args(arguments)
    try:
        wanted = make_twins(folders, Translator())
        stale = find_stale(wanted, folders)
    except Refused as refusal:
        print(f"unasync: {refusal}", file=sys.stderr)
        return 1
    if not options.check:
        write(stale, wanted)
    for path in stale:
        done = "written" if path in wanted else "removed"
        print(f"{'stale' if options.check else done}: {shown(path)}")
    return 1 if options.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())

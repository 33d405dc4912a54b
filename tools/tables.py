"""Keep the parts of the documents that mirror code in step with it.

In a Markdown file, what stands between the lines `<!-- begin:NAME -->` and
`<!-- end:NAME -->` is written by the generator NAME. With `--check` nothing is
written: the stale files are named and the exit code is 1.
"""

import argparse
import importlib
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PART = re.compile(
    r"^(?P<begin><!-- begin:(?P<name>[\w-]+) -->\n)(?P<body>.*?)(?P<end>^<!-- end:(?P=name) -->$)",
    re.MULTILINE | re.DOTALL,
)
MARK = re.compile(r"^<!-- (?:begin|end):[\w-]+ -->$", re.MULTILINE)


class Refused(Exception):
    """What stands in the way of writing a document."""


def table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """Return a Markdown table."""
    lines = [heads, ("---",) * len(heads), *rows]
    cells = [[cell.replace("|", "\\|").replace("\n", " ") for cell in line] for line in lines]
    return "".join(f"| {' | '.join(line)} |\n" for line in cells)


def keys() -> str:
    """Return the table of the keys on the server."""
    specs = importlib.import_module("limpet.keys").KEYS
    return table(
        ("key", "type", "meaning"), ((f"`{key.name}`", key.type, key.meaning) for key in specs)
    )


def states() -> str:
    """Return the diagram and the table of a job's states and what moves it between them."""
    transitions = importlib.import_module("limpet.states").TRANSITIONS
    return f"{state_diagram(transitions)}\n{state_table(transitions)}"


def state_name(state: Any, nowhere: str) -> str:
    """Return the name of a state, or the word for being in none."""
    return nowhere if state is None else str(state.value)


def state_diagram(transitions: Iterable[Any]) -> str:
    """Return a Mermaid diagram with one arrow per pair of states, all its verbs on it."""
    arrows: dict[tuple[str, str], list[str]] = {}
    for move in transitions:
        ends = (state_name(move.source, "[*]"), state_name(move.target, "[*]"))
        verbs = arrows.setdefault(ends, [])
        if move.verb not in verbs:
            verbs.append(move.verb)
    lines = [f"    {a} --> {b}: {', '.join(verbs)}" for (a, b), verbs in arrows.items()]
    return "\n".join(["```mermaid", "stateDiagram-v2", *lines, "```", ""])


def state_table(transitions: Iterable[Any]) -> str:
    """Return a table with one row per transition."""
    rows = (
        (f"`{m.verb}`", state_name(m.source, "(new)"), state_name(m.target, "(gone)"), m.meaning)
        for m in transitions
    )
    return table(("verb", "from", "to", "meaning"), rows)


def seeds() -> str:
    """Return the tables of what the systems before limpet say, with our call and its proof."""
    reader = importlib.import_module("tools.seeds" if __package__ else "seeds")
    try:
        return "\n".join(f"## {title}\n\n{table(*part)}" for title, *part in reader.sections())
    except reader.Gap as gap:
        raise Refused(str(gap)) from gap


# A new generator is a function that returns Markdown, and one line here.
GENERATORS: dict[str, Callable[[], str]] = {
    "keys": keys,
    "seeds": seeds,
    "states": states,
}


def generate(name: str) -> str:
    """Return what the generator of that name writes."""
    if name not in GENERATORS:
        known = ", ".join(sorted(GENERATORS))
        raise Refused(f"no generator is called {name!r}; there are: {known}")
    try:
        return GENERATORS[name]()
    except ImportError as error:
        raise Refused(f"the generator {name!r} cannot read the code: {error}") from error


def refresh(text: str) -> str:
    """Return the text of a document with its generated parts written anew."""
    loose = MARK.search(PART.sub("", text))
    if loose:
        raise Refused(f"this mark has no partner: {loose[0]}")
    return PART.sub(
        lambda part: f"{part['begin']}\n{generate(part['name']).strip()}\n\n{part['end']}", text
    )


def documents(root: Path) -> list[Path]:
    """Return the documents that may hold generated parts."""
    return sorted([*root.glob("*.md"), *root.glob("docs/**/*.md")])


def refreshed(path: Path) -> str:
    """Return what a document should hold."""
    try:
        return refresh(path.read_text(encoding="utf-8"))
    except Refused as refusal:
        raise Refused(f"{path.name}: {refusal}") from refusal


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    """Write the generated parts, or with `--check` say which are stale; return the exit code."""
    parser = argparse.ArgumentParser(description="Refresh the generated parts of the documents.")
    parser.add_argument("--check", action="store_true", help="write nothing, fail if stale")
    options = parser.parse_args(arguments)
    try:
        wanted = {path: refreshed(path) for path in documents(root)}
    except Refused as refusal:
        print(f"tables: {refusal}", file=sys.stderr)
        return 1
    stale = [path for path, text in wanted.items() if text != path.read_text(encoding="utf-8")]
    for path in stale:
        if not options.check:
            path.write_text(wanted[path], encoding="utf-8")
        print(f"{'stale' if options.check else 'written'}: {path.relative_to(root)}")
    return 1 if options.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())

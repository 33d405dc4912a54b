"""Read the tests of the systems limpet comes from: what each says, our call, and its proof.

A module of `tests/seeds` has a literal dict `STATEMENTS` (number -> what it says, our call, why we
differ or ""), and tests whose docstrings begin with the numbers they prove: `U1, U-c3: ...`. The
modules are read, not imported, so this needs neither a server nor the packages of the tests.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "tests" / "seeds"
TITLES = {
    "uniqueue": "resque-uniqueue",
    "worqr": "worqr",
    "locket": "resque-locket",
    "jqpoc": "Nuxeo's job queue proof of concept",
    "redisrq": "RedisRQ",
    "proofs": "What none of them can do",
}
_NUMBER = r"[A-Z](?:-c)?\d+"
_NUMBERS = re.compile(rf"({_NUMBER}(?:, {_NUMBER})*): ")

SAYS = ("number", "what it says", "in limpet", "how limpet differs, and the tests")
FAILS = ("number", "what goes wrong there", "in limpet", "the tests")
HOLDS = ("number", "what holds here", "in limpet", "the tests")

Statement = tuple[str, str, str]
Row = tuple[str, str, str, str]


class Gap(Exception):
    """A statement without proof, or a proof of nothing."""


def sections(folder: Path = FOLDER) -> Iterator[tuple[str, Row, list[Row]]]:
    """Give title, heads and rows of one table after the other; mistakes have one of their own."""
    for name, title in TITLES.items():
        path = folder / f"test_{name}.py"
        if path.exists():
            rows = rows_of(path)
            mistakes = [row for row in rows if "-c" in row[0]]
            heads = HOLDS if name == "proofs" else SAYS
            yield title, heads, [row for row in rows if row not in mistakes]
            if mistakes:
                yield f"{title}: its mistakes", FAILS, mistakes


def rows_of(path: Path) -> list[Row]:
    """Give a row per statement of one module: number, what it says, our call, the proof."""
    module = ast.parse(path.read_text(encoding="utf-8"))
    statements = statements_of(module, path.name)
    tests = tests_of(module, path.name)
    complain(statements, tests, path.name)
    return [
        (number, says, call, "<br>".join([difference] * bool(difference) + tests.get(number, [])))
        for number, (says, call, difference) in statements.items()
    ]


def statements_of(module: ast.Module, name: str) -> dict[str, Statement]:
    """Read the literal `STATEMENTS` of a module."""
    for node in module.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(isinstance(t, ast.Name) and t.id == "STATEMENTS" for t in targets):
            try:
                found: dict[str, Statement] = ast.literal_eval(getattr(node, "value", node))
            except ValueError as error:
                raise Gap(f"{name}: STATEMENTS must be a literal") from error
            return found
    raise Gap(f"{name}: it has no STATEMENTS")


def tests_of(module: ast.Module, name: str) -> dict[str, list[str]]:
    """Read which tests prove which number."""
    proofs: dict[str, list[str]] = {}
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            numbers = _NUMBERS.match(ast.get_docstring(node) or "")
            if numbers is None:
                raise Gap(f"{name}: the docstring of {node.name} does not begin with a number")
            for number in numbers[1].split(", "):
                proofs.setdefault(number, []).append(f"`{name}::{node.name}`")
    return proofs


def complain(statements: dict[str, Statement], tests: dict[str, list[str]], name: str) -> None:
    """Raise if a number is proved but unknown, neither proved nor explained, or left out."""
    for number in tests:
        if number not in statements:
            raise Gap(f"{name}: {tests[number][0]} proves {number}, which is not in STATEMENTS")
    for number, (_, _, difference) in statements.items():
        if not difference and number not in tests:
            raise Gap(f"{name}: {number} has neither a test nor a stated difference")
    for family in {number.rstrip("0123456789") for number in statements}:
        count = sum(number.rstrip("0123456789") == family for number in statements)
        for n in range(1, count + 1):
            if f"{family}{n}" not in statements:
                raise Gap(f"{name}: {family}{n} is not in STATEMENTS")

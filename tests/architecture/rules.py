"""The rules of the house, each a function from a file's text to its offences.

An offence is a line for the reader: where, and what is wrong there. The rules are pure, so
the tests beside this file can show each of them a bad example as well as the real tree.
"""

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SRC = ROOT / "src"
TESTS = ROOT / "tests"

MAX_FILE_LINES = 300
MAX_BODY_LINES = 40
MAX_SCRIPT_LINES = 80

Rule = Callable[[str], Iterator[str]]
Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = Function | ast.ClassDef

_MARK = re.compile(r"\b(?:TODO|FIXME|XXX)\b")


def demand(rule: Rule, paths: Iterable[Path]) -> None:
    """Hold files against a rule; fail with the list of all offences."""
    found = [
        f"{path.relative_to(ROOT)}{offence}"
        for path in sorted(paths)
        for offence in rule(path.read_text(encoding="utf-8"))
    ]
    if found:
        pytest.fail("\n".join(found), pytrace=False)


def too_many_lines(limit: int) -> Rule:
    """Make the rule that a file has at most so many lines."""

    def rule(text: str) -> Iterator[str]:
        count = len(text.splitlines())
        if count > limit:
            yield f": {count} lines, at most {limit}: it holds two ideas"

    return rule


def long_functions(text: str) -> Iterator[str]:
    """A function has at most 40 lines, its head and its docstring not counted."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, Function):
            count = _body_lines(node)
            if count > MAX_BODY_LINES:
                yield f":{node.lineno}: {node.name} has {count} lines, at most {MAX_BODY_LINES}"


def missing_docstrings(text: str) -> Iterator[str]:
    """A module and everything public in it says what it is for."""
    module = ast.parse(text)
    if module.body and not ast.get_docstring(module):
        yield ":1: the module has no docstring"
    for name, node in _public(module, ""):
        if not ast.get_docstring(node):
            yield f":{node.lineno}: {name} has no docstring"


def marks_for_later(text: str) -> Iterator[str]:
    """Nothing is left for later in a comment: it is done, or it is an issue."""
    for number, line in enumerate(text.splitlines(), 1):
        found = _MARK.search(line)
        if found:
            yield f":{number}: {found[0]}"


def missing_contract(text: str) -> Iterator[str]:
    """A script opens with a comment: what it does, and a line that begins with `Returns`."""
    head = _head_comment(text)
    if not head or not head[0] or head[0].startswith(("Returns", "@")):
        yield ": it must open with a comment saying what it does"
    if not any(line.startswith("Returns ") for line in head):
        yield ': its opening comment has no line "-- Returns ..."'


def missing_purpose(text: str) -> Iterator[str]:
    """A file made to be included opens with a comment saying what it is for."""
    if not "".join(_head_comment(text)):
        yield ": it must open with a comment saying what it is for"


def sleeping(text: str) -> Iterator[str]:
    """A test waits for a condition or an event; it never sleeps and hopes."""
    module = ast.parse(text)
    names = _names_of_sleep(module)
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in names:
            yield f":{node.lineno}: {ast.unparse(node.func)}()"


def tests_without_docstring(text: str) -> Iterator[str]:
    """Every test says in a sentence what it proves."""
    for node in ast.walk(ast.parse(text)):
        if (
            isinstance(node, Function)
            and node.name.startswith("test_")
            and not ast.get_docstring(node)
        ):
            yield f":{node.lineno}: {node.name} has no docstring"


def _body_lines(function: Function) -> int:
    start = 1 if ast.get_docstring(function) else 0
    body = function.body[start:]
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def _public(parent: ast.Module | ast.ClassDef, prefix: str) -> Iterator[tuple[str, Definition]]:
    for node in parent.body:
        if isinstance(node, Definition) and not node.name.startswith("_") and not _is_echo(node):
            yield f"{prefix}{node.name}", node
            if isinstance(node, ast.ClassDef):
                yield from _public(node, f"{prefix}{node.name}.")


def _is_echo(node: Definition) -> bool:
    """Say whether a definition repeats one that has the docstring."""
    decorators = {ast.unparse(decorator) for decorator in node.decorator_list}
    echoes = {"overload", "typing.overload", f"{node.name}.setter", f"{node.name}.deleter"}
    return bool(decorators & echoes)


def _head_comment(text: str) -> list[str]:
    lines = text.splitlines()
    head = []
    for line in lines[1:] if text.startswith("#!") else lines:
        if not line.startswith("--"):
            break
        head.append(line.removeprefix("--").strip())
    return head


def _names_of_sleep(module: ast.Module) -> set[str]:
    names = set()
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            names |= {f"{a.asname or a.name}.sleep" for a in node.names if a.name == "time"}
        elif isinstance(node, ast.ImportFrom) and node.module == "time":
            names |= {a.asname or a.name for a in node.names if a.name == "sleep"}
    return names

"""Names in the Lua files: all that is used is there, and all that is there is used."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib import resources

import pytest

from limpet.scripts import all_scripts, script

LUA = resources.files("limpet").joinpath("lua")
INCLUDES = sorted(f.name[:-4] for f in LUA.joinpath("include").iterdir())
TOKEN = re.compile(r"""--[^\n]*|"(?:\\.|[^"\\\n])*"|[A-Za-z_]\w*|[0-9][\w.]*|\.\.\.?|[=~<>]=|\S""")
FUNCTION = re.compile(r"^local function (\w+)\(.*?^end$\n?", re.MULTILINE | re.DOTALL)
_WORDS = """
and break do else elseif end false for function if in local nil not or repeat return then true
until while
"""
_GIVEN = """
redis cjson string math table tonumber tostring pairs ipairs unpack pcall next type KEYS ARGV
"""
KEYWORDS, GLOBALS = set(_WORDS.split()), set(_GIVEN.split())
#: Words of the line "Needs ..." that are no names.
PROSE = {"needs", "and", "their", "sizes", "what"}


def tokens(text: str) -> list[str]:
    """Cut Lua into words and signs; comments and texts are left out."""
    found = TOKEN.findall(re.sub(r"\A#!.*", "", text))
    return [token for token in found if not token.startswith(("--", '"'))]


def is_name(token: str) -> bool:
    """Tell names from signs, numbers and keywords."""
    return bool(re.match(r"[A-Za-z_]", token)) and token not in KEYWORDS


def declarations(words: list[str]) -> dict[str, int]:
    """Find all local names, parameters included, and where each is declared first."""
    found: dict[str, int] = {}
    for at, word in enumerate(words):
        if word == "local" and words[at + 1] == "function":
            found.setdefault(words[at + 2], at)
        if word in {"local", "for"} or (word == "(" and "function" in words[max(at - 4, 0) : at]):
            for name in _listed(words, at + 1):
                found.setdefault(name, at)
    return found


def _listed(words: list[str], at: int) -> Iterator[str]:
    while at < len(words) and is_name(words[at]):
        yield words[at]
        at = at + 2 if words[at + 1 : at + 2] == [","] else len(words)


def uses(words: list[str]) -> Iterator[tuple[str, int]]:
    """Find all names that stand for a value: no fields, no names in a table."""
    for at, word in enumerate(words):
        before, after = words[at - 1] if at else "", words[at + 1] if at + 1 < len(words) else ""
        field = before in {".", ":"} or (
            before in {"{", ","} and after == "=" and in_table(words, at)
        )
        if is_name(word) and not field:
            yield word, at


def in_table(words: list[str], at: int) -> bool:
    """Tell whether a position is directly inside braces."""
    depth = 0
    for word in reversed(words[:at]):
        if word in {"}", ")"}:
            depth += 1
        elif word in {"{", "("} and depth:
            depth -= 1
        elif word in {"{", "(", "local", ";"}:
            return word == "{"
    return False


def undeclared(text: str) -> set[str]:
    """Find names that are used before, or without, being declared."""
    words = tokens(text)
    declared = declarations(words)
    return {
        name
        for name, at in uses(words)
        if name not in GLOBALS and declared.get(name, len(words)) > at
    }


def included(name: str) -> list[str]:
    """List what a script includes, in order."""
    lines = LUA.joinpath(f"{name}.lua").read_text("utf-8").splitlines()
    return [word for line in lines if line.startswith("-- @include ") for word in line.split()[2:]]


def body(include: str) -> str:
    """Read an include."""
    return LUA.joinpath("include", f"{include}.lua").read_text("utf-8").rstrip()


def needs(include: str) -> set[str]:
    """Read the names an include says it needs, up to the first full stop."""
    comments = [line for line in body(include).splitlines() if line.startswith("--")]
    head = " ".join(line[2:].strip() for line in comments)
    match = re.search(r"\bNeeds (.*?)\.(?:\s|$)", head)
    return set(re.findall(r"\w+", match[1])) - PROSE if match else set()


@cache
def live(text: str) -> str:
    """Leave out the functions that are never called."""
    counts = Counter(tokens(text))
    bodies = {match[1]: Counter(tokens(match[0])) for match in FUNCTION.finditer(text)}
    dead = set[str]()
    idle = {"at first"}
    while idle:
        idle = {name for name, own in bodies.items() if counts[name] == own[name]} - dead
        for name in idle:
            counts.subtract(bodies[name])
        dead |= idle
    return FUNCTION.sub(lambda match: "" if match[1] in dead else match[0], text)


@pytest.mark.parametrize("name", all_scripts())
def test_every_name_is_declared_before_it_is_used(name: str) -> None:
    """The server would notice only when it comes to that line, perhaps after a write."""
    assert undeclared(live(script(name).text)) == set()


@pytest.mark.parametrize("name", all_scripts())
def test_what_an_include_needs_stands_before_it(name: str) -> None:
    """Keys, arguments, sizes and functions of the includes before, as far as they are used."""
    text = script(name).text
    used, before = set(tokens(live(text))), set[str]()
    for include in included(name):
        words = tokens(text[: text.index(body(include))])
        there = declarations(words).keys() | before
        assert (needs(include) - there) & used == set(), include
        before.add(include)


@pytest.mark.parametrize("include", INCLUDES)
def test_an_include_needs_what_it_says(include: str) -> None:
    """The line is no list of memories: each name is used, or is another include."""
    assert needs(include) - set(tokens(body(include))) - set(INCLUDES) == set()


def test_every_include_is_used() -> None:
    """None is left over."""
    used = {include for name in all_scripts() for include in included(name)}

    assert sorted(used) == INCLUDES


def test_an_undeclared_name_is_found() -> None:
    """Fields, names in tables, texts and comments are not meant."""
    text = 'local a = { b = 1, c }\n-- d\nprint(a.e, "f", a)\nlocal function g(h) return h end\n'

    assert undeclared(text) == {"c", "print"}
    assert undeclared("x = 1 local x = x") == {"x"}
    assert undeclared("for i, v in ipairs({}) do local t = { i = i, [v] = i } end") == set()

"""The shape of the code under src: small files, short functions, everything explained."""

from textwrap import dedent

from tests.architecture import rules

PYTHON = list(rules.SRC.rglob("*.py"))
CODE = [*PYTHON, *rules.SRC.rglob("*.lua")]


def test_files_are_small() -> None:
    """No module, generated or not, is over 300 lines."""
    rules.demand(rules.too_many_lines(rules.MAX_FILE_LINES), PYTHON)


def test_functions_are_short() -> None:
    """No function body is over 40 lines."""
    rules.demand(rules.long_functions, PYTHON)


def test_public_things_have_docstrings() -> None:
    """Every module, and every public class, function and method, says what it is for."""
    rules.demand(rules.missing_docstrings, PYTHON)


def test_nothing_is_left_for_later() -> None:
    """No mark in the code asks somebody to come back."""
    rules.demand(rules.marks_for_later, CODE)


def test_the_source_is_found() -> None:
    """The rules above are held against real files, not against an empty list."""
    assert rules.SRC / "limpet" / "errors.py" in PYTHON


def test_a_long_file_is_caught() -> None:
    """The limit is a number of lines that is still allowed."""
    rule = rules.too_many_lines(3)

    assert list(rule("a\nb\nc\n")) == []
    assert list(rule("a\nb\nc\nd\n")) == [": 4 lines, at most 3: it holds two ideas"]


def test_a_long_function_is_caught() -> None:
    """Lines are counted from the first statement to the last; the docstring is free."""
    head = 'async def f(\n    a,\n):\n    """Say.\n\n    More.\n    """\n'

    assert list(rules.long_functions(head + "    a\n" * 40)) == []
    assert list(rules.long_functions(head + "    a\n" * 41)) == [":1: f has 41 lines, at most 40"]


def test_missing_docstrings_are_caught() -> None:
    """Private names, overloads and setters need none; all other names do."""
    text = dedent('''
        class A:
            """Something."""
            def shown(self): ...
            def _hidden(self): ...
            @property
            def value(self): ...
            @value.setter
            def value(self, new): ...
        class B: ...
        class _C:
            def shown(self): ...
        @overload
        def f(a): ...
        def f(a):
            """Do it."""
            def inner(): ...
    ''')

    assert list(rules.missing_docstrings(text)) == [
        ":1: the module has no docstring",
        ":4: A.shown has no docstring",
        ":7: A.value has no docstring",
        ":10: B has no docstring",
    ]


def test_marks_are_caught() -> None:
    """The usual three marks are found, as words of their own only."""
    text = "".join(f"# {mark}: tidy up\n" for mark in ("TO" + "DO", "FIX" + "ME", "X" * 3, "X" * 4))

    assert [offence[:3] for offence in rules.marks_for_later(text)] == [":1:", ":2:", ":3:"]

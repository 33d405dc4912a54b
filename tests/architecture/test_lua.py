"""The shape of the scripts: short, and each opening with its contract."""

from tests.architecture import rules

LUA = list((rules.SRC / "limpet" / "lua").rglob("*.lua"))
INCLUDES = [path for path in LUA if path.parent.name == "include"]
SCRIPTS = [path for path in LUA if path not in INCLUDES]


def test_scripts_are_short() -> None:
    """No Lua file is over 80 lines."""
    rules.demand(rules.too_many_lines(rules.MAX_SCRIPT_LINES), LUA)


def test_scripts_open_with_their_contract() -> None:
    """Every script first says what it does and what it returns."""
    rules.demand(rules.missing_contract, SCRIPTS)


def test_includes_open_with_their_purpose() -> None:
    """Every included file first says what it is for."""
    rules.demand(rules.missing_purpose, INCLUDES)


def test_a_contract_is_recognised() -> None:
    """A sentence, then a line on what comes back; more lines may stand around them."""
    text = '-- Add a job.\n-- More.\n-- Returns {"pushed", id}.\n\nlocal a = 1\n'

    assert list(rules.missing_contract(text)) == []
    assert list(rules.missing_contract(f"#!lua flags=allow-oom\n{text}")) == []


def test_a_missing_contract_is_caught() -> None:
    """Neither half of the contract may be missing, or come after the first code."""
    assert len(list(rules.missing_contract("local a = 1\n-- Add a job.\n-- Returns it.\n"))) == 2
    assert len(list(rules.missing_contract("-- Add a job.\nlocal a = 1\n-- Returns it.\n"))) == 1
    assert len(list(rules.missing_contract("-- Returns nothing.\n"))) == 1
    assert len(list(rules.missing_purpose("local a = 1\n"))) == 1

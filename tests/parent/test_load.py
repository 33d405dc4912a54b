"""From "module:app" to the app, and what is said when that does not work."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from limpet import App
from limpet.errors import ConfigError
from limpet.worker.load import load

APP = "from limpet import App\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A working directory for modules, which are forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]


def refusal(path: str) -> str:
    """What is said about a path; one line."""
    with pytest.raises(ConfigError) as said:
        load(path)
    assert "\n" not in str(said.value)
    return str(said.value)


def test_an_app_is_found_in_the_working_directory(folder: Path) -> None:
    """In a module, in a package, and behind a dot."""
    (folder / "shop_one.py").write_text(f"{APP}app = App(name='one')\n")
    (folder / "shop_two").mkdir()
    (folder / "shop_two" / "tasks.py").write_text(
        f"{APP}class Box:\n    inner = App(name='two')\nbox = Box()\n"
    )

    one, two = load("shop_one:app"), load("shop_two.tasks:box.inner")

    assert (one.name, two.name) == ("one", "two")
    assert isinstance(one, App)


@pytest.mark.parametrize(
    ("path", "better"),
    [
        ("shop", "shop:app"),
        ("shop.py:app", "shop:app"),
        ("./pkg/shop.py:jobs", "pkg.shop:jobs"),
        ("shop:", "shop:app"),
        (":jobs", "shop:jobs"),
        ("", "shop:app"),
        ("a-b:app", "shop:app"),
    ],
)
def test_what_is_no_path_is_refused_with_a_guess(folder: Path, path: str, better: str) -> None:
    """A file name, or a name without its app: the right form is shown."""
    assert refusal(path).endswith(f"does not name an app; write module:name, such as {better}")


def test_a_missing_module_names_the_search_path(folder: Path) -> None:
    """The name, the folders that were searched, and what to do."""
    said = refusal("shop_that_is_not:app")

    assert said.startswith("there is no module 'shop_that_is_not'; searched in ")
    assert str(folder) in said
    assert "PYTHONPATH" in said


def test_a_missing_part_of_a_package_is_named(folder: Path) -> None:
    """The package is there, the module in it is not."""
    (folder / "shop_pkg").mkdir()
    (folder / "shop_pkg" / "__init__.py").write_text("")

    assert refusal("shop_pkg.tasks:app").startswith("there is no module 'shop_pkg.tasks';")


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("\n\nimport no_such_thing\n", 3, "ModuleNotFoundError: No module named 'no_such_thing'"),
        ("x = 1\n1 / 0\n", 2, "ZeroDivisionError: division by zero"),
        ("def f(:\n", 1, "SyntaxError: "),
        ("import sys\nsys.exit(3)\n", 2, "SystemExit: 3"),
        ("import json\njson.loads('x')\n", 2, "JSONDecodeError: Expecting value"),
        (f"{APP}app = App(defaults={{'colour': 1}})\n", 2, "ConfigError: "),
        ("raise ValueError('two\\nlines')\n", 1, "ValueError: two lines"),
    ],
)
def test_an_error_in_the_module_names_the_users_line(
    folder: Path, text: str, line: int, said: str
) -> None:
    """Not the line in a library that noticed it."""
    (folder / "shop_bad.py").write_text(text)

    told = refusal("shop_bad:app")

    place = f"{folder / 'shop_bad.py'}, line {line}: "
    assert told.startswith(f"module 'shop_bad' cannot be imported: {place}{said}")


def test_an_error_in_an_imported_module_names_that_one(folder: Path) -> None:
    """The user's own code may be several files."""
    (folder / "shop_outer.py").write_text("import shop_inner\n")
    (folder / "shop_inner.py").write_text("\nraise KeyError('DATABASE_URL')\n")

    told = refusal("shop_outer:app")

    assert f"{folder / 'shop_inner.py'}, line 2: KeyError: 'DATABASE_URL'" in told


def test_a_missing_name_tells_which_apps_there_are(folder: Path) -> None:
    """The file, the name, and the apps in it."""
    (folder / "shop_name.py").write_text(f"{APP}jobs = App()\n")

    said = refusal("shop_name:app")

    assert said == f"{folder / 'shop_name.py'} has no 'app'; there is shop_name:jobs"


def test_something_else_than_an_app_is_refused(folder: Path) -> None:
    """What it is instead is said."""
    (folder / "shop_other.py").write_text("def app(): ...\n")

    said = refusal("shop_other:app")

    assert "is no App, it is a function; there is no App in it: write app = App()" in said

"""The door of the project says what it can do, and fails in one line."""

import subprocess
import sys
from pathlib import Path

import pytest

import dev
from tests.architecture import rules


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Put dev.py alone into a folder of its own."""
    path = tmp_path / "dev.py"
    path.write_bytes((rules.ROOT / "dev.py").read_bytes())
    return path


def run(script: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run dev.py from a folder that is not its own."""
    return subprocess.run(
        [sys.executable, script, *arguments],
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )


def test_it_lists_its_commands(copy: Path) -> None:
    """Without arguments every command stands there with its one line."""
    done = run(copy)

    assert done.returncode == 0
    for name, command in dev.COMMANDS.items():
        assert f"  {name:<10} {command.__doc__}\n" in done.stdout


@pytest.mark.parametrize("arguments", [["nonsense"], ["check", "more"]])
def test_an_unknown_command_is_an_error_of_use(copy: Path, arguments: list[str]) -> None:
    """What it does not understand ends with code 2 and the list."""
    done = run(copy, *arguments)

    assert done.returncode == 2
    assert "usage:" in done.stderr


@pytest.mark.parametrize("project", [None, "[project\n", b"\xff"])
def test_a_broken_project_file_is_told_in_one_line(copy: Path, project: str | bytes | None) -> None:
    """A missing or unreadable pyproject.toml is named; no traceback, nothing is made."""
    if project is not None:
        raw = project if isinstance(project, bytes) else project.encode()
        copy.with_name("pyproject.toml").write_bytes(raw)

    done = run(copy, "lint")

    assert done.returncode == 1
    assert done.stderr.startswith("dev.py: pyproject.toml cannot be read: ")
    assert done.stderr.count("\n") == 1
    assert not copy.with_name(".venv").exists()


def test_settings_of_tools_ask_for_no_new_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Dependencies change what must be installed; the rules of a linter do not."""
    monkeypatch.setattr(dev, "ROOT", tmp_path)

    def needs(text: str) -> dict[str, str]:
        (tmp_path / "pyproject.toml").write_text(text)
        return dev.needs()

    base = needs('[project]\nname = "a"\n')

    assert needs('[project]\nname = "a"\n[tool.ruff]\nline-length = 9\n') == base
    assert needs('[project]\nname = "a"\ndependencies = ["b"]\n') != base

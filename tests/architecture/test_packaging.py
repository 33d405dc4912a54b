"""What users get: the wheel holds every file of the package, and nothing else."""

import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.architecture import rules


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel as a release would, without the network."""
    folder = tmp_path_factory.mktemp("wheel")
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder],
        cwd=rules.ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (path,) = folder.glob("*.whl")
    return path


def names_in(wheel: Path) -> set[str]:
    """Return the names of the files in the wheel that belong to the package itself."""
    with ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


def names_in_source() -> set[str]:
    """Return the names of the files of the package, compiled ones left out."""
    return {
        path.relative_to(rules.SRC).as_posix()
        for path in (rules.SRC / "limpet").rglob("*")
        if path.is_file() and path.parent.name != "__pycache__"
    }


def test_the_wheel_holds_the_package(wheel: Path) -> None:
    """Everything under src/limpet is in the wheel, and only that."""
    assert names_in(wheel) == names_in_source()


def test_the_wheel_holds_the_scripts_and_the_type_mark(wheel: Path) -> None:
    """The Lua files and py.typed are in it: without them it would not run, or not be typed."""
    scripts = {p.relative_to(rules.SRC).as_posix() for p in rules.SRC.rglob("*.lua")}

    assert {"limpet/py.typed", *scripts} <= names_in(wheel)


def test_the_wheel_has_the_version_of_the_package(wheel: Path) -> None:
    """The version in the name of the wheel is the one written in the package."""
    text = (rules.SRC / "limpet" / "_version.py").read_text(encoding="utf-8")

    assert f'"{wheel.name.split("-")[1]}"' in text

"""The command line as a program, on the empty server of the tests or on a home of its own."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.programs import run_python

Done = subprocess.CompletedProcess[str]
Run = Callable[..., Done]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run `limpet` with arguments, in an empty folder, with a home of its own."""

    def call(*arguments: str, **environment: str) -> Done:
        home = {"LIMPET_HOME": str(tmp_path / "home"), **environment}
        return run_python("-m", "limpet", *arguments, cwd=tmp_path, **home)

    return call

"""Fixtures: a home that is empty before and stopped after, witnesses and puppets."""

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from limpet import engine
from limpet.engine import find
from tests.engine.helpers import Launch, Puppet, Puppets, Witness, start


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Hide the settings of the machine from the tests."""
    for name in ("LIMPET_HOME", "LIMPET_ENGINE", "LIMPET_FSYNC"):
        monkeypatch.delenv(name, raising=False)
    runtime = tmp_path / "run"
    runtime.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A home without an engine, and without one again at the end."""
    path = tmp_path / "home"
    yield path
    stop_for_good(path)


@pytest.fixture
def puppets(home: Path) -> Iterator[Puppets]:
    """Start puppets that do not outlive the test."""
    started: list[Puppet] = []

    def make() -> Puppet:
        started.append(Puppet(home))
        return started[-1]

    yield make
    for puppet in started:
        puppet.kill()
        puppet.process.stdin.close()
        puppet.process.stdout.close()


@pytest.fixture
def launch(home: Path) -> Iterator[Launch]:
    """Start scripts on this home that do not outlive the test."""
    started: list[subprocess.Popen[bytes]] = []

    def make(script: str, *args: object) -> subprocess.Popen[bytes]:
        started.append(start(script, home, *args))
        return started[-1]

    yield make
    for process in started:
        process.kill()
        process.wait()


@pytest.fixture
def real() -> Path:
    """The server program that is used when nothing else is said."""
    return find.choose(None).path


@pytest.fixture
def witness(tmp_path: Path, real: Path, monkeypatch: pytest.MonkeyPatch) -> Witness:
    """Make every server of this test one that notes its start."""
    made = Witness(tmp_path / "witness", real)
    monkeypatch.setenv("LIMPET_ENGINE", str(made.path))
    return made


def stop_for_good(path: Path) -> None:
    """Stop the engine of a home, whatever state a failed test left it in."""
    if not engine.stop(path) and (pid := engine.status(path).pid):
        os.kill(pid, signal.SIGKILL)

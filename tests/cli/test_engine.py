"""`limpet engine`."""

import json
from pathlib import Path

from limpet.engine import attach
from tests.cli.conftest import Run


def test_looking_starts_and_makes_nothing(run: Run, tmp_path: Path) -> None:
    """The status of a home that was never used leaves it unused."""
    home = tmp_path / "elsewhere"

    done = run("engine", "status", "--home", str(home))

    assert done.returncode == 0
    assert done.stdout.splitlines()[:2] == ["engine   not running", f"home     {home}"]
    assert not home.exists()


def test_a_running_engine_is_shown(run: Run, tmp_path: Path) -> None:
    """Who uses it, its process and its version, for people and as JSON."""
    with attach(tmp_path / "home"):
        shown, raw = run("engine", "status"), run("engine", "status", "--json")

    found = json.loads(raw.stdout)
    assert (found["running"], found["in_use"], found["kept"]) == (True, True, False)
    assert f"running, {found['version']}, process {found['pid']}, in use" in shown.stdout


def test_an_engine_in_use_is_not_stopped(run: Run, tmp_path: Path) -> None:
    """Code 1 and the next step; the engine goes on."""
    with attach(tmp_path / "home"):
        done = run("engine", "stop")
        after = json.loads(run("engine", "status", "--json").stdout)

    assert (done.returncode, done.stdout) == (1, "")
    assert "is in use" in done.stderr
    assert after["running"] is True


def test_a_kept_engine_is_stopped(run: Run, tmp_path: Path) -> None:
    """Nobody uses it: code 0, and it is gone; stopping again is fine too."""
    attach(tmp_path / "home", keep=True).release()

    first, second = run("engine", "stop", "--json"), run("engine", "stop")

    assert (first.returncode, second.returncode) == (0, 0)
    assert json.loads(first.stdout)["running"] is False

"""Where things are, and the environments of the peers, made when they are first needed."""

import json
import subprocess
import sys
from pathlib import Path

from benchmarks.catalogue import Peer

ROOT = Path(__file__).resolve().parents[1]
ENVIRONMENTS = ROOT / ".bench"
RESULTS = ROOT / "benchmarks" / "results"
DOCS = ROOT / "docs"
#: What people write for the page.
WHYS = ROOT / "benchmarks" / "whys.toml"
HISTORY = ROOT / "benchmarks" / "history.toml"
_BASE = str(getattr(sys, "_base_executable", None) or sys.executable)
_PIP = ("-m", "pip", "--no-input", "--disable-pip-version-check")
_INSTALL_S = 300


class NotInstalled(Exception):
    """A peer's environment could not be made."""


def python_of(peer: Peer) -> Path:
    """Find the Python of a peer's environment; make that first if it is not there."""
    if not peer.packages:
        return Path(sys.executable)
    folder = ENVIRONMENTS / peer.name
    python, stamp = folder / "bin" / "python", folder / "made.json"
    wanted = {"packages": list(peer.packages), "python": sys.version}
    if not (python.exists() and stamp.exists() and json.loads(stamp.read_text()) == wanted):
        _run([_BASE, "-m", "venv", "--clear", "--without-pip", str(folder)])
        pip = [_BASE, *_PIP, "--python", str(python), "install", "--quiet", "--no-compile"]
        _run([*pip, *peer.packages])
        stamp.write_text(json.dumps(wanted))
    return python


def _run(command: list[str]) -> None:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=_INSTALL_S
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotInstalled(f"could not be installed: {error}") from None
    if done.returncode:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:]
        raise NotInstalled(f"could not be installed: {' '.join(last)}")


def versions_of(peer: Peer, python: Path) -> dict[str, str]:
    """Ask an environment for the versions of what was asked for and of the client library."""
    asked = (*peer.packages, "redis", "hiredis", "uvloop", peer.name)
    names = {word.partition("[")[0] for word in asked}
    code = (
        "import importlib.metadata as m, json, sys\n"
        "have = {d.metadata['Name'].lower(): d.version for d in m.distributions()}\n"
        "print(json.dumps({n: have[n] for n in sys.argv[1:] if n in have}))"
    )
    command = [str(python), "-c", code, *sorted(names)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))

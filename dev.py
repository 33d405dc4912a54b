"""The door of the project: `python3 dev.py` lists what it can do.

Needs Python 3.11 and pip, nothing else: the first command makes `.venv` beside this
file and installs limpet with its tools there; later ones find it ready.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
BIN = VENV / "bin"
STAMP = VENV / "made-by-dev.py.json"  # what `.venv` was made from; {} while it is being made
LOCK = ROOT / ".dev.lock"
# The interpreter below any active environment, so that every caller gets the same `.venv`.
PYTHON = str(getattr(sys, "_base_executable", None) or sys.executable)
PIP = ("-m", "pip", "--no-input", "--disable-pip-version-check")

LINT = (("ruff", "check"), ("ruff", "format", "--check"))
# Three processes, each with servers of its own: many tests wait for time to pass.
PYTEST = ("-q", "-n", "3", "--dist", "worksteal")
FIX = (("ruff", "check", "--fix"), ("ruff", "format"))
GENERATE = (("python", "tools/unasync.py"), ("python", "tools/tables.py"))
FRESH = tuple((*command, "--check") for command in GENERATE)


class Failure(Exception):
    """An ordinary failure: what a tool said, then one line; no traceback."""

    def __init__(self, line: str, output: str = "") -> None:
        super().__init__(line)
        self.output = output.strip()


@contextmanager
def step(name: str) -> Iterator[None]:
    """Tell in one line what is being done, how it ended and how long it took."""
    started = time.monotonic()
    print(f"{name} ...", end=" ", flush=True)
    try:
        yield
    except BaseException:
        print("failed", flush=True)
        raise
    print(f"ok ({time.monotonic() - started:.1f} s)", flush=True)


def environment() -> dict[str, str]:
    """Return our environment without what would lead Python or pip out of `.venv`."""
    leaky = ("PYTHONHOME", "PYTHONPATH", "PIP_TARGET", "PIP_PREFIX")
    kept = {name: value for name, value in os.environ.items() if name not in leaky}
    return {**kept, "PATH": f"{BIN}{os.pathsep}{kept.get('PATH', os.defpath)}", "PIP_USER": "0"}


def run(command: list[str], *, keep_open: tuple[int, ...] = ()) -> tuple[int, str]:
    """Run a command from the root; return its exit code and all it said."""
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=environment(),
        pass_fds=keep_open,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    return done.returncode, done.stdout


def needs() -> dict[str, str]:
    """Return what `.venv` must be made from: this Python, this place, these dependencies."""
    import tomllib

    try:
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Failure(f"pyproject.toml cannot be read: {error}") from None
    # Settings of linters and the like change nothing that is installed.
    tables = [
        project.get("build-system"),
        project.get("project"),
        project.get("tool", {}).get("hatch"),
    ]
    digest = hashlib.sha256(json.dumps(tables, sort_keys=True, default=str).encode()).hexdigest()
    return {"python": f"{PYTHON} {sys.version}", "root": str(ROOT), "dependencies": digest}


def made_from() -> dict[str, str]:
    """Return what `.venv` was made from; empty if it is missing, half made or not ours."""
    try:
        return (
            dict(json.loads(STAMP.read_text(encoding="utf-8"))) if (BIN / "python").exists() else {}
        )
    except (OSError, ValueError):
        return {}


def demand_own_tree() -> None:
    """Refuse to work where the environment and the caches of the tools cannot be written."""
    if not os.access(ROOT, os.W_OK):
        raise Failure(f"you may not write in {ROOT}; work in a copy of your own")


@contextmanager
def lock() -> Iterator[int]:
    """Let one dev.py at a time work on `.venv`; give the descriptor of the lock file."""
    import fcntl

    demand_own_tree()
    with LOCK.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            with step("waiting for another dev.py to make .venv"):
                fcntl.flock(file, fcntl.LOCK_EX)
        yield file.fileno()


def pip_can_reach_out() -> bool:
    """Say whether the pip of this Python can fill another environment (22.3 or newer)."""
    words = run([PYTHON, *PIP, "--version"])[1].split()
    try:
        return tuple(int(part) for part in words[1].split(".")[:2]) >= (22, 3)
    except (IndexError, ValueError):
        return False


def create(*options: str) -> None:
    """Make an empty `.venv`; what was there before is ours and goes, or is not and is moved."""
    if STAMP.exists():
        shutil.rmtree(VENV)
    elif VENV.exists():
        VENV.rename(ROOT / ".venv.old")
    VENV.mkdir()
    STAMP.write_text("{}", encoding="utf-8")
    code, output = run([PYTHON, "-m", "venv", *options, str(VENV)])
    if code:
        raise Failure(f"{PYTHON} needs pip 22.3 or newer, or a working venv module", output)


def fill(target: dict[str, str], held: int) -> None:
    """Install the project and its tools into `.venv`, making that first if need be."""
    reach_out = pip_can_reach_out()  # then `.venv` needs no pip of its own: seconds saved
    current = made_from()
    if any(current.get(fact) != target[fact] for fact in ("python", "root")):
        with step("making .venv"):
            create(*(["--without-pip"] if reach_out else []))
    STAMP.write_text("{}", encoding="utf-8")
    python = str(BIN / "python")
    pip = [PYTHON, *PIP, "--python", python] if reach_out else [python, *PIP]
    with step("installing limpet and its tools into .venv"):
        # pip keeps the lock open: if dev.py is killed, nobody starts beside a running pip.
        install = ("install", "--no-compile", "--editable", ".[all,dev]")
        code, output = run([*pip, *install], keep_open=(held,))
        if code:
            last_lines = "\n".join(output.splitlines()[-60:])
            raise Failure(
                "pip could not install what limpet needs; its words are above", last_lines
            )
    STAMP.write_text(json.dumps(target), encoding="utf-8")


def prepare() -> None:
    """See to it that `.venv` is there and up to date."""
    target = needs()
    if made_from() != target:
        with lock() as held:
            if made_from() != target:
                fill(target, held)


def stage(name: str, *commands: tuple[str, ...]) -> None:
    """Run tools of `.venv`, silently; the first that fails ends everything."""
    demand_own_tree()
    with step(name):
        for tool, *arguments in commands:
            code, output = run([str(BIN / tool), *arguments])
            if code:
                raise Failure(f"{name} failed in: {' '.join([tool, *arguments])}", output)


def become(tool: str, *arguments: str) -> NoReturn:
    """Turn into a tool of `.venv`, whose last line, exit code and signals become ours."""
    sys.stdout.flush()
    os.execve(BIN / tool, [tool, *arguments], environment())  # noqa: S606 - no shell is wanted


def demo(*arguments: str) -> None:
    """Show limpet at work, on a server of its own."""
    prepare()
    become("limpet", "demo", *arguments)


def test(*arguments: str) -> None:
    """Check everything, then run the tests; arguments go to pytest."""
    check()
    os.chdir(ROOT)
    become("pytest", *(arguments or PYTEST))


def faults(*arguments: str) -> None:
    """Strike real workers and servers; --seeds N, --only F3, --jobs N."""
    prepare()
    os.chdir(ROOT)
    become("python", "-m", "tests.matrix", *arguments)


def bench(*arguments: str) -> None:
    """Measure limpet beside its peers; --quick, --only, --peers a,b."""
    prepare()
    os.chdir(ROOT)
    become("python", "-m", "benchmarks", *arguments)


def check() -> None:
    """Check all but the tests: lint, types, imports, generated files."""
    lint()
    stage("types", ("mypy",))
    stage("imports", ("lint-imports",))
    stage("generated files", *FRESH)


def lint(*arguments: str) -> None:
    """Look for faults and bad form; --fix mends what can be mended."""
    if arguments not in {(), ("--fix",)}:
        raise Failure("lint takes --fix or nothing")
    prepare()
    stage("lint", *(FIX if arguments else LINT))


def docs() -> None:
    """Write again what is made from code: the sync twin, tables in docs."""
    prepare()
    stage("docs", *GENERATE)


COMMANDS: dict[str, Callable[..., None]] = {
    command.__name__: command for command in (demo, test, faults, bench, check, lint, docs)
}


def usage() -> str:
    """Return the list of commands, each with its docstring."""
    lines = [f"  {name:<10} {command.__doc__}" for name, command in COMMANDS.items()]
    return "\n".join(["usage: python3 dev.py COMMAND [ARGUMENTS]", "", *lines])


def main(name: str = "help", *arguments: str) -> int:
    """Run the named command; return the exit code."""
    if sys.version_info < (3, 11) or os.name != "posix":
        raise Failure("this needs Python 3.11 or newer, on Linux or macOS (on Windows: WSL)")
    if name in {"help", "-h", "--help"}:
        print(usage())
        return 0
    if name not in COMMANDS or (arguments and name in {"check", "docs"}):
        print(f"dev.py: unknown: {' '.join([name, *arguments])}\n\n{usage()}", file=sys.stderr)
        return 2
    COMMANDS[name](*arguments)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except Failure as failure:
        print(failure.output, end="\n" if failure.output else "", flush=True)
        sys.exit(f"dev.py: {failure}")
    except OSError as error:
        sys.exit(f"dev.py: {error}")
    except KeyboardInterrupt:
        sys.exit(130)

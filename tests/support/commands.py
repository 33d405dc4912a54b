"""`limpet ...` as users type it, in the folder of their code: a worker at work, or one answer."""

import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support.waiting import wait_until

LIMPET = (sys.executable, "-m", "limpet")


@dataclass(frozen=True)
class Started:
    """A worker that was started, and what it wrote so far."""

    process: "subprocess.Popen[bytes]"
    out: Path
    err: Path

    @property
    def said(self) -> list[str]:
        """The lines that its jobs printed."""
        return self.out.read_text("utf-8").splitlines()

    @property
    def log(self) -> str:
        """What it wrote about itself."""
        return self.err.read_text("utf-8")


@contextmanager
def worker(
    *arguments: str, cwd: Path, environment: Mapping[str, str], name: str = "worker"
) -> Iterator[Started]:
    """Run `limpet worker ...` for a block; it works when the block begins, and ends with code 0."""
    out, err = cwd / f"{name}.out", cwd / f"{name}.err"
    with out.open("wb") as stdout, err.open("wb") as stderr:
        words = [*LIMPET, "worker", *arguments]
        process = subprocess.Popen(words, cwd=cwd, env=environment, stdout=stdout, stderr=stderr)
        started = Started(process, out, err)
        try:
            wait_until(lambda: "works on" in started.log or process.poll() is not None, within=30)
            assert process.poll() is None, started.log
            yield started
            process.terminate()
            assert process.wait(timeout=40) == 0, started.log
        finally:
            process.kill()
            process.wait(timeout=10)


def run(arguments: Sequence[str], cwd: Path, environment: Mapping[str, str]) -> str:
    """Run a program to its end; answers what it printed, and fails if it failed."""
    done = subprocess.run(
        arguments, cwd=cwd, env=environment, capture_output=True, text=True, timeout=50, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout

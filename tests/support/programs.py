"""Running programs as users do: in a process of their own, with nothing of this machine in it."""

import os
import subprocess
import sys
from pathlib import Path

#: What would lead a program to another server, or change how it writes.
_LEAKS = ("LIMPET_URL", "LIMPET_HOME", "LIMPET_ENGINE", "REDIS_URL", "FORCE_COLOR", "NO_COLOR")


def clean_environment(**extra: str) -> dict[str, str]:
    """Our environment without what would change the program, and with what is said here."""
    kept = {name: value for name, value in os.environ.items() if name not in _LEAKS}
    return {**kept, **extra}


def run_python(
    *arguments: str, cwd: Path, timeout_s: float = 50, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run this Python with arguments; text in, text out, any exit code."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env=clean_environment(**environment),
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )

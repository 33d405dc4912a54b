"""The few words a supervisor has for its server, over a plain socket.

Not through a client library: that would cost every start a tenth of a second of import,
and its greeting is refused by a server that still loads.
"""

import socket
from enum import Enum
from pathlib import Path

ANSWER_WITHIN_S = 1.0


class Pulse(Enum):
    """What a server's answer, or the lack of one, tells."""

    READY = "ready"
    LOADING = "loading"
    SILENT = "silent"


def pulse(path: Path) -> Pulse:
    """Feel whether a server is there and ready."""
    answer = ask(path, "PING")
    if not answer:
        return Pulse.SILENT
    # Any other refusal, such as BUSY or MISCONF, comes from a server that lives and serves.
    return Pulse.LOADING if answer.startswith(b"-LOADING") else Pulse.READY


def info(path: Path) -> dict[str, str]:
    """Return what the server says about itself; empty if it says nothing."""
    lines = ask(path, "INFO server").decode(errors="replace").splitlines()
    return dict(line.split(":", 1) for line in lines if ":" in line)


def shut_down(path: Path) -> str:
    """Ask the server to write everything to disk and end; return its refusal, if any."""
    return ask(path, "SHUTDOWN").decode(errors="replace").strip()


def ask(path: Path, command: str) -> bytes:
    """Send one command and return the answer; empty when nobody answers."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.settimeout(ANSWER_WITHIN_S)
            line.connect(str(path))
            line.sendall(command.encode() + b"\r\n")
            with line.makefile("rb") as answers:
                answer = answers.readline()
                return answers.read(int(answer[1:])) if answer.startswith(b"$") else answer
    except (OSError, ValueError):
        return b""

"""Other Python programs: to freeze, to kill, to fork and to let end without a word."""

import os
import select
import signal
import subprocess
import sys
import textwrap
import time
from typing import Self


class Program:
    """A program that was given as text; it is told things and tells things line by line."""

    def __init__(self, text: str, *args: str) -> None:
        """Start it; every warning is an error there too."""
        command = [sys.executable, "-W", "error", "-c", textwrap.dedent(text), *args]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert self.process.stdin
        assert self.process.stdout
        assert self.process.stderr
        self._in, self._out, self._errors = (
            self.process.stdin,
            self.process.stdout,
            self.process.stderr,
        )
        self._heard = b""

    def hear(self, within: float = 20.0) -> str:
        """Get its next line."""
        deadline = time.monotonic() + within
        while b"\n" not in self._heard:
            left_s = deadline - time.monotonic()
            ready, _, _ = select.select([self._out], [], [], max(left_s, 0))
            data = os.read(self._out.fileno(), 65536) if ready else b""
            if not data:
                self.process.kill()
                errors = self._errors.read().decode(errors="replace")
                raise AssertionError(f"the program said nothing more; its errors:\n{errors}")
            self._heard += data
        line, _, self._heard = self._heard.partition(b"\n")
        return line.decode()

    def tell(self, line: str = "go on") -> None:
        """Give it a line to read."""
        self._in.write(line.encode() + b"\n")
        self._in.flush()

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal."""
        self.process.send_signal(number)

    def end(self, within: float = 20.0) -> tuple[int, str]:
        """Wait for its end; answers its exit code and what it wrote on its error channel."""
        _, errors = self.process.communicate(timeout=within)
        return self.process.returncode, errors.decode(errors="replace")

    def rest(self, within: float = 20.0) -> list[str]:
        """Wait for its end, which must be a good one; answers all lines that nobody heard yet."""
        out, errors = self.process.communicate(timeout=within)
        assert self.process.returncode == 0, errors.decode(errors="replace")
        return (self._heard + out).decode().splitlines()

    def __enter__(self) -> Self:
        """Use it in a block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Kill it if it still runs."""
        self.process.kill()
        self.process.communicate()

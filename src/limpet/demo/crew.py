"""The processes of the demo: started, one of them killed, the others stopped."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Self

from limpet.demo.stage import Stage
from limpet.errors import BackendError

STOP_WITHIN_S = 3.0


class Crew:
    """All processes by name; leaving the block ends every one of them."""

    def __init__(self, stage: Stage) -> None:
        """Start with nobody."""
        self._stage = stage
        self._processes: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, name: str, module: str, *arguments: str) -> None:
        """Start `python -m module` with a file of its own for what it complains about."""
        with self._complaints(name).open("wb") as complaints:
            self._processes[name] = subprocess.Popen(  # noqa: S603 - our own modules
                [sys.executable, "-m", module, *arguments],
                cwd=self._stage.folder,  # no config file of the user can lead it elsewhere
                env=self._stage.environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=complaints,
                start_new_session=True,  # Ctrl-C reaches the demo alone, which then ends them
            )

    def pid(self, name: str) -> int:
        """Tell the process id."""
        return self._processes[name].pid

    def ended(self, name: str) -> bool:
        """Tell whether a process ended; one that failed raises what it said."""
        code = self._processes[name].poll()
        if code and code != -signal.SIGKILL:
            said = self._complaints(name).read_text("utf-8", "replace").strip()
            last = said.splitlines()[-1] if said else f"exit code {code}"
            raise BackendError(f"{name} of the demo ended early: {last}")
        return code is not None

    def kill(self, name: str) -> None:
        """Kill a process at once; it cannot defend itself, nor tidy up."""
        os.kill(self._processes[name].pid, signal.SIGKILL)
        self._processes[name].wait()

    def stop(self) -> None:
        """Ask all to end, wait a little, kill who stays."""
        living = [process for process in self._processes.values() if process.poll() is None]
        for process in living:
            process.terminate()
        deadline = time.monotonic() + STOP_WITHIN_S
        for process in living:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(max(deadline - time.monotonic(), 0))
            process.kill()
            process.wait()

    def _complaints(self, name: str) -> Path:
        return self._stage.folder / f"{name}.err"

    def __enter__(self) -> Self:
        """Use the crew in a `with` block."""
        return self

    def __exit__(self, *_: object) -> None:
        """End them all, whatever happened."""
        self.stop()

"""Is a silent child frozen or busy? Decided by its signs of life and the processor time it uses.

A child that runs C code which never lets go of the interpreter cannot give a sign, but it works:
it uses processor time. A stopped or stuck one does not. The time that counts is the parent's own:
if parent and child were suspended together, nobody was silent meanwhile.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

#: How much one look may add to the silence: after a pause of the parent, the child gets a chance.
LONGEST_STEP_S = 1.0
#: Signs come faster than this; where the lease is shorter, so is the time between them.
QUIET_S = 0.75
#: A child that misses so much time cannot end a job in time by itself.
MUTE_S = 1.5
#: How long after its time a job of a mute child may still run.
OVERTIME_S = 5.0

Verdict = Literal["fine", "frozen", "overdue"]


@dataclass(frozen=True, slots=True)
class Effort:
    """What the system tells of a process: processor time used so far, and whether it wants more."""

    cpu_s: float
    runnable: bool


def effort_of(pid: int, proc: Path = Path("/proc")) -> Effort | None:
    """Ask the system about a process; None where it does not tell."""
    try:
        text = (proc / str(pid) / "stat").read_text("utf-8", "replace")
    except OSError:
        return None
    # Behind the name, which may hold anything: state is the first word, times are in 1/100 s.
    words = text.rpartition(")")[2].split()
    return Effort((int(words[11]) + int(words[12])) / 100, words[0] == "R")


class Watch:
    """What is known of one child that works."""

    def __init__(self, lease_s: float | None) -> None:
        """Watch a child with this lease; without one it is never found frozen."""
        self._lease_s = lease_s
        self._cpu_s: float | None = None
        self._due_in_s: float | None = None
        #: Without a sign; without a sign and without work.
        self.silent_s = self.still_s = 0.0

    def sign(self, due_in_s: float | None) -> None:
        """Note a sign of life, and when the first running job must have ended."""
        self.silent_s = self.still_s = 0.0
        self._due_in_s, self._cpu_s = due_in_s, None

    def look(self, passed_s: float, effort: Callable[[], Effort | None]) -> Verdict:
        """Note that time has passed; says how the child is. Its effort is asked for if need be."""
        step_s = min(passed_s, LONGEST_STEP_S)
        self.silent_s += step_s
        self.still_s += step_s
        if self.silent_s < QUIET_S:
            return "fine"
        self._compare(effort())
        if self._lease_s is not None and self.still_s >= self._lease_s:
            return "frozen"
        return "overdue" if self._is_overdue() else "fine"

    def _compare(self, effort: Effort | None) -> None:
        """Hold the processor time against that of the look before."""
        if effort is not None:
            used = self._cpu_s is not None and effort.cpu_s > self._cpu_s
            self.still_s = 0.0 if used or effort.runnable else self.still_s
            self._cpu_s = effort.cpu_s

    def _is_overdue(self) -> bool:
        if self._due_in_s is None or self.silent_s < MUTE_S:
            return False
        return self.silent_s >= self._due_in_s + OVERTIME_S

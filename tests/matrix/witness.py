"""What was seen: a file to which every process appends a line for each thing that happened.

It knows nothing of limpet and of its server, so it can bear witness against both.
"""

import json
import os
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

#: Where the processes of a stage find the file.
PLACE = "LIMPET_MATRIX_WITNESS"

#: pushed: the enqueue returned. start, end: of the task's body. strike: this process is hit now.
#: relief: a trouble of the server is over. refused: an enqueue that raised and changed nothing.
What = Literal["pushed", "start", "end", "strike", "relief", "refused"]


@dataclass(frozen=True, slots=True)
class Sighting:
    """One thing that happened; `at` is the machine's monotonic clock, one for all processes."""

    what: What
    at: float = field(default_factory=time.monotonic)
    pid: int = field(default_factory=os.getpid)
    #: The id of the job, its number in the order of enqueueing, the fence of the delivery.
    job: str = ""
    n: int = -1
    fence: int = 0
    #: pushed: the task.
    text: str = ""


def note(sighting: Sighting, place: str | None = None) -> None:
    """Append it to the file; one write, so that lines never mix."""
    line = json.dumps(asdict(sighting)).encode() + b"\n"
    file = os.open(place or os.environ[PLACE], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(file, line)
    finally:
        os.close(file)


def read(place: Path) -> list[Sighting]:
    """Read all that was noted so far, in order of time."""
    if not place.exists():
        return []
    whole = place.read_bytes().rpartition(b"\n")[0]
    seen = [Sighting(**json.loads(line)) for line in whole.splitlines()]
    return sorted(seen, key=lambda sighting: sighting.at)

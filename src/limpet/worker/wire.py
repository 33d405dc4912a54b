"""The wire between the parent and a child: lines of JSON over a pair of sockets.

It carries signs of life and orders. Its end tells the other side that this process is gone: a
child whose parent was killed stops by itself.
"""

import contextlib
import json
import select
import socket
import threading
from dataclasses import asdict, dataclass
from typing import Literal

#: What a child is started with: the plan, the number of the child, and the file number of its wire.
PLAN, NUMBER, WIRE = "LIMPET_WORKER_PLAN", "LIMPET_WORKER_NUMBER", "LIMPET_WORKER_WIRE"
_PIECE = 65536
#: How long a message that must arrive may wait for a parent that does not read.
PATIENCE_S = 5.0

#: Begin to take jobs; stop; stop at once; say what you are doing.
Order = Literal["go", "stop", "now", "dump"]


@dataclass(frozen=True, slots=True)
class Ready:
    """A child works, under this identity; told again whenever it gets a new one."""

    worker: str
    #: Queue -> the crash limit and the dead limit of its policy.
    queues: dict[str, tuple[int, int]]
    #: The server; None is the embedded engine, whose home is the next field.
    url: str | None
    home: str | None
    #: Who named the server.
    source: str
    #: None: for ever.
    lease_ms: int | None
    #: How many tasks the app knows.
    tasks: int
    #: Files of the app, for those who watch them.
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CannotStart:
    """A child gave up before it worked: why, in one line, and the exit code for it."""

    line: str
    code: int
    #: It stays so until somebody changes something; else another start may help.
    final: bool = True


@dataclass(frozen=True, slots=True)
class Sign:
    """A sign of life, and in how many seconds the first running job must have ended."""

    due_in_s: float | None = None


@dataclass(frozen=True, slots=True)
class Bye:
    """A child ended its work as it should and holds nothing; what comes now is its exit."""


@dataclass(frozen=True, slots=True)
class Told:
    """What the parent wants."""

    order: Order


Message = Ready | CannotStart | Sign | Bye | Told
_KINDS: dict[str, type[Message]] = {
    kind.__name__: kind for kind in (Ready, CannotStart, Sign, Bye, Told)
}


def write(message: Message) -> bytes:
    """Write a message as one line."""
    return json.dumps([type(message).__name__, asdict(message)]).encode() + b"\n"


def read(line: bytes) -> Message:
    """Read a line as a message."""
    kind, fields = json.loads(line)
    if kind == "Ready":
        fields["queues"] = {name: tuple(limits) for name, limits in fields["queues"].items()}
        fields["files"] = tuple(fields["files"])
    return _KINDS[kind](**fields)


class Wire:
    """One end. Any thread may tell; one thread listens."""

    def __init__(self, end: socket.socket) -> None:
        """Take charge of a socket; nothing ever blocks in it."""
        end.setblocking(False)
        self.end = end
        #: Whether the other side is gone.
        self.closed = False
        self._rest = b""
        #: Reentrant: a signal may come while something is told.
        self._guard = threading.RLock()

    def tell(self, message: Message) -> bool:
        """Send a message; answers whether it went out. A sign of life never waits."""
        patience_s = 0.0 if isinstance(message, Sign) else PATIENCE_S
        with self._guard, contextlib.suppress(OSError):
            left = write(message)
            while left:
                _, free, _ = select.select([], [self.end], [], patience_s)
                if not free:
                    return False
                left = left[self.end.send(left) :]
            return True
        return False

    def listen(self) -> list[Message]:
        """Take what has come, without waiting."""
        found = b""
        while not self.closed:
            try:
                piece = self.end.recv(_PIECE)
            except BlockingIOError:
                break
            except OSError:
                piece = b""
            found += piece
            self.closed = not piece
        *lines, self._rest = (self._rest + found).split(b"\n")
        return [read(line) for line in lines]

    def close(self) -> None:
        """Close this end; the other side is told so."""
        self.end.close()

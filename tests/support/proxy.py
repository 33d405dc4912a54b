"""A proxy between clients and a server that breaks the line where a test wants it broken.

    proxy = Proxy(server)
    proxy.arm(Fault(1, cut_reply=3))       # 3 bytes of the reply to the second request pass
    limpet = Limpet(proxy.url)
    ...
    assert proxy.names == ["SADD", "EVALSHA", "EVALSHA"]

Requests are counted from 0 since the last `arm` or `forget`. What a connection says at its
start (CLIENT, AUTH, SELECT, HELLO) is passed on and not counted, nor are scripts that are named
in `uncounted` (heartbeats come when they want).
"""

import contextlib
import selectors
import shutil
import socket
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from limpet.scripts import script
from tests.support.resp import message_end, words_of
from tests.support.servers import Server
from tests.support.waiting import wait_until

GREETINGS = {b"CLIENT", b"AUTH", b"SELECT", b"HELLO"}


@dataclass(frozen=True, slots=True)
class Fault:
    """What happens to one request, by its number; everything else passes untouched."""

    at: int
    #: So many bytes of the request reach the server, then the line is cut.
    cut_request: int | None = None
    #: The server does it, so many bytes of the reply reach the client, then the line is cut.
    cut_reply: int | None = None
    #: The server does it, the reply never comes, the line stays open.
    drop_reply: bool = False
    #: The reply comes so many seconds late.
    delay_s: float = 0.0
    #: The server gets it twice; the client gets the first reply, or the second one.
    twice: bool = False
    answer_second: bool = False
    #: After the reply come the same bytes once more, which nobody asked for.
    echo: bool = False
    #: Called in the proxy's thread before the request is passed on.
    before: Callable[[], object] | None = None
    #: Called in the proxy's thread when the server has answered, before the client hears of it.
    after: Callable[[], object] | None = None


@dataclass(slots=True)
class _Request:
    """A request under way to the server."""

    number: int
    fault: Fault
    replies_left: int


@dataclass(eq=False, slots=True)
class _Line:
    """One client's connection and the connection to the server that belongs to it."""

    client: socket.socket
    server: socket.socket
    from_client: bytes = b""
    from_server: bytes = b""
    under_way: deque[_Request] = field(default_factory=deque)
    open: bool = True


_PASS = Fault(-1)


class Proxy:
    """Listens on a socket of its own; one thread moves all bytes."""

    def __init__(self, server: Server, uncounted: Iterable[str] = ()) -> None:
        """Start to listen."""
        self._uncounted = {script(name).sha.encode() for name in uncounted}
        self.folder = Path(tempfile.mkdtemp(prefix="limpet-proxy-"))
        self.path = self.folder / "p.sock"
        self.seen: list[bytes] = []
        #: What the server answered, by the number of the request.
        self.replies: dict[int, bytes] = {}
        self._server = server
        self._faults: dict[int, Fault] = {}
        self._silent = False
        self._lock = threading.RLock()
        self._lines: set[_Line] = set()
        self._late: list[tuple[float, _Line, bytes]] = []
        self._pick = selectors.DefaultSelector()
        self._bell, self._ear = socket.socketpair()
        self._pick.register(self._ear, selectors.EVENT_READ, self._hear)
        self._todo: deque[Callable[[], object]] = deque()
        self._door: socket.socket | None = None
        self._running = True
        self._open_door()
        self._thread = threading.Thread(target=self._run, daemon=True, name="proxy")
        self._thread.start()

    # -- what tests call --------------------------------------------------------------------

    @property
    def url(self) -> str:
        """Where clients connect."""
        return f"unix://{self.path}"

    @property
    def names(self) -> list[str]:
        """The counted requests by the first word of each."""
        return [words_of(raw)[0].decode() for raw in self.seen]

    def arm(self, *faults: Fault) -> None:
        """Forget what was seen, and break the next requests like this."""
        with self._lock:
            self.seen, self.replies = [], {}
            self._faults = {fault.at: fault for fault in faults}

    def forget(self) -> None:
        """Let everything pass from now on, and count from 0 again."""
        self.arm()

    def replay(self, raw: bytes) -> bytes:
        """Send a request once more to the server, late, on a connection of its own."""
        with self._dial() as line:
            line.sendall(raw)
            reply = b""
            while not message_end(reply):
                reply += line.recv(65536)
            return reply

    def cut(self) -> None:
        """Cut every line now."""
        self._ask(lambda: [self._hang_up(line) for line in list(self._lines)])

    def refuse(self) -> None:
        """Cut every line and let nobody in."""
        self._ask(self._close_door)
        self.cut()

    def admit(self) -> None:
        """Let clients in again."""
        self._ask(self._open_door)

    def fall_silent(self) -> None:
        """Take everything and pass nothing on: the lines look alive and are not."""
        self._silent = True

    def speak(self) -> None:
        """Pass things on again, on new lines; the silent ones are cut."""
        self.cut()
        self._silent = False

    def lead_to(self, server: Server) -> None:
        """Connect new lines to another server; those that are open stay where they are."""
        self._server = server

    def wait_for(self, count: int, within: float = 10.0) -> None:
        """Wait until so many requests came."""
        wait_until(lambda: len(self.seen) >= count, within=within)

    def close(self) -> None:
        """End everything."""
        self._running = False
        self._bell.send(b"!")
        self._thread.join()
        for line in list(self._lines):
            self._hang_up(line)
        self._close_door()
        self._pick.close()
        self._bell.close()
        self._ear.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    # -- the thread -------------------------------------------------------------------------

    def _ask(self, work: Callable[[], object]) -> None:
        """Let the thread do something, and wait until it is done."""
        done = threading.Event()
        self._todo.append(work)
        self._todo.append(done.set)
        self._bell.send(b"!")
        assert done.wait(10), "the proxy's thread is gone"

    def _run(self) -> None:
        while self._running:
            wait_s = min((at for at, *_ in self._late), default=None)
            left_s = None if wait_s is None else max(wait_s - time.monotonic(), 0)
            for key, _ in self._pick.select(left_s):
                key.data()
            self._send_late()

    def _hear(self) -> None:
        self._ear.recv(4096)
        while self._todo:
            self._todo.popleft()()

    def _send_late(self) -> None:
        now = time.monotonic()
        due = [entry for entry in self._late if entry[0] <= now]
        self._late = [entry for entry in self._late if entry[0] > now]
        for _, line, data in due:
            if line.open:
                self._write(line, line.client, data)

    def _open_door(self) -> None:
        if self._door is None:
            self._door = socket.socket(socket.AF_UNIX)
            self._door.bind(str(self.path))
            self._door.listen(128)
            self._pick.register(self._door, selectors.EVENT_READ, self._welcome)

    def _close_door(self) -> None:
        if self._door is not None:
            self._pick.unregister(self._door)
            self._door.close()
            self._door = None
            self.path.unlink()

    def _dial(self) -> socket.socket:
        line = socket.socket(socket.AF_UNIX)
        line.connect(str(self._server.socket))
        return line

    def _welcome(self) -> None:
        if self._door is None:  # closed in the same turn in which somebody knocked
            return
        client, _ = self._door.accept()
        try:
            server = self._dial()
        except OSError:
            client.close()
            return
        line = _Line(client, server)
        self._lines.add(line)
        self._pick.register(client, selectors.EVENT_READ, lambda: self._from_client(line))
        self._pick.register(server, selectors.EVENT_READ, lambda: self._from_server(line))

    def _hang_up(self, line: _Line) -> None:
        if line.open:
            line.open = False
            self._lines.discard(line)
            for end in (line.client, line.server):
                self._pick.unregister(end)
                end.close()

    def _read(self, line: _Line, end: socket.socket) -> bytes:
        """Read what is there; an end that is gone takes the other one with it."""
        data = b""
        with contextlib.suppress(OSError):
            data = end.recv(1 << 20) if line.open else b""
        if not data:
            self._hang_up(line)
        return b"" if self._silent else data

    def _write(self, line: _Line, end: socket.socket, data: bytes) -> None:
        try:
            end.sendall(data)
        except OSError:
            self._hang_up(line)

    # -- requests ---------------------------------------------------------------------------

    def _from_client(self, line: _Line) -> None:
        line.from_client += self._read(line, line.client)
        while line.open and (end := message_end(line.from_client)):
            raw, line.from_client = line.from_client[:end], line.from_client[end:]
            self._request(line, raw)

    def _request(self, line: _Line, raw: bytes) -> None:
        number, fault = self._count(raw)
        if fault.before:
            fault.before()
        if fault.cut_request is not None:
            self._write(line, line.server, raw[: fault.cut_request])
            self._hang_up(line)
            return
        copies = 2 if fault.twice else 1
        line.under_way.append(_Request(number, fault, copies))
        self._write(line, line.server, raw * copies)

    def _count(self, raw: bytes) -> tuple[int, Fault]:
        with self._lock:
            words = words_of(raw)
            if words[0].upper() in GREETINGS or (words[1:2] and words[1] in self._uncounted):
                return -1, _PASS
            number = len(self.seen)
            self.seen.append(raw)
            return number, self._faults.get(number, _PASS)

    # -- replies ----------------------------------------------------------------------------

    def _from_server(self, line: _Line) -> None:
        line.from_server += self._read(line, line.server)
        while line.open and (end := message_end(line.from_server)):
            raw, line.from_server = line.from_server[:end], line.from_server[end:]
            self._reply(line, raw)

    def _reply(self, line: _Line, raw: bytes) -> None:
        if not line.under_way:  # what a subscription brings was not asked for
            self._write(line, line.client, raw)
            return
        request = line.under_way[0]
        request.replies_left -= 1
        if not request.replies_left:
            line.under_way.popleft()
        fault = request.fault
        self.replies[request.number] = raw
        if fault.twice and fault.answer_second == bool(request.replies_left):
            return
        if fault.after:
            fault.after()
        self._answer(line, fault, raw)

    def _answer(self, line: _Line, fault: Fault, raw: bytes) -> None:
        if fault.drop_reply:
            return
        if fault.cut_reply is not None:
            self._write(line, line.client, raw[: fault.cut_reply])
            self._hang_up(line)
        elif fault.delay_s:
            self._late.append((time.monotonic() + fault.delay_s, line, raw))
        else:
            self._write(line, line.client, raw * (2 if fault.echo else 1))

"""The line or the server breaks at every single request of a full life cycle.

Whatever breaks and wherever: each job ends once, and none is started more often than it was
handed out on purpose.
"""

import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from limpet.link.aio import link as async_link
from limpet.link.sync import link as sync_link
from tests.faults.lives import check_rest, live, load_scripts
from tests.support.flavours import Loop, open_limpet
from tests.support.proxy import Fault, Proxy
from tests.support.servers import Server

OPTIONS = {"timeout": 20, "heartbeat": 0.2, "lease": 1.0}
#: How long a client waits for one answer here, and how long the server stands still.
ANSWER_S, FREEZE_S = 0.25, 0.4

Cast = tuple[Any, Any, Any]


@pytest.fixture(scope="module")
def durable() -> Iterator[Server]:
    """A server that keeps what it acknowledged, also when it is killed."""
    running = Server("--appendonly", "yes", "--appendfsync", "always").start()
    yield running
    running.remove()


@pytest.fixture
def line(durable: Server) -> Iterator[Proxy]:
    """A line to that server, which is empty."""
    with durable.client() as plain:
        plain.flushall()
    proxy = Proxy(durable, uncounted=("beat", "tend", "holds"))
    yield proxy
    proxy.close()


@pytest.fixture(autouse=True)
def impatience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make clients ask again soon."""
    monkeypatch.setattr(sync_link, "SOCKET_TIMEOUT_S", ANSWER_S)
    monkeypatch.setattr(async_link, "SOCKET_TIMEOUT_S", ANSWER_S)


@pytest.fixture
def actors(request: pytest.FixtureRequest, loop: Loop, line: Proxy) -> Iterator[Cast]:
    """Who pushes, who works, and who works too: one client in all roles, or one for each."""
    flavour, count = request.param
    clients = [open_limpet(flavour, loop, line.url, **OPTIONS) for _ in range(count)]
    yield (clients[0], clients[-1], clients[count // 2])
    for client in clients:
        client.close()


def cast(*casts: tuple[str, int]) -> pytest.MarkDecorator:
    """Choose flavours and numbers of clients."""
    names = [f"{count} {flavour}" for flavour, count in casts]
    return pytest.mark.parametrize("actors", casts, indirect=True, ids=names)


#: Faults that take no time are tried with all casts, those that do with fewer.
all_casts = cast(("sync", 1), ("sync", 3), ("async", 1), ("async", 3))


def try_all(durable: Server, line: Proxy, actors: Cast, fault_at: Callable[[int], Fault]) -> None:
    """Live once for each request of a life, with a fault at that request."""
    load_scripts(durable)
    line.forget()
    live("without", *actors)
    count = len(line.seen)
    assert count >= 11

    for number in range(count):
        load_scripts(durable)
        queue = f"at {number}"
        line.arm(fault_at(number))
        live(queue, *actors)
        assert len(line.seen) > number
        line.forget()
        check_rest(queue, actors[0])
        for actor in set(actors):
            actor.stop_work(queue)


@all_casts
def test_cut_before_any_request(durable: Server, line: Proxy, actors: Cast) -> None:
    """The request never arrives."""
    try_all(durable, line, actors, lambda k: Fault(k, cut_request=0))


@all_casts
def test_cut_after_any_request(durable: Server, line: Proxy, actors: Cast) -> None:
    """The server does it and the answer never arrives."""
    try_all(durable, line, actors, lambda k: Fault(k, cut_reply=0))


@cast(("async", 1))
def test_any_answer_may_never_come(durable: Server, line: Proxy, actors: Cast) -> None:
    """The server does it, the line looks alive, and nothing comes: the client asks elsewhere."""
    try_all(durable, line, actors, lambda k: Fault(k, drop_reply=True))


@cast(("sync", 3))
def test_the_server_freezes_at_any_request(durable: Server, line: Proxy, actors: Cast) -> None:
    """It stands still for longer than a client waits for an answer, then does all it was sent."""

    def freeze() -> None:
        durable.signal(signal.SIGSTOP)
        threading.Timer(FREEZE_S, durable.signal, [signal.SIGCONT]).start()

    try_all(durable, line, actors, lambda k: Fault(k, before=freeze))


@cast(("sync", 3))
def test_the_server_dies_before_any_request(durable: Server, line: Proxy, actors: Cast) -> None:
    """It is killed and comes back with what it had acknowledged."""
    try_all(durable, line, actors, lambda k: Fault(k, before=lambda: restart(durable)))


@cast(("async", 1))
def test_the_server_dies_after_any_request(durable: Server, line: Proxy, actors: Cast) -> None:
    """It is killed when it has done the work and written it down, before the answer arrives."""
    try_all(durable, line, actors, lambda k: Fault(k, after=lambda: restart(durable), cut_reply=0))


def restart(server: Server) -> None:
    """Kill the server and start it on the same data."""
    server.kill()
    server.start()

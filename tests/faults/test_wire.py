"""Smaller mishaps on the line: late and unasked answers, forgotten scripts, another server."""

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import redis

from limpet import BackendError
from tests.faults.lives import check_rest, live
from tests.faults.states import replica
from tests.support.proxy import Fault, Proxy
from tests.support.servers import Server
from tests.support.waiting import wait_until

Connect = Callable[..., Any]


@pytest.fixture
def other() -> Iterator[Server]:
    """A second server."""
    running = Server().start()
    yield running
    running.remove()


def test_scripts_may_be_forgotten_at_any_moment(connect: Connect, plain: redis.Redis) -> None:
    """SCRIPT FLUSH again and again, in the middle of everything: nobody notices."""
    actors, done = (connect(), connect(), connect()), threading.Event()

    def flush() -> None:
        with redis.Redis(connection_pool=plain.connection_pool) as flusher:
            while not done.is_set():
                flusher.script_flush()

    flusher = threading.Thread(target=flush)
    flusher.start()
    for n in range(15):
        live(f"q{n}", *actors)
    done.set()
    flusher.join()

    for n in range(15):
        check_rest(f"q{n}", actors[0])


@pytest.mark.usefixtures("no_heartbeat")
def test_an_answer_that_comes_too_late_is_not_taken_for_the_next_one(
    proxy: Proxy, through: Connect
) -> None:
    """The connection it was meant for is given up; nothing on it is ever read again."""
    queue = through(timeout=1.0).queue("q")
    queue.push(b"a")
    proxy.arm(Fault(0, delay_s=0.7))

    ids = [queue.push(b"%d" % n).id for n in range(50)]

    assert len(set(ids)) == 50
    assert [job.id for job in queue.inspect(1, 50)] == ids


@pytest.mark.usefixtures("no_heartbeat")
def test_bytes_nobody_asked_for_are_not_taken_for_an_answer(proxy: Proxy, through: Connect) -> None:
    """A connection that holds something when it should hold nothing is not used any more."""
    queue = through().queue("q")
    queue.push(b"a")

    for n in range(20):
        proxy.arm(Fault(0, echo=True))
        pushed = queue.push(b"%d" % n)
        proxy.wait_for(1)
        assert queue.job(pushed.id).payload == b"%d" % n


def test_behind_the_same_address_may_be_another_server(
    proxy: Proxy, server: Server, other: Server, through: Connect
) -> None:
    """An old primary is still there and refuses to write: new connections find the new one."""
    queue = through(timeout=20).queue("q")
    queue.push(b"old")

    with replica(server):
        proxy.lead_to(other)
        queue.push(b"new")

    with other.client() as plain:
        assert plain.hvals("limpet:{q}:jobs") == [b"new"]


def test_events_go_on_after_a_cut(proxy: Proxy, through: Connect, connect: Connect) -> None:
    """Whoever listens is connected again by itself; what happened meanwhile is not told."""
    queue = connect().queue("q")
    with through().queue("q").events() as events:
        queue.push(b"a")
        first = events.next(within=10)
        proxy.refuse()
        started = time.process_time()
        assert events.next(within=0.3) is None
        spent_s = time.process_time() - started
        proxy.admit()
        wait_until(lambda: events.next(within=0.1) is None and queue.push(b"b") and events.next())

    assert (first.kind, first.count) == ("work", 1)
    assert spent_s < 0.25  # it waited, it did not spin


def test_events_of_a_server_that_is_gone_are_an_error(connect: Connect) -> None:
    """Who wants to be told from now on must know that nobody will tell."""
    events = connect("unix:///nowhere/limpet.sock", timeout=0.2).queue("q").events()

    with pytest.raises(BackendError, match="cannot be reached"):
        events.open()

"""The server is away, or there and not willing: what callers see, and what the log says."""

import logging
import time
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from limpet import BackendError, QueueFull
from tests.concurrency.calls import Call
from tests.faults.states import STATES, full
from tests.support.proxy import Proxy
from tests.support.servers import Server
from tests.support.waiting import wait_until

Connect = Callable[..., Any]
#: How late an answer may be on a busy machine.
NOISE_S = 5.0


@pytest.fixture
def mine() -> Iterator[Server]:
    """A server of this test alone, to be killed and started again."""
    running = Server("--enable-protected-configs", "yes").start()
    yield running
    running.remove()


def seconds_to_fail(call: Callable[..., Any], *args: Any, **options: Any) -> float:
    """Call what must raise `BackendError`; answers how long that took."""
    started = time.monotonic()
    with pytest.raises(BackendError, match="cannot be reached"):
        call(*args, **options)
    return time.monotonic() - started


def test_a_server_that_is_gone_is_told_after_the_callers_timeout(connect: Connect) -> None:
    """Every call tries for as long as it may, not much longer, and says what to look at."""
    limpet = connect("unix:///nowhere/limpet.sock", timeout=0.4)
    queue = limpet.queue("q")

    for call in (lambda: queue.push(b"a"), queue.pop, lambda: queue.pop(wait=0.2), limpet.ping):
        assert 0.4 <= seconds_to_fail(call) < 0.4 + NOISE_S


def test_a_server_that_says_nothing_is_told_too(proxy: Proxy, through: Connect) -> None:
    """A line that looks alive and brings no answer is given up in time."""
    limpet = through(timeout=0.4)
    queue = limpet.queue("q")
    queue.push(b"a")
    limpet.start_work("q")
    proxy.fall_silent()

    for call in (lambda: queue.push(b"b"), queue.pop, lambda: queue.pop(wait=0.2), limpet.ping):
        assert seconds_to_fail(call) < 2.0 + NOISE_S
    proxy.speak()
    assert [d.payload for d in queue.pop(count=9)] == [b"a"]


def test_waiting_for_work_ends_in_time_when_the_server_falls_silent(
    proxy: Proxy, through: Connect
) -> None:
    """A pop that is waiting does not hang on a dead line: it ends after its wait and timeout."""
    queue = through(timeout=0.5).queue("q")
    call = Call(queue.pop, wait=0.7)
    wait_until(lambda: "BLPOP" in proxy.names)
    proxy.fall_silent()

    with pytest.raises(BackendError):
        call.result(within=4.0 + NOISE_S)


def test_the_same_client_goes_on_when_the_server_is_back(mine: Server, connect: Connect) -> None:
    """Nothing has to be opened again: calls, waiting, the worker, all come back by themselves."""
    limpet = connect(mine.url, timeout=0.3)
    queue = limpet.queue("q")
    queue.push(b"a")
    queue.pop()
    mine.kill()
    with pytest.raises(BackendError):
        queue.push(b"b")

    mine.start()

    wait_until(lambda: limpet._heart is None or limpet._heart.lost)  # the data is gone too
    queue.push(b"c")
    assert queue.stats().waiting == 1


def test_a_call_outlasts_a_short_absence(mine: Server, connect: Connect) -> None:
    """Who calls while the server is away gets an answer if it comes back in time."""
    queue = connect(mine.url, timeout=30).queue("q")
    mine.kill()
    call = Call(queue.push, b"a")
    waiting = Call(connect(mine.url, timeout=30).queue("q").pop, wait=30)

    mine.start()

    pushed = call.result(within=20)
    assert [d.id for d in waiting.result(within=20)] == [pushed.id]


def lines(caplog: pytest.LogCaptureFixture) -> list[tuple[int, str]]:
    """What limpet logged: level and the part of the text that tells what happened."""
    found = [r for r in caplog.records if r.name == "limpet"]
    return [(r.levelno, "again" if "again after" in r.getMessage() else "away") for r in found]


def test_the_log_tells_each_change_once(
    mine: Server, connect: Connect, caplog: pytest.LogCaptureFixture
) -> None:
    """However many calls fail, and however often the heart beats in vain: one line each way."""
    caplog.set_level(logging.DEBUG, "limpet")
    limpet = connect(mine.url, timeout=0.2, heartbeat=0.05, lease=1000)
    queue = limpet.queue("q")
    queue.pop()

    for _ in range(2):
        caplog.clear()
        mine.kill()
        for _ in range(4):
            seconds_to_fail(queue.push, b"a")
        mine.start()
        limpet.ping()
        wait_until(lambda: len(lines(caplog)) >= 2)
        assert lines(caplog)[:2] == [(logging.WARNING, "away"), (logging.INFO, "again")]
    limpet.ping()


def test_a_line_that_breaks_and_heals_at_once_is_not_worth_a_word(
    proxy: Proxy, through: Connect, caplog: pytest.LogCaptureFixture
) -> None:
    """Idle connections are cut every day; the next call just makes a new one."""
    caplog.set_level(logging.DEBUG, "limpet")
    limpet = through()
    limpet.ping()

    for _ in range(5):
        proxy.cut()
        limpet.ping()

    assert lines(caplog) == []


def test_the_password_is_told_to_nobody(connect: Connect, caplog: pytest.LogCaptureFixture) -> None:
    """Not in the log, in errors and their causes, in tracebacks, nor in what objects show."""
    caplog.set_level(logging.DEBUG)
    server = Server(tcp=True).start()
    with server.client() as plain:
        plain.config_set("requirepass", "hunter2")
    good = server.url.replace("://", "://:hunter2@")
    wrong = server.url.replace("://", "://user:hunter3@")
    shown: list[object] = []

    limpet, stranger = connect(good, timeout=0.2), connect(wrong, timeout=5)
    queue = limpet.queue("q")
    queue.push(b"a")
    shown += [limpet, queue, limpet.link, limpet.link.target, queue.pop(), limpet.workers()]
    with pytest.raises(BackendError, match="refused the user or password") as refused:
        stranger.ping()
    server.kill()
    with pytest.raises(BackendError) as gone:
        queue.push(b"b")
    limpet.close()
    server.remove()

    for error in (refused.value, gone.value):
        shown += [error, *traceback.format_exception(error)]
    texts = [caplog.text, *map(repr, shown), *map(str, shown)]
    assert "***@127.0.0.1" in str(gone.value)
    assert [text for text in texts if "hunter2" in text or "hunter3" in text] == []


@pytest.mark.parametrize("state", STATES)
def test_a_call_waits_until_the_server_is_willing(
    mine: Server, connect: Connect, state: str
) -> None:
    """What passes by is waited for; a caller with time left sees none of it."""
    limpet = connect(mine.url, timeout=30, lease=60)
    queue = limpet.queue("q")
    with STATES[state](mine):
        call = Call(queue.push, b"a")
        wait_until(lambda: limpet.link.contact.lost)
        assert not call.done

    pushed = call.result(within=20)
    assert [job.id for job in queue.inspect()] == [pushed.id]


@pytest.mark.parametrize("state", STATES)
def test_a_server_that_stays_unwilling_is_told_clearly(
    mine: Server, connect: Connect, state: str
) -> None:
    """The error names the reason, and that nothing was done."""
    words = {
        "a replica": "is a read-only replica; use the address of the primary",
        "without replicas": "NOREPLICAS",
        "unable to save": "MISCONF",
        "busy": "BUSY",
        "loading": "is still loading its data",
    }
    queue = connect(mine.url, timeout=0.8).queue("q")
    with STATES[state](mine), pytest.raises(BackendError, match=words[state]) as error:
        queue.push(b"a")

    assert not error.value.maybe_done
    assert queue.stats().waiting == 0


def test_a_full_server_refuses_pushes_and_drains(mine: Server, connect: Connect) -> None:
    """Nothing new gets in; taking, ending and giving back go on, also for a worker that is new."""
    old = connect(mine.url, heartbeat=0.1, lease=1)
    queue = old.queue("q")
    queue.push_many([b"%d" % n for n in range(6)])
    first = queue.pop()
    with full(mine):
        for push in (lambda: queue.push(b"x"), lambda: connect(mine.url).queue("new").push(b"y")):
            with pytest.raises(QueueFull, match="no memory left") as error:
                push()
            assert not error.value.maybe_done

        new = connect(mine.url).queue("q")
        a, b, c, d, e = new.pop(count=5)
        assert queue.ack(*first)
        assert new.release(a) == [a.id]
        assert new.retry(b, 60)
        assert new.fail(c, "no")
        acked, (again,) = new.ack_and_pop([d])
        assert queue.cancel(id=e.id) == 1
        assert queue.renew().lost == ()

    assert (acked, again.id) == ([d.id], a.id)
    assert queue.push(b"x").created
    assert queue.verify().ok

"""The line is cut at every single byte of every request and of every reply.

The client sends again by itself. The caller gets the answer it would have got on a good line, the
server has done the work once, and those who listen to events heard of it once.
"""

from collections.abc import Callable
from typing import Any

import pytest
import redis

from tests.faults.operations import OPERATIONS, START_US, Stage
from tests.support.flavours import Loop, open_limpet
from tests.support.proxy import Fault, Proxy
from tests.support.snapshot import everything

pytestmark = pytest.mark.usefixtures("at_once", "no_heartbeat")

Outcome = tuple[Any, dict[str, Any], list[bytes]]


class Theatre:
    """Plays one operation on a fresh stage, with faults or without."""

    def __init__(
        self, name: str, flavour: str, plain: redis.Redis, proxy: Proxy, loop: Loop
    ) -> None:
        """Play it twice without faults: only then does the server know all its scripts."""
        self.prepare, self.act = OPERATIONS[name]
        self.flavour, self.plain, self.proxy, self.loop = flavour, plain, proxy, loop
        #: The requests of the last play and the replies to them.
        self.requests: list[bytes] = []
        self.replies: dict[int, bytes] = {}
        self.play()
        #: What must come of it on whatever line.
        self.wanted = self.play()

    def play(self, *faults: Fault, late: bool = False) -> Outcome:
        """Prepare, break the line like this, act; answers all that came of it.

        With `late`, copies of all requests reach the server once more when all is over.
        """
        self.plain.flushall()
        limpet = self._limpet()
        stage = Stage(limpet, self.plain)
        given = self.prepare(stage)
        with self.plain.pubsub() as ears:
            ears.psubscribe("limpet:*")
            ears.get_message(timeout=5)
            self.proxy.arm(*faults)
            answer = self.act(stage, given)
            self.requests, self.replies = list(self.proxy.seen), dict(self.proxy.replies)
            for raw in self.requests if late else ():
                self.proxy.replay(raw)
            left, heard = everything(self.plain), self._heard(ears)
        self.proxy.forget()
        limpet.close()
        return answer, left, heard

    def _limpet(self) -> Any:
        """A client whose sender, worker and time are always the same."""
        limpet = open_limpet(self.flavour, self.loop, self.proxy.url, timeout=50)
        limpet.start_worker()
        inner = getattr(limpet, "inner", limpet)
        inner.link.at_us, inner.link._lanes._stem, inner._heart.worker = str(START_US), "s", "w"
        return limpet

    def _heard(self, ears: Any) -> list[bytes]:
        """What was published until now: our own word ends it."""
        self.plain.publish("limpet:end", b"end")
        heard: list[bytes] = []
        while heard[-1:] != [b"end"]:
            message = ears.get_message(ignore_subscribe_messages=True, timeout=5)
            heard += [message["data"]] if message else []
        return heard

    def cut_requests(self, step: int) -> None:
        """Cut each request at every `step`-th byte, one attempt after the other."""
        whole = self.requests
        for number, raw in enumerate(whole):
            places = range(0, len(raw), step)
            faults = [Fault(number + n, cut_request=place) for n, place in enumerate(places)]
            assert self.play(*faults) == self.wanted
            assert len(self.requests) == len(whole) + len(places)

    def cut_replies(self, step: int) -> None:
        """Cut each reply at every `step`-th byte, one attempt after the other, and at its end."""
        whole, replies = self.requests, self.replies
        for number in range(len(whole)):
            size = len(replies[number])
            places = [*range(0, size, step), size]
            faults = [Fault(number + n, cut_reply=place) for n, place in enumerate(places)]
            assert self.play(*faults) == self.wanted
            assert len(self.requests) == len(whole) + len(places) - 1


@pytest.fixture
def theatre(plain: redis.Redis, proxy: Proxy, loop: Loop) -> Callable[[str, str], Theatre]:
    """Make a theatre for an operation and a flavour."""
    return lambda name, flavour: Theatre(name, flavour, plain, proxy, loop)


@pytest.mark.parametrize("name", OPERATIONS)
def test_the_line_may_be_cut_at_any_byte(name: str, theatre: Callable[[str, str], Theatre]) -> None:
    """Part of a request does nothing; a request whose reply broke off is answered, not redone."""
    play = theatre(name, "sync")

    play.cut_replies(1)
    play.play()
    play.cut_requests(1)


@pytest.mark.parametrize("name", OPERATIONS)
def test_the_asyncio_line_may_be_cut_too(name: str, theatre: Callable[[str, str], Theatre]) -> None:
    """The same for the other flavour, which reads and writes with other code: at fewer places."""
    play = theatre(name, "async")

    play.cut_replies(13)
    play.play()
    play.cut_requests(97)


@pytest.mark.parametrize("name", OPERATIONS)
def test_a_request_that_comes_twice_is_done_once(
    name: str, theatre: Callable[[str, str], Theatre]
) -> None:
    """Each request, doubled on the way: at once, with either answer, or when all is long over."""
    play = theatre(name, "sync")

    for number, _ in enumerate(play.requests):
        assert play.play(Fault(number, twice=True)) == play.wanted
        assert play.play(Fault(number, twice=True, answer_second=True)) == play.wanted
    assert play.play(late=True) == play.wanted

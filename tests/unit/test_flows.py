"""Flows are stepped by hand, without any server."""

from limpet.commands.base import Command
from limpet.commands.take import Taken
from limpet.commands.workers import Tended
from limpet.flows import pop as pop_flows
from limpet.flows.base import Rest, Wait, Woken
from limpet.flows.pop import Asker, Source
from limpet.hands import Hands
from limpet.keys import queue_keys
from limpet.link.lanes import Lanes, backoff_s
from limpet.options import Policy
from limpet.values import Delivery, Receipt

JOB = Delivery("a", "1-1", b"x", Receipt("1-1", 1), 1, 1, 1)
SOURCES = [Source(queue_keys(name), Policy()) for name in ("a", "b")]
ASKER = Asker("w", lambda: "none")


def name_of(step: object) -> str:
    """The script of a step, or the kind of waiting."""
    return step.script.name if isinstance(step, Command) else type(step).__name__


def test_pop_keeps_house_when_asked_and_then_takes() -> None:
    """The answer "tend" leads to housekeeping until nothing is left, then to a second pop."""
    flow = pop_flows.pop(SOURCES[:1], ASKER, 1, 0)

    answers = (Taken(tend=True), Tended(1, 1, True), Tended(0, 0, False))
    steps = [name_of(next(flow)), *[name_of(flow.send(answer)) for answer in answers]]
    try:
        flow.send(Taken([JOB]))
    except StopIteration as done:
        found = done.value

    assert steps == ["pop", "tend", "tend", "pop"]
    assert found == [JOB]


def test_pop_waits_no_longer_than_the_next_due_time() -> None:
    """The wait on the server is bounded by the next due job, by what is left, and by the cap."""
    flow = pop_flows.pop(SOURCES[:1], ASKER, 1, 60_000)

    next(flow)
    first = flow.send(Taken(due_in_ms=250))
    flow.send(Woken(None, 250))
    second = flow.send(Taken())

    assert isinstance(first, Wait)
    assert first.for_ms == 251
    assert isinstance(second, Wait)
    assert second.for_ms == pop_flows.MAX_WAIT_MS


def test_a_woken_pop_looks_at_the_queue_that_called() -> None:
    """With several queues, the one whose token came is asked; without a token all are."""
    flow = pop_flows.pop(SOURCES, ASKER, 1, 60_000)
    next(flow)
    flow.send(Taken())
    flow.send(Taken())

    called = flow.send(Woken(SOURCES[1].keys["wake"], 5))

    assert isinstance(called, Command)
    assert called.queue == "b"


def test_a_draining_worker_rests_instead_of_taking_the_token_of_others() -> None:
    """Who must run empty first does not listen for work meanwhile."""
    flow = pop_flows.pop(SOURCES[:1], ASKER, 1, 60_000)
    next(flow)

    assert isinstance(flow.send(Taken(draining=True)), Rest)


def test_the_burden_follows_what_is_in_hand() -> None:
    """Nothing, plain jobs, a suspect, and the last chance of one are told apart."""
    hands = Hands()
    suspect = Delivery("a", "1-2", b"x", Receipt("1-2", 1), 1, 1, 1, crashes=1)
    last = Delivery("a", "1-3", b"x", Receipt("1-3", 1), 1, 1, 1, crashes=2)

    seen = [hands.burden]
    for delivery in (JOB, suspect, last):
        hands.take([delivery], crash_limit=3)
        seen.append(hands.burden)
    hands.drop([last.receipt])
    seen.append(hands.burden)

    assert seen == ["none", "plain", "suspect", "alone", "suspect"]


def test_a_lane_is_used_by_one_request_at_a_time() -> None:
    """Requests under way have lanes of their own; a lane given back counts on."""
    lanes = Lanes()

    one, two = lanes.take(), lanes.take()
    lanes.give(one)
    three = lanes.take()

    assert one.name != two.name
    assert (three.name, three.seq) == (one.name, 2)


def test_the_backoff_is_bounded() -> None:
    """Waiting between attempts grows from about 20 ms to at most half a second."""
    assert 0.01 <= backoff_s(0) <= 0.02
    assert all(0.25 <= backoff_s(n) <= 0.5 for n in range(6, 60))

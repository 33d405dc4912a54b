"""The wire between parent and child."""

import socket
from collections.abc import Iterator

import pytest

from limpet.errors import ConfigError
from limpet.worker.plan import Plan
from limpet.worker.wire import Bye, CannotStart, Message, Ready, Sign, Told, Wire, read, write

READY = Ready(
    worker="w-1",
    queues={"mail": (3, 1000), "ä": (0, 0)},
    url="redis://:secret@host",
    home=None,
    source="LIMPET_URL",
    lease_ms=None,
    tasks=2,
    files=("/a.py",),
)


@pytest.fixture
def ends() -> Iterator[tuple[Wire, Wire]]:
    """Both ends of a wire."""
    one, other = socket.socketpair()
    with one, other:
        yield Wire(one), Wire(other)


@pytest.mark.parametrize(
    "message", [READY, CannotStart("why", 2), Sign(1.5), Sign(), Bye(), Told("now")]
)
def test_a_message_arrives_as_it_was_sent(message: Message) -> None:
    """Each kind is read as it was written."""
    assert read(write(message)) == message


def test_messages_keep_their_order_also_in_pieces(ends: tuple[Wire, Wire]) -> None:
    """A line may come in two parts; what is complete is told at once."""
    near, far = ends
    line = write(READY)

    near.tell(Sign())
    near.end.send(line[:20])
    first = far.listen()
    near.end.send(line[20:])

    assert (first, far.listen(), far.closed) == ([Sign()], [READY], False)


def test_the_end_of_the_other_side_is_seen_after_its_last_words(ends: tuple[Wire, Wire]) -> None:
    """What a child said before it died is heard."""
    near, far = ends

    near.tell(CannotStart("why", 2))
    near.close()

    assert far.listen() == [CannotStart("why", 2)]
    assert far.closed
    assert not far.tell(Told("stop"))


def test_a_sign_of_life_never_waits(ends: tuple[Wire, Wire]) -> None:
    """If nobody reads, signs are dropped instead of stopping the child; lines stay whole."""
    near, far = ends

    while near.tell(Sign(1.0)):
        pass

    assert set(far.listen()) == {Sign(1.0)}


def test_a_plan_survives_the_way_to_the_child() -> None:
    """All options arrive."""
    plan = Plan("shop:app", "high=3,low=1", processes=2, lease=None, url="redis://host")

    assert Plan.from_json(plan.to_json()) == plan


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"concurrency": 0}, "concurrency must be"),
        ({"processes": 0}, "processes must be"),
        ({"grace": "soon"}, "grace is 'soon'"),
        ({"lease": "1s"}, "must be longer than heartbeat"),
        ({"name": "a b"}, "worker name"),
        ({"log_level": "loud"}, "log level"),
        ({"burst": True, "reload": True}, "choose one"),
    ],
)
def test_nonsense_is_refused_before_anything_starts(options: dict[str, object], said: str) -> None:
    """The rule stands in the error."""
    with pytest.raises(ConfigError, match=said):
        Plan("shop:app", **options)

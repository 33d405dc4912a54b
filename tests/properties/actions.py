"""What may happen in a run of the state machine, and how often.

An action is a tuple: the name of a method of `QueueMachine` and its arguments. Names are few and
numbers small, so that requests collide and failures shrink to something readable.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from limpet.options import WorkerOptions
from limpet.states import State

MS = 1000
OPTIONS = (
    WorkerOptions(heartbeat=1, lease=3),
    WorkerOptions(heartbeat=1, lease=10),
    WorkerOptions(heartbeat=1, lease=None),
)
FORTH_US = (1, MS, 50 * MS, 999 * MS, 1500 * MS, 5000 * MS, 11_000 * MS, 60_000 * MS)
HOUR_US = 3_600_000 * MS
BACK_US = (-1, -MS, -2500 * MS, -HOUR_US)

WAITING, RUNNING = (b"=w", "waiting"), (b"=r", "running")
MIXED_MODES = ((b"=\xff", "waiting"), (b"=\xff", "running"))
ONE, TWO = (b"one", 1), (b"two\x00", 2)
MIXED_LIMITS = ((b"\xff", 1), (b"\xff", 2))


@dataclass(frozen=True, slots=True)
class Theme:
    """What the jobs of one run are like: each value is as likely as it is often in its list."""

    marks: tuple[Any, ...] = (None,)
    locks: tuple[Any, ...] = (None,)
    whens: tuple[Any, ...] = (None, None, None, None, ("delay", 900), ("at", -5), ("at", 3000))
    ids: tuple[Any, ...] = (None, None, None, "x")
    fronts: tuple[bool, ...] = (False, False, False, True)


THEMES = (
    Theme(),
    Theme(marks=(None, WAITING, WAITING, RUNNING)),
    Theme(locks=(None, ONE, ONE, TWO, TWO)),
    Theme(marks=(None, WAITING, RUNNING), locks=(None, ONE, TWO)),
    Theme(marks=(WAITING,), locks=(ONE,), ids=(None,), fronts=(False,)),
    Theme(whens=(None,), ids=("x", "own-7", None), fronts=(False,)),
    Theme(
        marks=(None, WAITING, RUNNING, *MIXED_MODES),
        locks=(None, ONE, TWO, *MIXED_LIMITS),
        whens=(None, None, ("delay", 0), ("delay", 900), ("delay", 60_000), ("at", 3000)),
        ids=(None, None, "x", "own-7"),
    ),
)

_payload = st.sampled_from((b"a", b"b", b"", b"\x00\xff"))
_count = st.integers(1, 5)
_nth = st.integers(0, 11)
_some = st.lists(_nth, min_size=1, max_size=4)
_delay = st.sampled_from((0, 1, 700, 5000, 3_600_000))
_age = st.sampled_from((0, 1, 2000, 30_000))
_burden = st.sampled_from(("none", "none", "none", "none", "plain", "suspect", "alone"))
_limit = st.sampled_from((100, 100, 2, 1))
_job = st.tuples(_payload, _nth, _nth, _nth, _nth, _nth, st.booleans())
_jobs = st.lists(_job, min_size=1, max_size=3)
_yes = st.integers(0, 1)
_lane = st.sampled_from(("p1", "p2"))

#: name -> how often, and the strategies of its arguments.
ACTIONS: dict[str, tuple[int, tuple[st.SearchStrategy[Any], ...]]] = {
    "push_plain": (2, (st.lists(_payload, min_size=1, max_size=4), _lane)),
    "push": (12, (_jobs, _lane)),
    "pop": (5, (_nth, _count, _burden, _yes)),
    "tend_and_pop": (9, (_nth, _count)),
    "ack_and_pop": (3, (_nth, st.lists(_nth, max_size=3), _count, _burden)),
    "claim": (2, (_nth, _burden, _age, _yes)),
    "recover": (2, (_nth, _count, _age)),
    "resume": (2, (_nth, _nth, _age)),
    "ack": (4, (_nth, _some)),
    "fail": (2, (_nth, _nth, st.sampled_from((b"boom", b"bad luck \xc3\xa9")))),
    "release": (4, (_nth, _some, st.none() | _delay)),
    "retry": (2, (_nth, _nth, _delay)),
    "start_work": (4, (_nth, st.sampled_from(OPTIONS))),
    "stop_work": (1, (_nth, _limit)),
    "fail_worker": (1, (_nth,)),
    "die": (4, (_nth, _limit)),
    "kill_again": (2, (_nth, st.integers(1, 3))),
    "beat": (1, (_nth,)),
    "renew": (1, (_nth, _some)),
    "tend": (3, (_limit,)),
    "cancel": (4, (_some, st.none() | _payload)),
    "cancel_and_push": (2, (_jobs, _lane)),
    "wake_and_cancel": (2, (_some,)),
    "revive": (2, (st.lists(_nth, max_size=2), _count)),
    "purge": (1, (st.lists(_nth, max_size=2), _count)),
    "pause": (1, (st.integers(0, 3),)),
    "unpause": (2, ()),
    "drop": (1, (st.integers(0, 5),)),
    "pass_time": (4, (st.sampled_from((*FORTH_US, HOUR_US)),)),
    "jump": (1, (st.sampled_from((*FORTH_US, HOUR_US, *BACK_US)), _nth)),
    "flush_scripts": (1, (_nth,)),
    "take_token": (3, ()),
    "audit": (1, (st.sampled_from(("verify", "repair")),)),
    "look": (3, (st.sampled_from(tuple(State)), st.integers(-4, 6), _count)),
    "send_again": (6, (st.integers(0, 20),)),
    "abandon": (3, (st.integers(0, 3), _yes)),
}
_NAMES = tuple(name for name, (often, _) in ACTIONS.items() for _ in range(often))


@st.composite
def actions(draw: Callable[[Any], Any]) -> tuple[Any, ...]:
    """One action."""
    name = draw(st.sampled_from(_NAMES))
    return (name, *(draw(arg) for arg in ACTIONS[name][1]))

"""Retries: how often, after which errors, and after which while."""

import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limpet.errors import ConfigError
from limpet.tasks.options import retry_policy
from limpet.tasks.steering import Reject, Retry, Steering

DRAWS = st.floats(0, 1)
POLICIES = st.builds(
    Retry,
    st.integers(0, 1000),
    base=st.floats(0, 1e6),
    factor=st.floats(1, 1000),
    longest=st.floats(0, 1e6),
    jitter=st.booleans(),
)


@given(POLICIES, st.integers(0, 2000), DRAWS)
def test_a_wait_is_between_half_and_whole(policy: Retry, retries: int, draw: float) -> None:
    """No wait is longer than the longest, and with jitter none is shorter than its half."""
    wait = policy.next_ms(retries, draw)

    if retries >= policy.limit:
        assert wait is None
        return
    assert wait is not None
    whole = policy.changed(jitter=False).next_ms(retries, 0)
    assert whole is not None
    assert whole <= policy.longest_ms
    if policy.jitter:
        assert whole // 2 <= wait <= whole + 1
    else:
        assert wait == whole


@given(POLICIES, st.integers(0, 900), DRAWS)
def test_waits_never_get_shorter(policy: Retry, retries: int, draw: float) -> None:
    """For the same draw each wait is at least as long as the one before."""
    before, after = policy.next_ms(retries, draw), policy.next_ms(retries + 1, draw)

    if before is not None and after is not None:
        assert before <= after


@given(st.integers(0, 5), DRAWS, DRAWS)
def test_jitter_follows_the_draw(retries: int, one: float, other: float) -> None:
    """A larger draw is a longer wait: even draws give even waits."""
    low, high = sorted((one, other))
    policy = Retry(10)

    assert (policy.next_ms(retries, low) or 0) <= (policy.next_ms(retries, high) or 0)


def test_a_fixed_delay_does_not_grow() -> None:
    """`delay` is the wait itself, each time, without jitter."""
    policy = Retry(3, delay="10s")

    assert [policy.next_ms(n, 0.5) for n in range(4)] == [10_000, 10_000, 10_000, None]


def test_errors_are_chosen_by_class() -> None:
    """`on` says which are retried, `give_up_on` takes some of them out again."""
    policy = Retry(on=(OSError, KeyError), give_up_on=FileNotFoundError)

    assert policy.covers(TimeoutError())
    assert policy.covers(KeyError())
    assert not policy.covers(FileNotFoundError())
    assert not policy.covers(ValueError())
    assert not Retry().covers(KeyboardInterrupt())


def test_a_task_says_it_in_many_ways() -> None:
    """A number, a policy and the short options end in one policy."""
    assert retry_policy(None) is None
    assert retry_policy(5) == Retry(5)
    assert retry_policy(0) == Retry(0)
    assert retry_policy(None, retry_on=OSError) == Retry(on=OSError)
    assert retry_policy(5, give_up_on=(KeyError,)) == Retry(5, give_up_on=KeyError)
    assert retry_policy(Retry(9, base="5s"), retry_on=OSError) == Retry(9, base="5s", on=OSError)


@given(POLICIES)
def test_policies_cross_processes(policy: Retry) -> None:
    """A task in a process of its own can raise one."""
    arrived = pickle.loads(pickle.dumps(policy.changed(delay_ms=5)))

    assert arrived == policy.changed(delay_ms=5)
    assert hash(arrived) == hash(policy.changed(delay_ms=5))


def test_a_rejection_crosses_processes() -> None:
    """With its reason."""
    arrived = pickle.loads(pickle.dumps(Reject("no such customer")))

    assert (type(arrived), arrived.reason, str(arrived)) == (
        Reject,
        "no such customer",
        arrived.reason,
    )


def test_a_policy_says_what_it_is() -> None:
    """In a log all of it can be read."""
    assert repr(Retry(2, delay="5s")).startswith("Retry(limit=2, base_ms=1000, factor=2.0, ")
    assert "delay_ms=5000" in repr(Retry(delay="5s"))


def test_steering_is_no_error_of_ours() -> None:
    """Neither is caught by those who catch what limpet raises."""
    assert issubclass(Retry, Steering)
    assert issubclass(Reject, Steering)


@pytest.mark.parametrize(
    "wrong",
    [
        {"limit": -1},
        {"limit": 1.5},
        {"limit": True},
        {"limit": "5"},
        {"limit": 10**9},
        {"base": "soon"},
        {"base": -1},
        {"longest": None},
        {"factor": 0.5},
        {"factor": "2"},
        {"factor": float("nan")},
        {"on": "OSError"},
        {"on": [OSError]},
        {"give_up_on": (OSError, 5)},
        {"delay": -1},
    ],
)
def test_wrong_policies_are_refused(wrong: dict[str, Any]) -> None:
    """Each option is checked where it is said."""
    with pytest.raises(ConfigError):
        Retry(**wrong)

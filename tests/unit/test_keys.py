"""Key names are built in one place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limpet.errors import ConfigError
from limpet.identity import lock_key, unique_key
from limpet.keys import KEYS, queue_keys


@pytest.mark.parametrize("wrong", ["", "a{b", "a}b", "a\nb", "\0", "x" * 201, "ä" * 101, 7, None])
def test_bad_queue_names_are_refused(wrong: object) -> None:
    """Empty, too long, braces and control characters raise ConfigError."""
    with pytest.raises(ConfigError):
        queue_keys(wrong)  # type: ignore[arg-type]


@given(st.text(min_size=1, max_size=40), st.text(min_size=1, max_size=40))
def test_different_queues_share_no_key(one: str, other: str) -> None:
    """Two names that are accepted never lead to the same key."""
    try:
        first, second = queue_keys(one), queue_keys(other)
    except ConfigError:
        return
    names = tuple(spec.name for spec in KEYS)
    if one != other:
        assert not set(first.pick(names)) & set(second.pick(names))


def test_all_keys_of_a_queue_share_one_hash_tag() -> None:
    """Every key holds the queue's name in braces, so that all live in one slot."""
    keys = queue_keys("a:b c")

    assert all("{a:b c}" in keys[spec.name] for spec in KEYS)
    assert "{a:b c}" in keys.events


@given(st.binary(max_size=200), st.binary(max_size=200))
def test_different_identities_have_different_marks(one: bytes, other: bytes) -> None:
    """Short identities are kept as they are, long ones by digest; none collide."""
    assert (unique_key(one) == unique_key(other)) == (one == other)


def test_marks_are_stable() -> None:
    """The form of marks is part of what is stored: it must not change by accident."""
    assert unique_key(b"a") == b"=a"
    assert unique_key(b"x" * 65) == (
        b"#9537c5fdf120482f7d58d25e9ed583f52c02b4e304ea814db1633ad565aed7e9"
    )
    assert len(unique_key(b"x" * 10**6)) == 65
    assert lock_key(b"mail:7") == b"mail:7"
    assert lock_key(b"x" * 257).startswith(b"sha256:")

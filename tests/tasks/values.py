"""Values that can travel, drawn by Hypothesis."""

from datetime import UTC, timedelta, timezone
from typing import Any

from hypothesis import strategies as st

ZONES = st.sampled_from(
    [None, UTC, timezone(timedelta(hours=5, minutes=45)), timezone(-timedelta(hours=9))]
)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
KEYS = st.one_of(TEXT, st.integers(), st.uuids(), st.binary(max_size=5), st.tuples(st.integers()))
HASHABLE = st.one_of(
    TEXT,
    st.integers(),
    st.binary(max_size=10),
    st.uuids(),
    st.dates(),
    st.tuples(st.integers(), TEXT),
    st.frozensets(st.integers(), max_size=3),
)
SCALARS = st.one_of(
    HASHABLE,
    st.none(),
    st.booleans(),
    st.integers(-(10**40), 10**40),
    st.floats(allow_nan=False, allow_infinity=False),
    st.decimals(allow_nan=False, allow_infinity=False),
    st.datetimes(timezones=ZONES),
    st.times(),
    st.timedeltas(),
)


def _nest(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(TEXT, inner, max_size=4),
        st.dictionaries(TEXT.map("${}".format), inner, max_size=3),
        st.dictionaries(KEYS, inner, max_size=4),
        st.sets(HASHABLE, max_size=4),
    )


#: Whatever the codec lets through.
VALUES = st.recursive(SCALARS, _nest, max_leaves=12)

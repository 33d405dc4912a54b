"""adopt.lua."""

import pytest
import redis

from limpet.commands.push import NewJob, adopt
from tests.scripts.helpers import NOW, World, jid


def test_the_head_of_a_plain_list_moves_into_the_queue(world: World) -> None:
    """In its order and in one step; what is behind stays."""
    world.store.rpush("old", "a", "b", "c")

    reply, changed = world.step(adopt(world.keys, "old", [NewJob(b"a"), NewJob(b"b")]))

    assert reply == [b"adopted", 2, [b"range", 1, str(NOW).encode(), b"0", 2]]
    assert changed == {
        "clock": {"ms": str(NOW), "seq": "2"},
        "jobs": {jid(1): "a", jid(2): "b"},
        "old": ["c"],
        "waiting": [jid(1), jid(2)],
        "wake": ["1"],
    }


def test_marks_are_built_and_twins_become_one(world: World) -> None:
    """A twin leaves the list as well."""
    world.store.rpush("old", "a", "a")
    twins = [NewJob(b"a", unique=b"=a", mode="waiting")] * 2

    answer = world.run(adopt(world.keys, "old", twins))

    assert answer is not None
    assert [p.created for p in answer.pushed] == [True, False]
    after = world.snapshot()
    assert "old" not in after
    assert after["unique"] == {"=a": jid(1)}
    assert after["stats"] == {"refused": "1"}


@pytest.mark.parametrize("there", [["b", "a"], ["a"], []])
def test_another_head_by_now_moves_nothing(world: World, there: list[str]) -> None:
    """Somebody took from the list: the caller looks again."""
    if there:
        world.store.rpush("old", *there)

    made = adopt(world.keys, "old", [NewJob(b"a"), NewJob(b"b")])

    assert world.step(made) == ([b"changed"], {})
    assert world.run(made) is None


def test_a_source_that_is_no_list_is_refused(world: World) -> None:
    """Before anything is written."""
    world.store.set("old", "a")

    with pytest.raises(redis.ResponseError, match="WRONGTYPE"):
        world.send(adopt(world.keys, "old", [NewJob(b"a")]))

    assert world.snapshot() == {"old": "a"}


def test_the_same_request_is_answered_not_done_again(world: World) -> None:
    """Although the same payload is at the head again."""
    world.store.rpush("old", "a", "a")
    first = world.send(adopt(world.keys, "old", [NewJob(b"a")]), lane="l", seq=1)

    again = world.step(adopt(world.keys, "old", [NewJob(b"a")]), lane="l", seq=1)

    assert again == (first, {})

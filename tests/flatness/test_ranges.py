"""Every range that a script reads has an end: no key is read from one end to the other."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.flatness.counting import Bench
from tests.flatness.tours import tour
from tests.support.servers import Server

BY_POSITION = {"LRANGE", "ZRANGE", "ZREVRANGE"}
BY_VALUE = {"ZRANGEBYSCORE", "ZRANGEBYLEX", "ZREVRANGEBYSCORE", "ZREVRANGEBYLEX"}


@pytest.fixture
def watched() -> Iterator[Server]:
    """A server of its own that notes every command it is sent by a script."""
    running = Server().start()
    yield running
    running.remove()


def is_endless(words: list[str]) -> bool:
    """Whether a command reads from one end to the other."""
    if words[0] in BY_POSITION:
        return int(words[3]) < 0
    return words[0] in BY_VALUE and "LIMIT" not in words


def commands_of(watch: Any) -> Iterator[list[str]]:
    """Read what the server was sent, up to the mark."""
    while True:
        line = str(watch.next_command()["command"])
        if line.startswith("ECHO"):
            return
        yield [word.strip('"') for word in line.split(" ")]


def test_no_range_is_endless(watched: Server) -> None:
    """All ranges by position have an end, all ranges by value have a limit."""
    with watched.client() as plain, watched.client() as other, other.monitor() as watch:
        bench = Bench(watched.url, plain)
        tour(bench, waiting=300)
        bench.close()
        plain.echo("done")
        seen = list(commands_of(watch))

    ranges = [words for words in seen if words[0].upper() in BY_POSITION | BY_VALUE]
    assert len(ranges) > 20
    assert [words for words in ranges if is_endless([words[0].upper(), *words[1:]])] == []

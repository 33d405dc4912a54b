"""Worker processes that do nothing but beat: what fires schedules is their heart."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.support.puppets import Program
from tests.support.servers import Server

HEART = """
    import sys
    from limpet import Limpet

    with Limpet(sys.argv[1], name="heart", timeout="60s") as limpet:
        limpet.start_work("q")
        print("beating", flush=True)
        sys.stdin.readline()
"""
Hearts = Callable[[str, int], list[Program]]


@pytest.fixture
def hearts() -> Iterator[Hearts]:
    """Start so many workers of the queue on a server; they end with the test."""
    with ExitStack() as stack:

        def start(url: str, count: int) -> list[Program]:
            started = [stack.enter_context(Program(HEART, url)) for _ in range(count)]
            for program in started:
                assert program.hear() == "beating"
            return started

        yield start


@pytest.fixture
def durable() -> Iterator[Server]:
    """A server that has written everything to the disk before it answers."""
    running = Server("--appendonly", "yes", "--appendfsync", "always").start()
    yield running
    running.remove()

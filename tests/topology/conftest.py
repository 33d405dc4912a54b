"""Pairs of clients on any kind of server, in both flavours."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.support.flavours import Loop, open_limpet

Pair = Callable[..., tuple[Any, Any]]


@pytest.fixture
def pair(flavour: str, loop: Loop) -> Iterator[Pair]:
    """Open two clients of one flavour at an address; both are closed at the end."""
    opened: list[Any] = []

    def make(url: str, **options: Any) -> tuple[Any, Any]:
        opened.extend(open_limpet(flavour, loop, url, **options) for _ in range(2))
        return opened[-2], opened[-1]

    yield make
    for client in reversed(opened):
        client.close()

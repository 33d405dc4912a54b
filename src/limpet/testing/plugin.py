"""Fixtures for pytest: a real server for the run, and a stage on it for each test.

pytest loads this in every run where limpet is installed: nothing else is imported before a
fixture is used.
"""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from limpet.engine import Engine
    from limpet.testing.stage import Stage


@pytest.fixture(scope="session")
def limpet_server() -> "Iterator[Engine]":
    """A private server in a temporary directory, for the whole run; `.url` is its address."""
    import tempfile

    from limpet.engine import attach

    with (
        tempfile.TemporaryDirectory(prefix="limpet-test-", ignore_cleanup_errors=True) as home,
        attach(home) as engine,
    ):
        yield engine


@pytest.fixture
def limpet_stage(limpet_server: "Engine") -> "Iterator[Stage]":
    """A stage on the server, empty at the beginning of each test."""
    from limpet.testing.stage import Stage

    with Stage(limpet_server.url) as stage:
        yield stage

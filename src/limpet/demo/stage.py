"""The server of the demo: one of its own in a temporary home, or one that was named."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from limpet.connection.target import redacted, resolve


@dataclass(frozen=True, slots=True)
class Stage:
    """Where the demo runs, and how its processes find the way there."""

    url: str
    folder: Path
    environment: dict[str, str]
    shown: str


@contextmanager
def stage(url: str | None) -> Iterator[Stage]:
    """Make a server ready; afterwards nothing of it is left.

    Only --url and LIMPET_URL count as named: whoever set REDIS_URL for another program does not
    expect a demo there.
    """
    named = resolve(url) if url or os.environ.get("LIMPET_URL") else None
    with tempfile.TemporaryDirectory(prefix="limpet-demo-", ignore_cleanup_errors=True) as made:
        folder = Path(made)
        plain = {k: v for k, v in os.environ.items() if k not in {"LIMPET_URL", "REDIS_URL"}}
        if named is not None and named.url is not None:
            there = {**plain, "LIMPET_URL": named.url}
            yield Stage(named.url, folder, there, redacted(named.url))
            return
        from limpet.engine import attach, status

        home = folder / "home"
        with attach(home) as engine:
            shown = f"{status(home).version} in a temporary home"
            yield Stage(engine.url, folder, {**plain, "LIMPET_HOME": str(home)}, shown)

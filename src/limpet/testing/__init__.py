"""For tests of programs that use limpet: a real server, jobs run on demand, a clock to move.

With pytest there are fixtures: see `limpet.testing.plugin`. Names are fetched at first use, so
that a test run that uses none of them does not wait for them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from limpet.testing.death import WorkerKilled
    from limpet.testing.records import Found, Ran
    from limpet.testing.stage import Stage
else:
    _HOME_OF = {"Found": "records", "Ran": "records", "Stage": "stage", "WorkerKilled": "death"}

    def __getattr__(name: str) -> Any:
        """Fetch a public name from the module where it lives."""
        if name not in _HOME_OF:
            raise AttributeError(f"module 'limpet.testing' has no attribute {name!r}")
        return getattr(import_module(f"limpet.testing.{_HOME_OF[name]}"), name)


__all__ = ["Found", "Ran", "Stage", "WorkerKilled"]

"""The garbage collector: what is there when a worker starts stays, and need not be looked at."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def out_of_sight() -> Iterator[None]:
    """Keep modules, tasks and settings from being searched for garbage while jobs run.

    Thousands of jobs a second make the collector look often, and most of what it looks at was
    there before the first job.
    """
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()

"""Processes that run one role each, and can be killed like real ones.

They are forked from a small server that has limpet loaded but runs no thread, so a new one is there
within milliseconds and shares nothing with the test.
"""

import contextlib
import multiprocessing
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.connection import wait as wait_for_ends
from multiprocessing.context import ForkServerContext, ForkServerProcess
from typing import Any

Role = Callable[..., Any]


def context() -> ForkServerContext:
    """Get the context in which all processes of these tests are made."""
    made = multiprocessing.get_context("forkserver")
    made.set_forkserver_preload(["tests.concurrency.roles"])
    return made


@contextlib.contextmanager
def racers(count: int) -> Iterator[Callable[..., list[Any]]]:
    """Give a function that runs a role in that many processes at once and collects the answers."""
    with ProcessPoolExecutor(count, mp_context=context()) as pool:

        def race(role: Role, *args: Any) -> list[Any]:
            runs = [pool.submit(role, number, *args) for number in range(count)]
            return [run.result(timeout=50) for run in runs]

        yield race


class Crew:
    """Processes that go on until they are told, or killed."""

    def __init__(self) -> None:
        """Start with nobody."""
        self._context = context()
        self.living: list[ForkServerProcess] = []
        self.deaths = 0

    def hire(self, role: Role, *args: Any) -> ForkServerProcess:
        """Start one process."""
        process = self._context.Process(target=role, args=args, daemon=True)
        process.start()
        self.living.append(process)
        return process

    def kill(self, process: ForkServerProcess) -> None:
        """Kill one process at once, as the system would."""
        process.kill()
        self.bury(process)

    def bury(self, process: ForkServerProcess) -> int | None:
        """Take one that ended off the list; answers its exit code."""
        process.join()
        self.living.remove(process)
        self.deaths += process.exitcode != 0
        return process.exitcode

    def wait_for_deaths(self, within: float) -> list[ForkServerProcess]:
        """Wait until somebody died by itself; answers who, already taken off the list."""
        ended = wait_for_ends([process.sentinel for process in self.living], timeout=within)
        gone = [process for process in self.living if process.sentinel in ended]
        for process in gone:
            self.bury(process)
        return gone

    def dismiss(self) -> None:
        """Kill all that are left."""
        for process in list(self.living):
            self.kill(process)

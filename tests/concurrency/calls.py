"""Calls that block, made in threads, and the server's own word on who is blocked."""

import threading
from collections.abc import Callable
from typing import Any

import redis

from tests.support.waiting import wait_until


class Call:
    """One call in a thread of its own; `result` waits for its answer."""

    def __init__(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
        """Start it."""
        self._answer: Any = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(
            target=self._run, args=(function, args, kwargs), daemon=True
        )
        self._thread.start()

    def _run(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: Any) -> None:
        try:
            self._answer = function(*args, **kwargs)
        except BaseException as error:  # noqa: BLE001 - it is raised again where it is asked for
            self._error = error

    @property
    def done(self) -> bool:
        """Whether it has answered."""
        return not self._thread.is_alive()

    def result(self, within: float = 10.0) -> Any:
        """Get the answer; fail if there is none in time."""
        self._thread.join(within)
        assert self.done, f"no answer within {within} s"
        if self._error is not None:
            raise self._error
        return self._answer


def texts(plain: Any, key: str) -> list[str]:
    """Read a whole list."""
    return [element.decode() for element in plain.lrange(key, 0, -1)]


def blocked(plain: redis.Redis) -> int:
    """Count the clients that the server has put to sleep until something comes."""
    return int(plain.info("clients")["blocked_clients"])


def wait_for_blocked(plain: redis.Redis, count: int, within: float = 20.0) -> None:
    """Wait until that many clients are blocked."""
    wait_until(lambda: blocked(plain) == count, within=within)


def calls_of(plain: redis.Redis, *commands: str) -> int:
    """Count how often these commands were called since the server started."""
    stats = plain.info("commandstats")
    return sum(int(stats.get(f"cmdstat_{name}", {}).get("calls", 0)) for name in commands)

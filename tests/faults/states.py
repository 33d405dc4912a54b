"""States in which a real server refuses to work, each with the way in and the way out."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import redis

from tests.support.servers import Server
from tests.support.waiting import wait_until


@contextmanager
def replica(server: Server) -> Iterator[None]:
    """The server has become a read-only replica of nobody."""
    with server.client() as plain:
        plain.execute_command("REPLICAOF", "127.0.0.1", "1")
        try:
            yield
        finally:
            plain.execute_command("REPLICAOF", "NO", "ONE")


@contextmanager
def alone(server: Server) -> Iterator[None]:
    """The server wants a replica for every write and has none."""
    with server.client() as plain:
        plain.config_set("min-replicas-to-write", 1)
        try:
            yield
        finally:
            plain.config_set("min-replicas-to-write", 0)


@contextmanager
def unable_to_save(server: Server) -> Iterator[None]:
    """The server could not write its data to the disk and takes no more."""
    with server.client() as plain:
        plain.config_set("save", "3600 1")
        plain.config_set("dir", "/proc")
        plain.bgsave()
        wait_until(lambda: plain.info("persistence")["rdb_last_bgsave_status"] == "err")
        try:
            yield
        finally:
            plain.config_set("dir", str(server.folder))
            plain.config_set("save", "")


@contextmanager
def busy(server: Server) -> Iterator[None]:
    """Somebody's script does not end."""
    with server.client() as plain:
        plain.config_set("busy-reply-threshold", 5)
        endless = threading.Thread(target=_loop_for_ever, args=(server,))
        endless.start()
        wait_until(lambda: _refused(plain, "BUSY"))
        try:
            yield
        finally:
            plain.script_kill()
            endless.join()


@contextmanager
def full(server: Server) -> Iterator[None]:
    """The server has no memory left."""
    with server.client() as plain:
        plain.config_set("maxmemory", 1)
        try:
            yield
        finally:
            plain.config_set("maxmemory", 0)


@contextmanager
def loading(server: Server) -> Iterator[None]:
    """The server was started again and reads its data, slowly."""
    with server.client() as plain:
        pipe = plain.pipeline()
        for n in range(1000):
            pipe.set(f"filler-{n}", "x" * 100)
        pipe.execute()
        plain.save()
    server.kill()
    options, server.options = server.options, (*server.options, *SLOW_START)
    server.spawn()
    with server.client() as plain:
        wait_until(lambda: _refused(plain, "loading"))
    try:
        yield
    finally:
        server.options = options
        wait_until(server.answers)


SLOW_START = ("--key-load-delay", "2000", "--loading-process-events-interval-bytes", "1024")
STATES: dict[str, Callable[[Server], object]] = {
    "a replica": replica,
    "without replicas": alone,
    "unable to save": unable_to_save,
    "busy": busy,
    "loading": loading,
}


def _refused(plain: redis.Redis, word: str) -> bool:
    try:
        plain.get("anything")
    except redis.RedisError as error:
        return word in str(error)
    return False


def _loop_for_ever(server: Server) -> None:
    with server.client(timeout_s=60) as plain, suppress(redis.ResponseError):
        plain.eval("while true do end", 0)

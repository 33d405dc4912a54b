"""A program that forks while it is attached; its last argument says how."""

import os
import sys
from pathlib import Path

from redis import Redis

from limpet.engine import Engine, attach, locks, status
from tests.engine.helpers import wait_until

home = Path(sys.argv[1])
read_end, write_end = os.pipe()


def push(engine: Engine, item: str) -> None:
    """Push one item over a connection of one's own."""
    with Redis.from_url(engine.url) as client:
        client.rpush("pushed", item)


def wait_for_the_end_of_the_parent() -> None:
    """Return when the parent has closed its end of the pipe, or is gone."""
    os.close(write_end)
    os.read(read_end, 1)


def child_first() -> None:
    """Let the child release and end while the parent goes on."""
    engine = attach(home)
    child = os.fork()
    if child == 0:
        engine.revive()
        engine.release()
        sys.exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert status(home).running
    push(engine, "parent")


def parent_first() -> None:
    """Let the parent end while the child goes on."""
    engine = attach(home)
    push(engine, "parent")
    if os.fork() == 0:
        wait_for_the_end_of_the_parent()
        push(engine, "child")
        (home / "child-done").touch()


def hold_locks() -> None:
    """Fork while one lock of each kind is held, and see which one the child keeps."""
    lasting, passing = home / "lasting", home / "passing"
    held = [locks.share(lasting), locks.take(passing)]
    child = os.fork()
    if child == 0:
        wait_for_the_end_of_the_parent()
        os._exit(0)
    for lock in held:
        assert lock is not None
        lock.close()
    wait_until(lambda: not locks.is_held(passing))
    assert locks.is_held(lasting)
    os.close(write_end)
    os.waitpid(child, 0)
    assert not locks.is_held(lasting)


match sys.argv[2]:
    case "child-first":
        child_first()
    case "parent-first":
        parent_first()
    case "locks":
        hold_locks()

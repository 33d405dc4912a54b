"""One server for all processes of a home: joined, shared, and stopped by the last one out."""

import os
import signal
from pathlib import Path

import pytest

from limpet.engine import attach, status, stop
from limpet.errors import EngineError
from tests.engine.helpers import Launch, Puppets, Witness, connect, is_alive, items, wait_until


def test_the_last_one_out_stops_the_server(home: Path, witness: Witness, puppets: Puppets) -> None:
    """The server serves until the last of three processes releases it, and not longer."""
    users = [puppets() for _ in range(3)]
    pids = {user.do("attach") for user in users}

    for user in users[:2]:
        user.do("release")
        assert status(home).running
    users[2].do("release")

    assert pids == set(witness.starts)
    assert not status(home).running
    assert not is_alive(witness.starts[0])
    assert not (home / "engine.sock").exists()


def test_data_survives_a_stop_and_a_start(home: Path) -> None:
    """What was pushed right before the last release is there in the next life."""
    with attach(home) as engine, connect(engine.url) as client:
        client.rpush("pushed", *map(str, range(1000)))

    with attach(home) as engine:
        assert items(engine.url) == [str(number) for number in range(1000)]


def test_a_server_left_behind_is_adopted(home: Path, witness: Witness, puppets: Puppets) -> None:
    """After all users were killed the next one joins the same server, and can stop it."""
    users = [puppets() for _ in range(2)]
    for user in users:
        user.do("attach")
        user.do("push", "kept")
    for user in users:
        user.kill()

    left = status(home)
    with attach(home) as engine:
        found = items(engine.url)

    assert (left.running, left.in_use) == (True, False)
    assert found == ["kept", "kept"]
    assert witness.starts == [left.pid]
    assert not status(home).running


def test_one_process_may_attach_many_times(home: Path, witness: Witness) -> None:
    """All attachments of a process are one hold; each releases its own share exactly once."""
    engines = [attach(home) for _ in range(3)]

    engines[0].release()
    engines[0].release()
    engines[0].release()
    engines[1].release()
    assert status(home).running
    engines[2].release()

    assert not status(home).running
    assert len(witness.starts) == 1


def test_a_released_engine_cannot_be_revived(home: Path) -> None:
    """Using a hold that was given up is an error that says what to do."""
    engine = attach(home)
    engine.release()

    with pytest.raises(EngineError, match="attach again"):
        engine.revive()
    assert not status(home).running


def test_a_block_that_fails_releases_too(home: Path) -> None:
    """An exception inside the block ends the hold as a normal end does."""
    with pytest.raises(ZeroDivisionError), attach(home):
        raise ZeroDivisionError

    assert not status(home).running


def test_a_program_that_ends_without_a_word_stops_the_server(
    home: Path, witness: Witness, puppets: Puppets
) -> None:
    """The end of the interpreter releases what the program forgot."""
    user = puppets()
    user.do("attach")
    user.do("attach")

    user.end()

    assert not status(home).running


def test_a_forked_child_does_not_stop_its_parents_engine(home: Path, launch: Launch) -> None:
    """A child that releases and ends in order takes nothing away from its parent."""
    process = launch("forks.py", "child-first")

    assert process.wait() == 0
    assert not status(home).running


def test_a_forked_child_keeps_the_engine_of_a_parent_that_ended(home: Path, launch: Launch) -> None:
    """The child goes on using the server, and being the last one out it stops it."""
    process = launch("forks.py", "parent-first")

    assert process.wait() == 0
    wait_until((home / "child-done").exists)
    wait_until(lambda: not status(home).running)

    with attach(home) as engine:
        assert items(engine.url) == ["parent", "child"]


def test_keep_leaves_the_server_running(home: Path, witness: Witness, puppets: Puppets) -> None:
    """A kept server outlives its users, also later ones that did not ask for it, until `stop`."""
    user = puppets()
    user.do("attach", {"keep": True})
    user.end()

    with attach(home):
        in_use = (status(home).kept, stop(home), status(home).running)
    attach(home, keep=True).release()
    idle = (status(home).kept, stop(home), status(home).running)

    assert in_use == (True, False, True)
    assert idle == (True, True, False)
    assert len(witness.starts) == 2


def test_status_tells_what_there_is(home: Path) -> None:
    """It shows a running engine, an idle one and none at all, and creates nothing."""
    nothing = status(home)
    assert not home.exists()

    with attach(home) as engine:
        busy = status(home)
    idle = status(home)

    assert (nothing.running, nothing.in_use, nothing.pid, nothing.version) == (
        False,
        False,
        None,
        None,
    )
    assert (busy.running, busy.in_use, busy.kept) == (True, True, False)
    assert busy.socket == engine.socket
    assert busy.pid is not None
    assert busy.version is not None
    assert idle == nothing


def test_a_stopped_home_can_be_stopped_again(home: Path) -> None:
    """Stopping what does not run is done, and makes no files where there were none."""
    assert stop(home) is True
    assert not home.exists()

    attach(home).release()

    assert stop(home) is True


def test_revive_starts_a_server_that_was_killed(home: Path, witness: Witness) -> None:
    """The data is back after the server was killed, and a live server is left alone."""
    with attach(home) as engine:
        with connect(engine.url) as client:
            client.rpush("pushed", "before")
        os.kill(witness.starts[0], signal.SIGKILL)
        wait_until(lambda: not status(home).running)

        engine.revive()
        engine.revive()

        assert items(engine.url) == ["before"]
        assert len(witness.starts) == 2
    for pid in witness.starts:
        with pytest.raises(ChildProcessError):  # no zombie stays with its parent
            os.waitpid(pid, os.WNOHANG)

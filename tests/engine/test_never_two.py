"""Never two servers on one directory, whoever dies at whatever moment."""

import os
import signal
from pathlib import Path

from limpet.engine import attach, status
from tests.engine.helpers import Launch, Puppets, Witness, connect, items, wait_until


def test_eight_processes_at_the_same_instant_get_one_server(
    home: Path, witness: Witness, puppets: Puppets
) -> None:
    """In every round of starting and ending together all eight meet in the same server."""
    users = [puppets() for _ in range(8)]
    for round_number in range(1, 6):
        for user in users:
            user.tell("attach")
        pids = {user.answer() for user in users}
        for user in users:
            user.tell("release")
        for user in users:
            assert user.answer() is True

        assert pids == {witness.starts[-1]}
        assert len(witness.starts) == round_number
        assert not status(home).running
    assert witness.overlaps == []


def test_a_starter_killed_right_after_the_start_leaves_one_server(
    home: Path, witness: Witness, puppets: Puppets
) -> None:
    """Seven others, waiting at that moment, all join the server of the dead one."""
    witness.kill_the_next_starter()
    users = [puppets() for _ in range(8)]

    for user in users:
        user.tell("attach")
    answers = [user.answer() for user in users]

    assert answers.count(None) == 1
    assert {answer for answer in answers if answer} == set(witness.starts)
    assert len(witness.starts) == 1


def test_a_starter_killed_alone_leaves_a_server_to_adopt(
    home: Path, witness: Witness, puppets: Puppets
) -> None:
    """The next user waits for the orphan instead of starting another."""
    witness.kill_the_next_starter()
    assert puppets().do("attach") is None

    with attach(home) as engine:
        assert items(engine.url) == []

    assert len(witness.starts) == 1
    assert not status(home).running


def test_processes_that_come_and_go_never_lose_the_server(
    home: Path, witness: Witness, puppets: Puppets
) -> None:
    """While six start, push and end without looking at each other, nobody's server stops."""
    users = [puppets() for _ in range(6)]
    expected = {f"{number}-{turn}" for number in range(6) for turn in range(15)}

    for turn in range(15):
        for number, user in enumerate(users):
            user.tell("attach")
            user.tell("push", f"{number}-{turn}")
            user.tell("release")
    answers = [user.answer() for user in users for _ in range(15 * 3)]

    assert all(answers)
    assert not status(home).running
    with attach(home) as engine:
        assert sorted(items(engine.url)) == sorted(expected)
    assert witness.overlaps == []


def test_users_that_revive_at_the_same_instant_start_one_server(
    home: Path, witness: Witness, puppets: Puppets
) -> None:
    """After a kill eight processes call for help at once, and one server answers all."""
    users = [puppets() for _ in range(8)]
    for user in users:
        user.do("attach")
    for kills in range(1, 4):
        os.kill(witness.starts[-1], signal.SIGKILL)
        for user in users:
            user.tell("revive")
        pids = {user.answer() for user in users}

        # A call that came before the death saw the old server, which is no mistake.
        assert pids <= set(witness.starts[-2:])
        assert len(witness.starts) == 1 + kills
    assert witness.overlaps == []


def test_a_server_killed_while_it_rewrites_its_file_is_revived(
    home: Path, witness: Witness
) -> None:
    """The orphaned helper of a dead server delays the next server but does not prevent it."""
    with attach(home) as engine:
        with connect(engine.url) as client, client.pipeline(transaction=False) as pipe:
            client.rpush("pushed", "before")
            for number in range(4000):
                pipe.set(f"key-{number}", number)
            pipe.execute()
            client.config_set("rdb-key-save-delay", 300)
            client.bgrewriteaof()
            wait_until(lambda: client.info("persistence")["aof_rewrite_in_progress"])
        os.kill(witness.starts[0], signal.SIGKILL)
        engine.revive()

        assert items(engine.url) == ["before"]
        with connect(engine.url) as client:
            assert client.dbsize() == 4001
    assert len(witness.starts) == 2
    assert witness.overlaps == []


def test_a_forked_child_keeps_the_lasting_lock_but_not_the_passing_one(
    home: Path, launch: Launch
) -> None:
    """A child forked at a bad moment shares the place of a user, but not the right to start."""
    home.mkdir()

    process = launch("forks.py", "locks")

    assert process.wait() == 0

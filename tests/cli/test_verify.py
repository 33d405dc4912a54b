"""`limpet verify` and `limpet repair`."""

import json

import redis

from limpet import Limpet
from limpet.keys import queue_keys
from tests.cli.conftest import Run
from tests.support.servers import Server


def damage(url: str, plain: redis.Redis) -> None:
    """Make a queue whose running list has an entry nobody holds."""
    with Limpet(url) as client:
        client.queue("mail").push(b"a")
    plain.hset(queue_keys("mail")["running"], "nobody", "7")


def test_a_sound_queue_is_fine(run: Run, server: Server, plain: redis.Redis) -> None:
    """Code 0, no problem listed, on stderr a word."""
    with Limpet(server.url) as client:
        client.queue("mail").push(b"a")

    done = run("verify", "mail", "--url", server.url)

    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "queue 'mail' is fine\n"


def test_damage_is_found_and_named(run: Run, server: Server, plain: redis.Redis) -> None:
    """Code 1, each problem a line with its subject, and the next step on stderr."""
    damage(server.url, plain)

    done = run("verify", "mail", "--url", server.url)

    assert done.returncode == 1
    assert "nobody" in done.stdout
    assert "limpet repair mail" in done.stderr


def test_repair_mends_what_verify_found(run: Run, server: Server, plain: redis.Redis) -> None:
    """After it, verify has nothing to say and the job is still there."""
    damage(server.url, plain)

    mended = run("repair", "mail", "--url", server.url)
    again = run("repair", "mail", "--url", server.url)
    checked = run("verify", "mail", "--json", "--url", server.url)

    assert mended.returncode == 0
    assert "mended" in mended.stderr
    assert "nothing to mend" in again.stderr
    assert json.loads(checked.stdout) == {"queue": "mail", "ok": True, "problems": []}
    with Limpet(server.url) as client:
        assert client.queue("mail").stats().waiting == 1


def test_the_report_as_json(run: Run, server: Server, plain: redis.Redis) -> None:
    """Problems are objects with kind and subject; the exit code stays 1."""
    damage(server.url, plain)

    done = run("verify", "mail", "--json", "--url", server.url)

    found = json.loads(done.stdout)
    assert (done.returncode, found["ok"]) == (1, False)
    assert any("nobody" in problem["subject"] for problem in found["problems"])


def test_a_mistyped_name_does_not_pass(run: Run, server: Server, plain: redis.Redis) -> None:
    """A queue that is not there is not called fine: code 2, and the names there are."""
    with Limpet(server.url) as client:
        client.queue("mail").push(b"a")

    for command in ("verify", "repair"):
        done = run(command, "mial", "--url", server.url)

        assert (done.returncode, done.stdout) == (2, "")
        assert "no queue is called 'mial'" in done.stderr
        assert "mail" in done.stderr


def test_a_queue_that_fell_off_the_list_is_checked(
    run: Run, server: Server, plain: redis.Redis
) -> None:
    """What has keys on the server is a queue, listed or not."""
    with Limpet(server.url) as client:
        client.queue("mail").push(b"a")
    plain.srem("limpet:queues", "mail")

    assert run("verify", "mail", "--url", server.url).returncode == 0

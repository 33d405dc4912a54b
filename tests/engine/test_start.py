"""Starting: waiting for a server that loads, and clear words when none will come."""

import os
import signal
from pathlib import Path

import pytest

from limpet.engine import attach, server, sockets, status, supervisor, talk
from limpet.engine.talk import Pulse
from limpet.errors import ConfigError, EngineError
from tests.engine.helpers import Witness, connect, items, wait_until


def test_a_loading_server_is_waited_for(
    home: Path, real: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`attach` returns when the data is loaded, not when the server first speaks."""
    slow = Witness(tmp_path / "slow", real, "--key-load-delay", "100")
    monkeypatch.setenv("LIMPET_ENGINE", str(slow.path))
    with attach(home) as engine, connect(engine.url) as client:
        pipe = client.pipeline(transaction=False)
        for _ in range(5000):
            pipe.rpush("pushed", "x")
        pipe.execute()
    seen = []

    def watched(path: Path) -> Pulse:
        seen.append(feel(path))
        return seen[-1]

    feel = talk.pulse
    monkeypatch.setattr(talk, "pulse", watched)

    with attach(home) as engine:
        after = feel(engine.socket)
        count = len(items(engine.url))

    assert Pulse.LOADING in seen
    assert (seen[-1], after) == (Pulse.READY, Pulse.READY)
    assert count == 5000
    assert len(slow.starts) == 2


def test_a_server_that_dies_at_the_start_is_quoted(home: Path) -> None:
    """The error carries the server's own last words, and the next attempt is a new one."""
    with attach(home) as engine, connect(engine.url) as client:
        client.set("a", "b")
    manifest = home / "appendonlydir" / "appendonly.aof.manifest"
    good = manifest.read_bytes()
    manifest.write_bytes(b"nonsense\n")

    with pytest.raises(EngineError, match=r"ended; .*engine\.log says:\n(.|\n)*manifest"):
        attach(home)
    assert (status(home).running, status(home).in_use) == (False, False)

    manifest.write_bytes(good)
    with attach(home) as engine, connect(engine.url) as client:
        assert client.get("a") == b"b"


def test_a_silent_server_is_an_error_and_not_a_second_server(
    home: Path, witness: Witness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A frozen server keeps its place: the waiting ends with an error, and it can wake up."""
    monkeypatch.setattr(talk, "ANSWER_WITHIN_S", 0.05)
    with attach(home) as engine:
        os.kill(witness.starts[0], signal.SIGSTOP)
        monkeypatch.setattr(supervisor, "SIGN_WITHIN_S", 0.2)
        with pytest.raises(EngineError, match="does not answer"):
            engine.revive()
        os.kill(witness.starts[0], signal.SIGCONT)
        monkeypatch.setattr(supervisor, "SIGN_WITHIN_S", 20)

        engine.revive()

    assert len(witness.starts) == 1


def test_a_frozen_server_does_not_hold_up_the_end(
    home: Path, witness: Witness, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The last one out gives up after a while, says so, and the next user adopts the server."""
    engine = attach(home)
    monkeypatch.setattr(talk, "ANSWER_WITHIN_S", 0.05)
    monkeypatch.setattr(supervisor, "STOP_WITHIN_S", 0.2)
    os.kill(witness.starts[0], signal.SIGSTOP)

    engine.release()

    assert "did not stop" in caplog.text
    os.kill(witness.starts[0], signal.SIGCONT)
    monkeypatch.undo()
    wait_until(lambda: not status(home).running)


def test_the_log_does_not_grow_forever(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A start puts a long log aside and begins a new one."""
    monkeypatch.setattr(server, "LOG_LIMIT_BYTES", 1000)
    attach(home).release()
    old = (home / "engine.log").read_bytes()

    attach(home).release()

    assert (home / "engine.log.old").read_bytes() == old
    assert old not in (home / "engine.log").read_bytes()


def test_the_server_is_private_and_durable(home: Path) -> None:
    """No port, no eviction, and every write goes to a file that any engine can read."""
    wanted = {
        "port": "0",
        "unixsocketperm": "700",
        "appendonly": "yes",
        "appendfsync": "everysec",
        "aof-use-rdb-preamble": "no",
        "save": "",
        "maxmemory-policy": "noeviction",
        "dir": str(home),
    }

    with attach(home) as engine, connect(engine.url) as client:
        found = {name: client.config_get(name)[name] for name in wanted}
        mode = sockets.look(home).socket.stat().st_mode & 0o777

    assert found == wanted
    assert mode == 0o700


def test_each_write_can_be_made_to_wait_for_the_disk(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """LIMPET_FSYNC chooses when writes must be on disk, and nonsense is refused."""
    monkeypatch.setenv("LIMPET_FSYNC", "always")
    with attach(home) as engine, connect(engine.url) as client:
        assert client.config_get("appendfsync") == {"appendfsync": "always"}

    monkeypatch.setenv("LIMPET_FSYNC", "sometimes")
    with pytest.raises(ConfigError, match="LIMPET_FSYNC"):
        attach(home)

"""The home: where it is, whose it is, and where its socket goes."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from limpet.engine import attach, sockets, status
from limpet.engine.home import locate
from limpet.errors import ConfigError, EngineError
from tests.engine.conftest import stop_for_good
from tests.engine.helpers import connect


@pytest.fixture
def deep(tmp_path: Path) -> Iterator[Path]:
    """A home too deep for a socket, on a runtime directory short enough for one."""
    path = tmp_path / ("d" * 100) / "home"
    yield path
    stop_for_good(path)


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Path]]:
    """Runtime directories with short names; the first of the two is in use."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        paths = [Path(folder) / "a", Path(folder) / "b"]
        for path in paths:
            path.mkdir(mode=0o700)
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(paths[0]))
        yield paths


def test_the_variable_names_the_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """LIMPET_HOME decides when the caller names nothing, and the caller before it."""
    monkeypatch.setenv("LIMPET_HOME", str(home))

    with attach() as engine:
        assert engine.home == home
        assert status().running
    assert locate(home.parent) == home.parent


def test_without_a_name_the_home_is_a_state_directory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Every user has one home of their own, wherever a program stands."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("LIMPET_HOME", "")

    assert locate().name == "limpet"
    assert locate().is_absolute()


@pytest.mark.parametrize("name", ["queue", "./queue", "../queue"])
def test_a_relative_variable_is_refused(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """It would be another home in every working directory."""
    monkeypatch.setenv("LIMPET_HOME", name)

    with pytest.raises(ConfigError, match="absolute"):
        locate()


@pytest.mark.parametrize("name", ["", "a\0b"])
def test_a_name_that_is_no_path_is_refused(name: str) -> None:
    """The rule is told before anything is touched."""
    with pytest.raises(ConfigError, match="path of a directory"):
        attach(name)


def test_a_new_home_is_private(home: Path) -> None:
    """Nobody else can enter the directory, whatever the usual mask is."""
    mask = os.umask(0)
    try:
        attach(home).release()
    finally:
        os.umask(mask)

    assert home.stat().st_mode & 0o777 == 0o700


def test_a_home_of_ours_that_others_can_enter_is_closed(home: Path) -> None:
    """An empty directory and one with our files in it are made private."""
    home.mkdir(mode=0o755)
    attach(home).release()
    first = home.stat().st_mode & 0o777
    home.chmod(0o755)

    attach(home).release()

    assert (first, home.stat().st_mode & 0o777) == (0o700, 0o700)


def test_a_shared_directory_with_other_things_in_it_is_left_alone(home: Path) -> None:
    """A directory that serves something else is refused, its rights and content untouched."""
    home.mkdir()
    home.chmod(0o755)
    (home / "something").touch()

    with pytest.raises(EngineError, match="chmod 700"):
        attach(home)

    assert home.stat().st_mode & 0o777 == 0o755
    assert [entry.name for entry in home.iterdir()] == ["something"]


def test_a_home_of_another_user_is_refused(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither data nor socket ever lie in somebody else's directory."""
    home.mkdir(mode=0o700)
    owner = 12345 if os.geteuid() == 0 else os.geteuid()
    if os.geteuid() == 0:
        os.chown(home, owner, owner)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: owner + 1)

    with pytest.raises(EngineError, match=f"belongs to user {owner}"):
        attach(home)

    assert list(home.iterdir()) == []


def test_a_home_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    """A file in the way is told as what it is."""
    (tmp_path / "file").touch()

    for path in (tmp_path / "file", tmp_path / "file" / "home"):
        with pytest.raises(EngineError, match="another directory"):
            attach(path)


def test_a_name_with_odd_characters_works(tmp_path: Path) -> None:
    """Blanks, signs that mean something in an address, and other letters are fine."""
    home = tmp_path / "a b#c?d%20é"

    with attach(home) as engine, connect(engine.url) as client:
        assert client.rpush("pushed", "x") == 1
        assert engine.socket.is_socket()


def test_a_deep_home_gets_its_socket_elsewhere(deep: Path, short: list[Path]) -> None:
    """The socket of a deep home is short, private, and gone after the last release."""
    with attach(deep) as engine, connect(engine.url) as client:
        assert client.ping()
        assert len(os.fsencode(engine.socket)) <= 100
        assert engine.socket.parent == short[0] / "limpet"
        assert engine.socket.parent.stat().st_mode & 0o777 == 0o700
        assert status(deep).socket == engine.socket
    assert not engine.socket.exists()
    assert not status(deep).running


def test_all_processes_agree_on_the_socket_of_a_deep_home(
    deep: Path, short: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another runtime directory, as in a cron job, leads to the same server."""
    with attach(deep) as engine:
        monkeypatch.delenv("XDG_RUNTIME_DIR")

        assert sockets.prepare(deep).socket == engine.socket
        assert status(deep).pid is not None


def test_a_deep_home_outlives_its_runtime_directory(
    deep: Path, short: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A socket that went with a login session is replaced by one in the next session."""
    attach(deep).release()
    (short[0] / "limpet").rmdir()
    short[0].rmdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(short[1]))

    with attach(deep) as engine:
        assert engine.socket.parent == short[1] / "limpet"


def test_a_moved_home_does_not_take_its_old_socket_along(deep: Path, short: list[Path]) -> None:
    """The old name may belong to another home by now."""
    old = sockets.prepare(deep)
    moved = deep.with_name("moved")
    deep.rename(moved)

    assert sockets.prepare(moved).socket != old.socket
    assert sockets.prepare(deep).socket == old.socket


def test_a_runtime_directory_of_others_is_not_used(deep: Path, short: list[Path]) -> None:
    """Where others may write, they could put a socket of theirs in place of ours."""
    short[0].chmod(0o777)

    assert sockets._choose(deep).parent == Path("/tmp") / f"limpet-{os.geteuid()}"

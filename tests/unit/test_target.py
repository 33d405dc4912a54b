"""Which server is used, and why."""

from pathlib import Path

import pytest

from limpet.connection.target import redacted, resolve
from limpet.errors import ConfigError


@pytest.fixture(autouse=True)
def nothing_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder and an environment that names no server."""
    monkeypatch.chdir(tmp_path)
    for variable in ("LIMPET_URL", "REDIS_URL"):
        monkeypatch.delenv(variable, raising=False)
    return tmp_path


def test_the_order_of_places(nothing_named: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """url, LIMPET_URL, REDIS_URL, limpet.toml, pyproject.toml, then the embedded engine."""
    assert resolve().embedded
    (nothing_named / "pyproject.toml").write_text('[tool.limpet]\nurl = "redis://e"\n')
    assert (resolve().url, resolve().source) == ("redis://e", "pyproject.toml")
    (nothing_named / "limpet.toml").write_text('url = "redis://d"\n')
    assert (resolve().url, resolve().source) == ("redis://d", "limpet.toml")
    monkeypatch.setenv("REDIS_URL", "redis://c")
    assert (resolve().url, resolve().source) == ("redis://c", "REDIS_URL")
    monkeypatch.setenv("LIMPET_URL", "redis://b")
    assert (resolve().url, resolve().source) == ("redis://b", "LIMPET_URL")
    given = resolve("redis://a")
    assert (given.url, given.source) == ("redis://a", "the url option")


@pytest.mark.parametrize(
    "wrong", ["", "localhost", "http://x", "redis://x:port", "redis+nothing://x"]
)
def test_a_url_we_cannot_use_is_refused(wrong: str) -> None:
    """The error shows the forms that work."""
    with pytest.raises(ConfigError, match="redis://"):
        resolve(wrong)


def test_an_unreadable_config_file_is_named(nothing_named: Path) -> None:
    """A broken limpet.toml is not silently passed over."""
    (nothing_named / "limpet.toml").write_text("url = [")

    with pytest.raises(ConfigError, match=r"limpet\.toml"):
        resolve()


def test_a_url_that_is_no_text_is_an_error(nothing_named: Path) -> None:
    """Passing it over would lead to another server than the one that was meant."""
    (nothing_named / "limpet.toml").write_text("url = 6379\n")

    with pytest.raises(ConfigError, match=r"url in limpet\.toml must be text"):
        resolve()


@pytest.mark.parametrize(
    "url",
    [
        "redis://:hunter2@host:6379/0",
        "redis://user:hunter2@host",
        "redis+sentinel://:hunter2@a:1,b:2/main",
        "redis://host?password=hunter2",
    ],
)
def test_passwords_are_never_shown(url: str) -> None:
    """Whatever way a password is in the URL, what we print is without it."""
    assert "hunter2" not in redacted(url)
    assert "hunter2" not in str(resolve(url))
    assert "hunter2" not in repr(resolve(url))

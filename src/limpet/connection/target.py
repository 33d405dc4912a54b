"""Which server: an explicit URL, the environment, a config file, or the embedded engine."""

import os
import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from limpet.connection.clients import fault_in
from limpet.errors import ConfigError

SCHEMES = (
    "redis",
    "rediss",
    "unix",
    "redis+sentinel",
    "rediss+sentinel",
    "redis+cluster",
    "rediss+cluster",
)
_FORM = (
    "write redis://host:6379/0, rediss://, unix:///path, redis+sentinel:// or redis+cluster://,"
    " with special characters of a password as %40 and the like"
)


@dataclass(frozen=True, slots=True)
class Target:
    """A server and why it was chosen; no URL means the embedded engine."""

    url: str | None = field(repr=False)
    source: str

    @property
    def embedded(self) -> bool:
        """Whether limpet runs the server itself."""
        return self.url is None

    @property
    def scheme(self) -> str:
        """The kind of server, as the URL names it."""
        return urlsplit(self.url or "unix:").scheme

    @property
    def clustered(self) -> bool:
        """Whether keys of different queues may live on different servers."""
        return self.scheme.endswith("+cluster")

    def __str__(self) -> str:
        """Name the server without its password."""
        return redacted(self.url) if self.url else "the embedded engine"


def redacted(url: str) -> str:
    """Write a URL without its user, password and options, for logs and errors.

    Also one that was written wrongly: a password may hold characters that end the host part.
    """
    scheme, _, rest = url.partition("://")
    shown = re.split(r"[?#]", rest, maxsplit=1)[0]
    if rest.startswith("/"):  # a path: there is no room for a password before it
        return f"{scheme}://{shown}"
    if "@" in rest[len(shown) :] and "=" not in rest[len(shown) :]:
        return f"{scheme}://***"
    _, at, host = shown.rpartition("@")
    return f"{scheme}://***@{host}" if at else f"{scheme}://{shown}"


def _from_files() -> tuple[str | None, str]:
    for name, path in (("limpet.toml", ()), ("pyproject.toml", ("tool", "limpet"))):
        file = Path(name)
        if not file.is_file():
            continue
        try:
            table = tomllib.loads(file.read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise ConfigError(f"{name} cannot be read: {error}") from error
        for part in path:
            table = table.get(part, {})
            if not isinstance(table, dict):
                raise ConfigError(f"{part} in {name} must be a table with the url of a server")
        url = table.get("url")
        if url is not None and not isinstance(url, str):
            raise ConfigError(f"url in {name} must be text; {_FORM}")
        if url is not None:
            return url, name
    return None, ""


def _from_environment(variable: str) -> Callable[[], tuple[str | None, str]]:
    return lambda: (os.environ.get(variable) or None, variable)


def resolve(url: str | None = None) -> Target:
    """Choose the server: url, LIMPET_URL, REDIS_URL, a config file, else the embedded engine."""
    places: tuple[Callable[[], tuple[str | None, str]], ...] = (
        lambda: (url, "the url option"),
        _from_environment("LIMPET_URL"),
        _from_environment("REDIS_URL"),
        _from_files,
    )
    for place in places:
        found, source = place()
        if found is not None:
            return Target(_checked(found, source), source)
    return Target(None, "nothing else was named")


def _checked(url: str, source: str) -> str:
    try:
        parts = urlsplit(url)
        _ = parts.port if "," not in parts.netloc else None
    except (ValueError, AttributeError, TypeError):
        # Not "from error": its text may hold a piece of the password.
        raise ConfigError(f"the URL from {source} cannot be read; {_FORM}") from None
    if parts.scheme not in SCHEMES:
        raise ConfigError(f"the URL from {source} has the scheme {parts.scheme!r}; {_FORM}")
    fault = fault_in(url)
    if fault is not None:
        raise ConfigError(f"the URL from {source} {fault}; {_FORM}")
    return url

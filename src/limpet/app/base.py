"""What every part of an app has: its options, its tasks and its two clients."""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

from limpet.app.handle import JobHandle
from limpet.app.middleware import Middleware, check_middleware
from limpet.errors import ConfigError
from limpet.options import Duration
from limpet.tasks.codec import JSON, Codec
from limpet.tasks.options import task_options

if TYPE_CHECKING:
    from limpet.aio import AsyncLimpet
    from limpet.app.cron import Declared
    from limpet.app.task import Task
    from limpet.sync import Limpet

    #: A server and the two clients of it.
    _Line = tuple[str | None, Limpet | None, AsyncLimpet | None]


class AppBase:
    """The options of an app, and its clients, which are opened when they are needed."""

    def __init__(
        self,
        url: str | None = None,
        *,
        name: str = "app",
        codec: Codec | None = None,
        policies: Mapping[str, Mapping[str, Any]] | None = None,
        middleware: Iterable[Middleware] = (),
        lifespan: Callable[[Any], Any] | None = None,
        home: str | Path | None = None,
        defaults: Mapping[str, Any] | None = None,
        timeout: Duration = 10.0,
    ) -> None:
        """Remember and check all options; nothing is opened or sent.

        Args:
            url: The server; else LIMPET_URL, REDIS_URL, a config file, or the embedded engine.
            name: How the app is called where workers and schedules are listed.
            codec: How arguments and results travel; JSON if not given.
            policies: Options of queues by name; those under "*" are for all queues.
            middleware: Hooks around the life of jobs.
            lifespan: Called with the app by a worker; gives an async context around its life.
            home: Data directory of the embedded engine.
            defaults: Options for all tasks that do not say them.
            timeout: How long one call may try to reach the server.
        """
        if codec is not None and (isinstance(codec, type) or not isinstance(codec, Codec)):
            raise ConfigError(f"codec must be an object such as Pickle(secret), got {codec!r}")
        if lifespan is not None and not callable(lifespan):
            raise ConfigError("lifespan must be a function that takes the app")
        self.name, self.lifespan, self.home = name, lifespan, home
        self.json = codec if isinstance(codec, JSON) else JSON()
        self.codec: Codec = codec or self.json
        self.middleware = check_middleware(middleware)
        self.defaults = dict(defaults or {})
        task_options(self.defaults)
        self._client_options: dict[str, Any] = {
            "name": name,
            "timeout": timeout,
            "policies": policies,
            "home": home,
        }
        self.url = url
        self._tasks: dict[str, Task[..., Any]] = {}
        self._declared: dict[str, Declared] = {}
        self._limpet: Limpet | None = None
        self._alimpet: AsyncLimpet | None = None
        self._guard = threading.Lock()

    def __repr__(self) -> str:
        """Show the name and how many tasks there are."""
        return f"<App {self.name!r} with {len(self._tasks)} tasks>"

    @property
    def tasks(self) -> "Mapping[str, Task[..., Any]]":
        """All tasks by name."""
        return MappingProxyType(self._tasks)

    def handle(self, job_id: str, queue: str = "default") -> JobHandle[Any]:
        """Get a handle of a job that was enqueued elsewhere."""
        return JobHandle(job_id, queue, created=False, app=self)

    # -- the clients ------------------------------------------------------------------------

    @property
    def limpet(self) -> "Limpet":
        """The blocking client, opened at first use; safe to use from many threads."""
        with self._guard:
            if self._limpet is None:
                from limpet.sync import Limpet

                self._limpet = Limpet(self.url, **self._client_options)
            return self._limpet

    @property
    def alimpet(self) -> "AsyncLimpet":
        """The asyncio client, opened at first use."""
        with self._guard:
            if self._alimpet is None:
                from limpet.aio import AsyncLimpet

                self._alimpet = AsyncLimpet(self.url, **self._client_options)
            return self._alimpet

    def new_client(self, **options: Any) -> "AsyncLimpet":
        """Make an asyncio client of its own, for a worker; options go over the app's."""
        from limpet.aio import AsyncLimpet

        return AsyncLimpet(self.url, **{**self._client_options, **options})

    @contextmanager
    def connect(self, url: str) -> Iterator[Self]:
        """Use another server for a `with` block, over clients of its own; made for tests."""
        before = self._switch((url, None, None))
        try:
            yield self
        finally:
            _, limpet, alimpet = self._switch(before)
            if limpet is not None:
                limpet.close()
            if alimpet is not None:  # its event loop does not run here, and may be gone
                alimpet.link.forget()

    def _switch(self, to: "_Line") -> "_Line":
        """Take another server and its clients; answers those of before."""
        with self._guard:
            before = self.url, self._limpet, self._alimpet
            self.url, self._limpet, self._alimpet = to
        return before

    def close(self) -> None:
        """Close the blocking client; what is used later opens a new one."""
        with self._guard:
            limpet, self._limpet = self._limpet, None
        if limpet is not None:
            limpet.close()

    async def aclose(self) -> None:
        """Close both clients."""
        with self._guard:
            alimpet, self._alimpet = self._alimpet, None
        if alimpet is not None:
            await alimpet.close()
        self.close()

    def __enter__(self) -> Self:
        """Use the app in a `with` block, which closes its client."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    async def __aenter__(self) -> Self:
        """Use the app in an `async with` block, which closes its clients."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close it."""
        await self.aclose()

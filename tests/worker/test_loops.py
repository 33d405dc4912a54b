"""Which event loop a worker runs on."""

import asyncio
import sys

import pytest
import uvloop

from limpet.app.app import App
from limpet.worker.loops import new_loop
from limpet.worker.worker import Worker
from tests.support.servers import Server


@pytest.mark.parametrize(
    ("said", "kind"), [(None, uvloop.Loop), ("1", uvloop.Loop), ("0", asyncio.SelectorEventLoop)]
)
def test_uvloop_is_used_where_it_is_installed(
    server: Server, monkeypatch: pytest.MonkeyPatch, said: str | None, kind: type
) -> None:
    """Unless it is said not to."""
    app, found = App(server.url), []
    monkeypatch.delenv("LIMPET_UVLOOP")
    if said is not None:
        monkeypatch.setenv("LIMPET_UVLOOP", said)

    @app.task(name="look")
    async def look() -> None:
        found.append(asyncio.get_running_loop())

    look.enqueue()
    assert Worker(app, queues="default", burst=True, handle_signals=False).run() == 0

    app.close()
    assert isinstance(found[0], kind)


def test_without_uvloop_the_loop_is_pythons(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is an extra."""
    monkeypatch.delenv("LIMPET_UVLOOP")
    monkeypatch.setitem(sys.modules, "uvloop", None)

    loop = new_loop()

    loop.close()
    assert isinstance(loop, asyncio.SelectorEventLoop)

"""The embedded engine: a real server on a private socket, shared by one user's processes.

    with attach() as engine:      starts the server, or joins the one that runs
        ...                       connect to engine.url
                                  the last process out stops the server

Two lock files carry the whole agreement between processes; the kernel drops both when
their holder dies, however it died:

    users.lock     shared: this process uses the server     exclusive: nobody does, stop it
    server.lock    exclusive, inherited by the server: it is free exactly when no server lives
"""

import sys

from limpet.errors import EngineError

if sys.platform == "win32":
    raise EngineError(
        "the embedded engine needs Linux or macOS: set LIMPET_URL to a running server instead"
    )

from limpet.engine.handle import Engine, attach, stop
from limpet.engine.status import Status, status

__all__ = ["Engine", "Status", "attach", "status", "stop"]

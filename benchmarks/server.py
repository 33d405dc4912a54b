"""The private server of a run, on loopback, on its own core."""

import shutil
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import redis

from benchmarks.cores import SERVER_CORE, pin
from limpet.engine.find import choose

_START_S = 20.0


@dataclass(frozen=True)
class Reading:
    """The server's counters at one moment."""

    cpu_us: float
    commands: int
    at: float

    def since(self, before: "Reading") -> "Reading":
        """What happened between two readings; asking for them is not counted."""
        commands = self.commands - before.commands - 2
        return Reading(self.cpu_us - before.cpu_us, commands, self.at - before.at)


class Server:
    """A Valkey server that nobody else uses."""

    def __init__(self) -> None:
        """Start it and wait until it answers."""
        self.folder = Path(tempfile.mkdtemp(prefix="limpet-bench-"))
        self.port = _free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        command = [str(choose(None).path), "--port", str(self.port), "--bind", "127.0.0.1"]
        self.process = subprocess.Popen(
            [*command, "--save", "", "--dir", str(self.folder)], stdout=subprocess.DEVNULL
        )
        pin(self.process.pid, SERVER_CORE)
        self.client = redis.Redis(port=self.port, protocol=2)
        self._wait()

    def _wait(self) -> None:
        deadline = time.monotonic() + _START_S
        while True:
            try:
                self.client.ping()
            except redis.ConnectionError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.02)
            else:
                return

    def flush(self) -> None:
        """Forget all data, scripts too, and start the counters again."""
        plain: Any = self.client
        plain.execute_command("FLUSHALL", "SYNC")  # Valkey would else free memory later
        self.client.script_flush()
        self.client.config_resetstat()

    def read(self) -> Reading:
        """Read the counters; two commands."""
        cpu: dict[str, Any] = self.client.info("cpu")
        stats: dict[str, Any] = self.client.info("stats")
        used = cpu["used_cpu_user_main_thread"] + cpu["used_cpu_sys_main_thread"]
        return Reading(used * 1e6, int(stats["total_commands_processed"]), time.monotonic())

    def memory(self) -> int:
        """Bytes in use, without the buffers of clients."""
        info: dict[str, Any] = self.client.info("memory")
        return int(info["used_memory"]) - int(info["mem_clients_normal"])

    def facts(self) -> dict[str, str]:
        """Name the server."""
        info: dict[str, Any] = self.client.info("server")
        name = info.get("server_name", "redis")
        version = info.get(f"{name}_version", info["redis_version"])
        return {"name": str(name), "version": str(version)}

    def stop(self) -> None:
        """Kill it and delete its folder."""
        self.client.close()
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])

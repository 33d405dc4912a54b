"""A real master with a replica, watched by real sentinels, on loopback."""

import subprocess
from typing import Any

import redis

from limpet.engine.find import choose
from tests.support.servers import Server
from tests.support.waiting import wait_until

SERVICE = "mymaster"


class Sentinel(Server):
    """One sentinel; it keeps its configuration in a file of its own."""

    def __init__(self, master: Server) -> None:
        """Write down what it watches."""
        super().__init__(tcp=True)
        self.config = self.folder / "sentinel.conf"
        lines = (
            f"port {self.port}",
            "bind 127.0.0.1",
            f"dir {self.folder}",
            f"sentinel monitor {SERVICE} 127.0.0.1 {master.port} 2",
            f"sentinel down-after-milliseconds {SERVICE} 700",
            f"sentinel failover-timeout {SERVICE} 4000",
        )
        self.config.write_text("\n".join(lines) + "\n", "utf-8")

    def spawn(self) -> None:
        """Start it."""
        command = [str(choose(None).path), str(self.config), "--sentinel"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True)

    def ask(self, *words: Any) -> Any:
        """Send it one command."""
        with self.client() as client:
            return client.execute_command("SENTINEL", *words)

    def knows(self, replicas: int, others: int) -> bool:
        """Whether it has found the replicas and the other sentinels."""
        return (
            len(self.ask("REPLICAS", SERVICE)) == replicas
            and len(self.ask("SENTINELS", SERVICE)) == others
        )

    def master_port(self) -> int:
        """Get the port of the master, as it sees things."""
        return int(self.ask("GET-MASTER-ADDR-BY-NAME", SERVICE)[1])


class Watched:
    """A master, a replica and two sentinels."""

    def __init__(self) -> None:
        """Start them and wait until they know each other.

        The master takes no writes without its replica, as it should be set up: else it would go on
        for seconds after another one was chosen, and all it took in that time would be lost.
        """
        careful = ("--min-replicas-to-write", "1", "--min-replicas-max-lag", "10")
        self.master = Server("--repl-diskless-sync-delay", "0", *careful, tcp=True).start()
        follow = ("--replicaof", f"127.0.0.1 {self.master.port}")
        self.replica = Server(*follow, "--repl-diskless-sync-delay", "0", tcp=True).start()
        self.sentinels = [Sentinel(self.master) for _ in range(2)]
        for sentinel in self.sentinels:
            sentinel.start()
        wait_until(self._is_synced, within=20)
        wait_until(lambda: all(s.knows(replicas=1, others=1) for s in self.sentinels), within=30)

    @property
    def url(self) -> str:
        """Where clients connect: the sentinels."""
        places = ",".join(f"127.0.0.1:{sentinel.port}" for sentinel in self.sentinels)
        return f"redis+sentinel://{places}/{SERVICE}"

    def _is_synced(self) -> bool:
        with self.replica.client() as client:
            info: dict[str, Any] = client.info("replication")
        return info.get("master_link_status") == "up"

    def replica_leads(self) -> bool:
        """Whether the replica has become the master, and all sentinels know it."""
        try:
            with self.replica.client() as client:
                info: dict[str, Any] = client.info("replication")
        except redis.ConnectionError:  # a server that changes its role cuts its clients off
            return False
        told = {sentinel.master_port() for sentinel in self.sentinels}
        return info["role"] == "master" and told == {self.replica.port}

    def mark(self) -> None:
        """Write something and wait until the replica has it, and with it all that was before."""
        with self.master.client() as client:
            client.incr("mark")
            assert client.wait(1, 5000) == 1

    def stop(self) -> None:
        """Stop everything, the watchers first."""
        for server in (*self.sentinels, self.replica, self.master):
            server.remove()

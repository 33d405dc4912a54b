"""A real cluster on loopback: masters, replicas, and slots that move from one to another."""

from typing import Any

from redis.crc import key_slot

from tests.support.servers import Server, free_port
from tests.support.waiting import wait_until

SLOTS = 16384


class Node(Server):
    """One server in cluster mode, with a second port for the other nodes."""

    def __init__(self) -> None:
        """Choose both ports."""
        self.bus = free_port()
        options = ("--cluster-enabled", "yes", "--cluster-port", str(self.bus))
        haste = ("--cluster-node-timeout", "1000", "--repl-diskless-sync-delay", "0")
        super().__init__(*options, *haste, "--cluster-replica-validity-factor", "0", tcp=True)

    def ask(self, *words: Any) -> str:
        """Send one command; answers its text."""
        with self.client() as client:
            reply: Any = client.execute_command(*words)
        return reply.decode() if isinstance(reply, bytes) else str(reply)

    @property
    def name(self) -> str:
        """The name under which the others know it."""
        return self.ask("CLUSTER", "MYID")

    @property
    def is_master(self) -> bool:
        """Whether it is a master by its own word."""
        return "myself,master" in self.ask("CLUSTER", "NODES")


class Cluster:
    """Masters that share all slots, and replicas of the first ones."""

    def __init__(self, masters: int = 3, replicas: int = 0) -> None:
        """Start the nodes and wait until they agree."""
        self.nodes = [Node() for _ in range(masters + replicas)]
        self.masters, self.replicas = self.nodes[:masters], self.nodes[masters:]
        for node in self.nodes:
            node.start()
        for number, node in enumerate(self.masters):
            first, last = number * SLOTS // masters, (number + 1) * SLOTS // masters - 1
            node.ask("CLUSTER", "ADDSLOTSRANGE", first, last)
            node.ask("CLUSTER", "SET-CONFIG-EPOCH", number + 1)
        first_node = self.nodes[0]
        for node in self.nodes[1:]:
            node.ask("CLUSTER", "MEET", "127.0.0.1", first_node.port, first_node.bus)
        wait_until(lambda: all(self._knows_all(node) for node in self.nodes), within=20)
        for replica, master in zip(self.replicas, self.masters, strict=False):
            replica.ask("CLUSTER", "REPLICATE", master.name)
        wait_until(lambda: all(self._is_well(node) for node in self.nodes), within=20)

    @property
    def url(self) -> str:
        """Where clients connect: one node is named, the others are found."""
        return f"redis+cluster://127.0.0.1:{self.masters[-1].port}"

    def _knows_all(self, node: Node) -> bool:
        lines = node.ask("CLUSTER", "NODES").splitlines()
        return len(lines) == len(self.nodes) and not any("handshake" in line for line in lines)

    def _is_well(self, node: Node) -> bool:
        with node.client() as client:
            info: dict[str, Any] = client.info("replication")
        linked = info["role"] == "master" or info["master_link_status"] == "up"
        return linked and "cluster_state:ok" in node.ask("CLUSTER", "INFO")

    def owner(self, queue: str) -> Node | None:
        """Find the master that serves a queue now; None while it changes hands."""
        slot = slot_of(queue)
        for node in self.nodes:
            if node.process is not None and node.is_master and node_has(node, slot):
                return node
        return None

    def flush(self) -> None:
        """Empty all masters."""
        for node in self.nodes:
            if node.is_master:
                node.ask("FLUSHALL")

    def move(self, slot: int, source: Node, target: Node, step: int = 1) -> None:
        """Move a slot as an operator does: key by key, while clients go on."""
        target.ask("CLUSTER", "SETSLOT", slot, "IMPORTING", source.name)
        source.ask("CLUSTER", "SETSLOT", slot, "MIGRATING", target.name)
        with source.client() as plain:
            client: Any = plain
            while keys := client.execute_command("CLUSTER", "GETKEYSINSLOT", slot, step):
                client.execute_command(
                    "MIGRATE", "127.0.0.1", target.port, "", 0, 5000, "KEYS", *keys
                )
        for node in (target, source, *[n for n in self.masters if n not in {source, target}]):
            node.ask("CLUSTER", "SETSLOT", slot, "NODE", target.name)

    def stop(self) -> None:
        """Stop everything."""
        for node in self.nodes:
            node.remove()


def slot_of(queue: str) -> int:
    """Get the slot in which all keys of a queue live."""
    return int(key_slot(f"{{{queue}}}".encode()))


def node_has(node: Node, slot: int) -> bool:
    """Whether a node says that it serves a slot."""
    for line in node.ask("CLUSTER", "NODES").splitlines():
        if "myself" not in line:
            continue
        for part in line.split()[8:]:
            first, _, last = part.partition("-")
            if first.isdigit() and int(first) <= slot <= int(last or first):
                return True
    return False


def queue_in(cluster: Cluster, node: Node, stem: str) -> str:
    """Find a queue name that a given node serves."""
    number = next(n for n in range(10_000) if node_has(node, slot_of(f"{stem}{n}")))
    return f"{stem}{number}"

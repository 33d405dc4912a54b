"""What servers say about themselves, gathered for the checks of `limpet doctor`."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from limpet.errors import BackendError

if TYPE_CHECKING:
    from limpet.connection.target import Target
    from limpet.sync import Limpet

ANSWER_WITHIN_S = 3.0


@dataclass(frozen=True, slots=True)
class Facts:
    """One server: its INFO, when it makes snapshots, and why it would not run a script."""

    node: str = ""
    info: dict[str, Any] = field(default_factory=dict)
    #: The setting `save`; None if the server does not tell its settings.
    snapshots: str | None = None
    #: What it said when asked to run a script; None if it ran it.
    refusal: str | None = None

    def number(self, name: str) -> int:
        """Read a number; 0 if it is not told."""
        try:
            return int(self.info.get(name) or 0)
        except ValueError:
            return 0

    def text(self, name: str) -> str:
        """Read a text; empty if it is not told."""
        return str(self.info.get(name, ""))


def gather(client: "Limpet") -> list[Facts]:
    """Ask the server, or each primary of a cluster."""
    refusal = _refusal(client)
    if not client.link.target.clustered:
        return [Facts("", client.link.raw("INFO"), _snapshots(client), refusal)]
    each = _primaries(client.link.target)
    return [Facts(node, info, None, refusal) for node, info in sorted(each.items())]


def _primaries(target: "Target") -> dict[str, dict[str, Any]]:
    """Ask every primary, which a client for queues has no need to do."""
    import redis

    from limpet.connection.clients import sync_client
    from limpet.connection.faults import translate

    try:
        with sync_client(target.url or "", ANSWER_WITHIN_S) as cluster:
            nodes = cluster.get_primaries()
            return {
                node.name: cluster.execute_command("INFO", target_nodes=[node]) for node in nodes
            }
    except (redis.RedisError, OSError) as error:
        raise translate(error, str(target), "") from error


def _snapshots(client: "Limpet") -> str | None:
    try:
        found = client.link.raw("CONFIG GET", "save")
    except BackendError:  # managed servers often keep their settings to themselves
        return None
    told = found.get("save") if isinstance(found, dict) else None
    return told.decode() if isinstance(told, bytes) else told


def _refusal(client: "Limpet") -> str | None:
    from limpet.connection.faults import is_cut

    try:
        client.link.raw("EVAL", "return 1", "0")
    except BackendError as error:
        if isinstance(error.__cause__, Exception) and is_cut(error.__cause__):
            raise
        return str(error)
    return None

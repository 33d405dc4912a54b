"""Managing a queue: cancel, pause, drop, the dead list."""

from limpet.commands.base import Command, Reply, command, misread
from limpet.keys import QueueKeys


def cancel(keys: QueueKeys, ids: list[str], payload: bytes | None) -> Command[int]:
    """Cancel jobs by id (if they still have that payload); answers how many."""

    def read(reply: Reply) -> int:
        match reply:
            case [b"cancelled", removed, told]:
                return int(removed + told)
        misread("cancel", reply)

    check = "" if payload is None else "1"
    return command("cancel", keys, read, check=check, payload=payload or b"", tail=tuple(ids))


def pause(keys: QueueKeys) -> Command[None]:
    """Stop handing jobs out."""

    def read(reply: Reply) -> None:
        if reply != [b"paused"]:
            misread("pause", reply)

    return command("pause", keys, read)


def unpause(keys: QueueKeys) -> Command[None]:
    """Hand jobs out again."""

    def read(reply: Reply) -> None:
        if reply != [b"unpaused"]:
            misread("unpause", reply)

    return command("unpause", keys, read)


def drop(keys: QueueKeys) -> Command[bool]:
    """Drop the whole queue; answers whether there was one."""

    def read(reply: Reply) -> bool:
        match reply:
            case [b"dropped", there]:
                return bool(there == 1)
        misread("drop", reply)

    return command("drop", keys, read)


def revive(keys: QueueKeys, ids: list[str], count: int) -> Command[list[str]]:
    """Give dead jobs another life; answers their ids."""

    def read(reply: Reply) -> list[str]:
        match reply:
            case [b"revived", revived]:
                return [i.decode() if isinstance(i, bytes) else str(i) for i in revived]
        misread("revive", reply)

    return command("revive", keys, read, count=count, tail=tuple(ids))


def purge(keys: QueueKeys, ids: list[str], count: int) -> Command[int]:
    """Forget dead jobs; answers how many."""

    def read(reply: Reply) -> int:
        match reply:
            case [b"purged", purged]:
                return int(purged)
        misread("purge", reply)

    return command("purge", keys, read, count=count, tail=tuple(ids))

"""One step of an audit: verify looks, repair also mends."""

from dataclasses import dataclass

from limpet.commands.base import Command, Reply, command, misread
from limpet.keys import QueueKeys
from limpet.values import Problem


@dataclass(frozen=True, slots=True)
class Audited:
    """What one step found."""

    #: Where to go on, "0" at the end; for given subjects: how many of them were looked at.
    cursor: str
    problems: tuple[Problem, ...]
    #: What later phases may need to know.
    hints: tuple[bytes, ...]


def _read(name: str, reply: Reply) -> Audited:
    match reply:
        case [b"audited", cursor, flat, hints]:
            texts = [raw.decode("utf-8", "backslashreplace") for raw in flat]
            pairs = zip(texts[::2], texts[1::2], strict=True)
            return Audited(cursor.decode(), tuple(Problem(*pair) for pair in pairs), tuple(hints))
    misread(name, reply)


def verify(
    keys: QueueKeys, phase: str, cursor: str = "0", subjects: tuple[bytes, ...] = ()
) -> Command[Audited]:
    """Look for inconsistencies, one chunk of one phase."""

    def read(reply: Reply) -> Audited:
        return _read("verify", reply)

    return command("verify", keys, read, phase=phase, cursor=cursor, tail=subjects)


def repair(
    keys: QueueKeys, phase: str, cursor: str = "0", subjects: tuple[bytes, ...] = ()
) -> Command[Audited]:
    """Look for inconsistencies and mend them, one chunk of one phase."""

    def read(reply: Reply) -> Audited:
        return _read("repair", reply)

    return command("repair", keys, read, phase=phase, cursor=cursor, tail=subjects)

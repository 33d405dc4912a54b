"""Ending a delivery: ack, fail, release, retry."""

from limpet.commands.base import Command, Reply, command, misread
from limpet.commands.take import show
from limpet.keys import QueueKeys
from limpet.values import Receipt


def settled(receipts: list[Receipt], refused: frozenset[int]) -> list[str]:
    """List the ids whose receipts were accepted, each once."""
    if refused:
        receipts = [receipt for n, receipt in enumerate(receipts, 1) if n not in refused]
    return list(dict.fromkeys([receipt.id for receipt in receipts]))


def ack(keys: QueueKeys, receipts: list[Receipt]) -> Command[list[str]]:
    """End jobs as done; answers the ids really acked."""
    shown = show(receipts)

    def read(reply: Reply) -> list[str]:
        match reply:
            case [b"acked", refused]:
                return settled(receipts, shown.back(refused))
        misread("ack", reply)

    return command("ack", keys, read, tail=shown.args)


def release(keys: QueueKeys, receipts: list[Receipt], delay_ms: int | None) -> Command[list[str]]:
    """Give jobs back, now or for later; answers the ids really released."""
    shown = show(receipts)

    def read(reply: Reply) -> list[str]:
        match reply:
            case [b"released", refused]:
                return settled(receipts, shown.back(refused))
        misread("release", reply)

    delay = "" if delay_ms is None else delay_ms
    return command("release", keys, read, delay_ms=delay, tail=shown.args)


def complete(keys: QueueKeys, receipt: Receipt, result: bytes) -> Command[bool]:
    """End a job as done and keep its result; answers False for a stale receipt."""

    def read(reply: Reply) -> bool:
        return _ended("complete", b"completed", reply)

    return command("complete", keys, read, id=receipt.id, fence=receipt.fence, result=result)


def strand(keys: QueueKeys, receipt: Receipt, task: str) -> Command[bool]:
    """Set a job aside for a worker that knows its task; answers False for a stale receipt."""

    def read(reply: Reply) -> bool:
        return _ended("strand", b"stranded", reply)

    return command("strand", keys, read, id=receipt.id, fence=receipt.fence, task=task)


def _ended(name: str, word: bytes, reply: Reply) -> bool:
    match reply:
        case [said] if said == word:
            return True
        case [b"stale"] | [b"cancelled"]:
            return False
    misread(name, reply)


def fail(keys: QueueKeys, receipt: Receipt, message: bytes, dead_limit: int) -> Command[bool]:
    """End a job in failure; answers False for a stale receipt."""

    def read(reply: Reply) -> bool:
        return _ended("fail", b"failed", reply)

    return command(
        "fail",
        keys,
        read,
        id=receipt.id,
        fence=receipt.fence,
        message=message,
        dead_limit=dead_limit,
    )


def retry(keys: QueueKeys, receipt: Receipt, delay_ms: int, message: bytes) -> Command[bool]:
    """Schedule a job for another attempt; answers False for a stale receipt."""

    def read(reply: Reply) -> bool:
        return _ended("retry", b"retried", reply)

    return command(
        "retry",
        keys,
        read,
        id=receipt.id,
        fence=receipt.fence,
        delay_ms=delay_ms,
        message=message,
    )

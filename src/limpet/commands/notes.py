"""What jobs tell about themselves while they run, and how they ended."""

from limpet.commands.base import Command, Reply, command, loads, misread, number, readable
from limpet.errors import ConfigError
from limpet.keys import QueueKeys
from limpet.values import Notes, Outcome, Receipt

MAX_LINES = 100
MAX_EFFECTS = 100


def _noted(name: str, reply: Reply) -> bool:
    match reply:
        case [b"noted"]:
            return True
        case [b"stale"]:
            return False
    misread(name, reply)


def progress(keys: QueueKeys, receipt: Receipt, fraction: float, said: str) -> Command[bool]:
    """Note how far a job has come; answers False for a stale receipt."""

    def read(reply: Reply) -> bool:
        return _noted("progress", reply)

    return command(
        "progress",
        keys,
        read,
        id=receipt.id,
        fence=receipt.fence,
        fraction=repr(fraction),
        said=said,
    )


def log(keys: QueueKeys, receipt: Receipt, line: str) -> Command[bool]:
    """Add a line to a job's log; answers False for a stale receipt."""

    def read(reply: Reply) -> bool:
        return _noted("log", reply)

    return command(
        "log", keys, read, id=receipt.id, fence=receipt.fence, line=line, limit=MAX_LINES
    )


def once(keys: QueueKeys, receipt: Receipt, effect: str) -> Command[bool | None]:
    """Note an effect by name; True if no delivery did so before, None for a stale receipt."""

    def read(reply: Reply) -> bool | None:
        match reply:
            case [b"first" | b"again" as word]:
                return bool(word == b"first")
            case [b"stale"]:
                return None
            case [b"full"]:
                raise ConfigError(
                    f"a job can note {MAX_EFFECTS} effects; {effect!r:.60} is too many"
                )
        misread("once", reply)

    return command(
        "once", keys, read, id=receipt.id, fence=receipt.fence, effect=effect, limit=MAX_EFFECTS
    )


def notes(keys: QueueKeys, job_id: str) -> Command[Notes]:
    """Show what a job told about itself."""

    def read(reply: Reply) -> Notes:
        match reply:
            case [b"notes", raw]:
                return _notes(raw)
        misread("notes", reply)

    return command("notes", keys, read, id=job_id)


def _notes(raw: bytes) -> Notes:
    found = loads(raw)
    fraction, log, effects = found.get("fraction"), found.get("log"), found.get("once")
    return Notes(
        fraction=fraction if isinstance(fraction, (int, float)) else None,
        text=readable(found.get("said")) or "",
        at=number(found, "at"),
        log=tuple(_line(line) for line in log) if isinstance(log, list) else (),
        once=tuple(sorted(effects)) if isinstance(effects, dict) else (),
    )


def _line(raw: str) -> tuple[int, str]:
    at, _, text = str(raw).partition(" ")
    return int(at) if at.isdigit() else 0, readable(text) or ""


def result(keys: QueueKeys, job_id: str) -> Command[Outcome | None]:
    """Show how a job ended; None if it has not."""

    def read(reply: Reply) -> Outcome | None:
        match reply:
            case [b"ended", b"done" | b"failed" | b"cancelled" as word, at, body]:
                return Outcome(job_id, word.decode(), body, at)
            case [b"pending"]:
                return None
            case [b"unknown"]:
                return Outcome(job_id, "unknown")
        misread("result", reply)

    return command("result", keys, read, id=job_id)


def stranded(keys: QueueKeys) -> Command[dict[str, int]]:
    """Count the jobs that were set aside, by the task nobody knew."""

    def read(reply: Reply) -> dict[str, int]:
        match reply:
            case [b"stranded", *flat]:
                pairs = zip(flat[::2], flat[1::2], strict=True)
                return {task.decode("utf-8", "replace"): many for task, many in pairs}
        misread("stranded", reply)

    return command("stranded", keys, read)

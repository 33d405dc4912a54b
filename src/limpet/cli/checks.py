"""What can be wrong with a server, each a function from its facts to a finding."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from limpet.cli.facts import Facts
from limpet.cli.output import size

Grade = Literal["ok", "warning", "wrong"]

#: The oldest servers whose commands the scripts use.
FLOORS = {"valkey": (7, 2), "redis": (7, 0)}
#: Share of the memory limit from which on a warning is due.
TIGHT = 0.9


@dataclass(frozen=True, slots=True)
class Finding:
    """One check: how it went, what was found, and what to do about it."""

    check: str
    grade: Grade
    found: str
    remedy: str = ""
    node: str = ""


def version(facts: Facts) -> Finding:
    """Check that the server is new enough for the scripts."""
    family, told = family_and_version(facts)
    parts = tuple(int(part) for part in told.split(".")[:2] if part.isdigit())
    floor = FLOORS.get(family)
    if floor is None or not parts:
        remedy = "use Redis 7.0 or newer, or Valkey 7.2 or newer"
        return Finding("version", "warning", f"{family} {told} is not known to work", remedy)
    if parts < floor:
        needed = ".".join(str(part) for part in floor)
        return Finding(
            "version", "wrong", f"{family} {told} is too old", f"update it to {needed} or newer"
        )
    return Finding("version", "ok", f"{family} {told}")


def family_and_version(facts: Facts) -> tuple[str, str]:
    """Tell which server it is; those that copy Redis say so in fields of their own."""
    for field in ("valkey_version", "dragonfly_version", "keydb_version"):
        if facts.text(field):
            return field.removesuffix("_version"), facts.text(field)
    return "redis", facts.text("redis_version")


def scripts(facts: Facts) -> Finding:
    """Check that this user may run scripts: every operation is one."""
    if facts.refusal is None:
        return Finding("scripts", "ok", "this user may run them")
    return Finding("scripts", "wrong", facts.refusal, "allow this user EVAL and EVALSHA")


def role(facts: Facts) -> Finding:
    """Check that the server takes writes."""
    if facts.text("role") != "slave":
        replicas = facts.number("connected_slaves")
        return Finding("role", "ok", f"primary with {replicas} replicas" if replicas else "primary")
    primary = f"{facts.text('master_host')}:{facts.text('master_port')}"
    return Finding("role", "wrong", "it is a read-only replica", f"name its primary, {primary}")


def persistence(facts: Facts) -> Finding:
    """Check what a restart of the server would leave."""
    failed = [
        name
        for name in ("rdb_last_bgsave_status", "aof_last_write_status", "aof_last_bgrewrite_status")
        if facts.text(name) not in {"", "ok"}
    ]
    if failed:
        remedy = "make room on its disk and look into its log; it may refuse pushes meanwhile"
        return Finding("persistence", "wrong", f"{failed[0]} is not ok", remedy)
    if facts.number("aof_enabled"):
        return Finding("persistence", "ok", "every write is logged on disk (AOF)")
    remedy = "set appendonly yes"
    if facts.snapshots:
        found = f"snapshots only (save {facts.snapshots}): a restart loses what came after the last"
        return Finding("persistence", "warning", found, remedy)
    if facts.snapshots is None:
        found = "no log of writes (AOF); whether snapshots are made is not told"
        return Finding("persistence", "warning", found, remedy)
    return Finding("persistence", "warning", "none: a restart loses all jobs", remedy)


def eviction(facts: Facts) -> Finding:
    """Check that a full server refuses pushes instead of deleting jobs."""
    policy = facts.text("maxmemory_policy") or "noeviction"
    if not policy.startswith("allkeys"):
        # The volatile policies take keys with a time to live only, and no job is in such a key.
        return Finding("eviction", "ok", f"maxmemory-policy {policy} deletes no jobs")
    grade: Grade = "wrong" if facts.number("maxmemory") else "warning"
    found = f"maxmemory-policy {policy}: when memory is full, jobs are deleted"
    return Finding("eviction", grade, found, "set maxmemory-policy noeviction")


def memory(facts: Facts) -> Finding:
    """Check that there is room for more jobs."""
    used, limit = facts.number("used_memory"), facts.number("maxmemory")
    limit, of = (limit, "allowed") if limit else (facts.number("total_system_memory"), "installed")
    if not limit:
        return Finding("memory", "ok", f"{size(used)} used, no limit")
    found = f"{size(used)} used of {size(limit)} {of}"
    if used >= limit:
        return Finding("memory", "wrong", f"{found}: pushes are refused", "raise maxmemory")
    if used >= TIGHT * limit:
        remedy = "raise maxmemory, or take and end jobs faster"
        return Finding("memory", "warning", f"{found}: pushes will be refused", remedy)
    return Finding("memory", "ok", found)


CHECKS: tuple[Callable[[Facts], Finding], ...] = (
    version,
    scripts,
    role,
    persistence,
    eviction,
    memory,
)


def examine(servers: list[Facts]) -> Iterator[Finding]:
    """Hold every server against every check."""
    for facts in servers:
        for check in CHECKS:
            finding = check(facts)
            yield Finding(
                finding.check, finding.grade, finding.found, finding.remedy, node=facts.node
            )

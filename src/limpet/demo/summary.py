"""What the judge found, in words."""

from collections.abc import Iterator
from pathlib import Path

from limpet.demo import judge, plan
from limpet.demo.judge import Evidence

_SHOWN = 12


def judge_again(folder: str) -> int:
    """Judge notes that were kept; the answer is the exit code."""
    return write_summary(judge.load(Path(folder)))


def write_summary(evidence: Evidence, took_s: float | None = None) -> int:
    """Write the summary on standard output; the answer is the exit code."""
    from rich.console import Console

    console = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
    faults = judge.faults(evidence)
    for line in ["", *_story(evidence), "", *_figures(evidence), ""]:
        console.print(line)
    for fault in faults[:_SHOWN]:
        console.print(f"  {fault}", style="red")
    if len(faults) > _SHOWN:
        console.print(f"  and {len(faults) - _SHOWN} more", style="red")
    after = "" if took_s is None else f", after {took_s:.1f} s"
    if faults:
        console.print(f"NOT PROVEN: see above{after}", style="bold red")
        return 1
    console.print(f"PROVEN: every job done, none lost, each acked once{after}", style="bold green")
    return 0


def _story(evidence: Evidence) -> Iterator[str]:
    acked = len({*evidence.times("acked"), *evidence.unnoted})
    yield f"{len(evidence.pushed)} jobs were pushed, {acked} were done."
    if evidence.killed:
        held = len(evidence.in_hand)
        yield f"{evidence.killed} was killed (SIGKILL) with {held} jobs in hand."
    again = [job for job in evidence.again if job in evidence.in_hand]
    if again:
        yield f"{len(again)} jobs were started twice, because the killed worker had them:"
        yield from _ids(again)
    froze = [job for job in evidence.again if job not in evidence.in_hand and evidence.froze[job]]
    if froze:
        yield f"{len(froze)} jobs were started twice, because a worker froze longer than its lease:"
        yield from _ids(froze)
    if evidence.back_s is not None:
        lease = f"lease {plan.LEASE_S:g} s, heartbeat {plan.HEARTBEAT_S:g} s"
        yield f"The last of them ran again {evidence.back_s:.1f} s after the kill ({lease})."


def _ids(ids: list[str]) -> Iterator[str]:
    shown = [*ids[:_SHOWN], *(["..."] if len(ids) > _SHOWN else [])]
    for first in range(0, len(shown), 4):
        yield f"    {'  '.join(shown[first : first + 4])}"


def _figures(evidence: Evidence) -> Iterator[str]:
    """Line up what was noted, and by whom."""
    yield "Compared: the ids the producer got, and what each worker noted."
    yield f"    pushed   {len(evidence.pushed):>4}   by the producer"
    for what in ("started", "acked"):
        each = evidence.by_worker(what)
        shares = ", ".join(f"{count} by {worker}" for worker, count in each.items())
        yield f"    {what:<8} {sum(each.values()):>4}   {shares}"
    if evidence.unnoted:
        by = f"by {evidence.killed}, killed before it noted the answer"
        yield f"    acked    {len(evidence.unnoted):>4}   {by}"
    yield f"    ended    {evidence.counts.get('completed', 0):>4}   by the queue's own count"

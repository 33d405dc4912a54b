"""Says what a worker is doing, slot by slot."""

from collections.abc import Iterable

from limpet.worker.slots import Running


def describe(slots: Iterable[Running], concurrency: int) -> str:
    """Write a line per slot in use, longest first, with the stack of each."""
    used = sorted(slots, key=lambda running: running.since)
    lines = [f"{len(used)} of {concurrency} slots in use"]
    for running in used:
        lines.append(f"  {_line(running)}")
        lines += [f"    {frame}" for frame in _frames(running)]
    return "\n".join(lines)


def _line(running: Running) -> str:
    state = "ending" if running.settling else running.why.value if running.why else "running"
    name = running.job.task or "no task"
    queue, deliveries = running.job.queue, running.job.deliveries
    return (
        f"{name} {running.job.id} of queue {queue}, delivery {deliveries},"
        f" {state} for {running.seconds:.1f} s"
    )


def _frames(running: Running) -> list[str]:
    if running.settling or running.handle is None:
        return []
    return running.executor.describe(running)

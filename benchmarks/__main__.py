"""`python3 dev.py bench`: see --help."""

import argparse
import os
import signal
import sys
from collections.abc import Callable

from benchmarks import profiling
from benchmarks.bars import evaluate
from benchmarks.catalogue import Peer, chosen
from benchmarks.cores import SERVER_CORE
from benchmarks.facts import note_facts
from benchmarks.measures import core, crowds, peers, raw, scaling
from benchmarks.places import DOCS, RESULTS
from benchmarks.plan import FULL, QUICK, Plan
from benchmarks.progress import expected
from benchmarks.report.page import write
from benchmarks.seat import Trouble
from benchmarks.table import Table

STAGES = ("peers", "raw", "core", "scaling", "crowds", "profile")


def stages(peers_chosen: list[Peer]) -> dict[str, Callable[[Table], None]]:
    """Name the stages of a run, in order."""
    return {
        "raw": raw.run,
        "core": core.run,
        "peers": lambda table: peers.run(table, peers_chosen),
        "scaling": scaling.run,
        "crowds": crowds.run,
        "profile": profiling.run,
    }


def options(arguments: list[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="dev.py bench", description="Measure limpet, its peers and the bare server in one run."
    )
    parser.add_argument(
        "--quick", action="store_true", help="one round, no scaling: 2 to 3 minutes"
    )
    parser.add_argument("--only", choices=STAGES, help="one stage; nothing is published")
    parser.add_argument("--peers", help="some of them, by name: celery,rq; nothing is published")
    parser.add_argument("--publish", action="store_true", help="write docs/ whatever was left out")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    """Run all stages; a full run is published in docs/, every run is kept in results/."""
    asked = options(arguments)
    plan = QUICK if asked.quick else FULL
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the server must not outlive us
    table = Table(plan, lambda line: print(line, flush=True))
    try:
        note_facts(table, quick=asked.quick)
        os.sched_setaffinity(0, {SERVER_CORE})
        who = chosen(asked.peers)
        wanted = [name for name in stages(who) if _is_wanted(plan, asked.only, name)]
        table.expected = sum(expected(plan, who)[name] for name in wanted)
        for name in wanted:
            _try(table, name, stages(who)[name])
        part = bool(asked.only or asked.peers)
        _publish(table, "part" if part else "quick" if asked.quick else "full", asked.publish)
    finally:
        table.close()
    return 0


def _is_wanted(plan: Plan, only: str | None, name: str) -> bool:
    """Say whether a stage is part of the run."""
    return only == name or (not only and (plan.scaling or name not in {"scaling", "profile"}))


def _try(table: Table, name: str, stage: Callable[[Table], None]) -> None:
    """Run a stage; one that fails is told, and the run goes on."""
    try:
        stage(table)
    except Trouble as error:
        table.book.trouble[name] = str(error)
        table.say(f"{name}: {error}")


def _publish(table: Table, kind: str, publish: bool) -> None:  # noqa: FBT001 - from an option
    path = RESULTS / f"{kind}.json"
    table.book.save(path)
    table.say(f"samples: {path}")
    for bar in evaluate(table.book):
        if bar.met is not None:
            print(
                f"  {'met   ' if bar.met else 'MISSED'} {bar.what}: {bar.measured} (bar {bar.bar})"
            )
    for name, why in table.book.trouble.items():
        print(f"  not measured: {name}: {why}")
    if publish or kind == "full":
        write(table.book, DOCS)
        table.say("docs/benchmarks.md")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

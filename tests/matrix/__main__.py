"""`python -m tests.matrix`: all faults with as many seeds as wanted, and the page about them."""

import argparse
import sys

from tests.matrix.report import PAGE, line, write_page
from tests.matrix.rounds import chosen, play_all


def main() -> int:
    """Play, print a line for each fault, write the page if all were played."""
    parser = argparse.ArgumentParser(prog="dev.py faults", description=__doc__)
    parser.add_argument("--seeds", type=int, default=3, help="runs of each fault (3)")
    parser.add_argument("--jobs", type=int, default=200, help="jobs in each run (200)")
    parser.add_argument("--only", action="append", default=[], help="a fault, such as F3 or F3b")
    given = parser.parse_args()
    names = chosen(given.only)
    if not names or given.seeds < 1 or given.jobs < 1:
        parser.error("no such fault, or nothing to play")
    rows = play_all(names, given.seeds, given.jobs, lambda row: print(line(row), flush=True))
    wrong = [outcome.wrong for row in rows for outcome in row.outcomes if outcome.wrong]
    print(*wrong, sep="\n\n", end="\n" if wrong else "")
    if not given.only:
        write_page(rows, f"dev.py faults --seeds {given.seeds} --jobs {given.jobs}")
        print(f"written: {PAGE}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

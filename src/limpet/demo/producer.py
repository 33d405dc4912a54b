"""The producer of the demo, in a process of its own: `python -m limpet.demo.producer`."""

import json
import sys
import time
from pathlib import Path

from limpet import Limpet
from limpet.demo import plan
from limpet.demo.notes import PRODUCER, Notebook


def main(queue_name: str, folder: str) -> None:
    """Push all jobs in batches, and note the ids the server gave them."""
    notes = Notebook(Path(folder), PRODUCER)
    with Limpet() as limpet:
        queue = limpet.queue(queue_name)
        for first in range(0, plan.JOBS, plan.BATCH):
            numbers = range(first, min(first + plan.BATCH, plan.JOBS))
            for pushed in queue.push_many([_payload(number) for number in numbers]):
                notes.note("pushed", pushed.id)
            time.sleep(plan.BETWEEN_BATCHES_S)


def _payload(number: int) -> str:
    return json.dumps({"picture": number, "takes_s": plan.duration_s(number)})


if __name__ == "__main__":
    main(*sys.argv[1:])

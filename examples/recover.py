"""A worker process is killed with a job in hand; the job comes back by itself."""

import os
import signal
import subprocess
import sys

from limpet import Limpet

QUEUE = "example-recover"


def connect() -> Limpet:
    """Use a short lease, so that a dead worker is noticed soon."""
    return Limpet(heartbeat="300ms", lease="1s")


def die_with_a_job() -> None:
    """Take a job, say so, and never come back: what the other process runs."""
    with connect() as limpet:
        (job,) = limpet.queue(QUEUE).pop()
        print(f"first worker has {job.payload.decode()!r}, delivery {job.deliveries}", flush=True)
        os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    """Push one job, let one worker die with it, and finish it with another."""
    with connect() as limpet:
        queue = limpet.queue(QUEUE)
        queue.push("write the report")
        subprocess.run([sys.executable, __file__, "die"], check=False)

        (job,) = queue.pop(wait="10s")  # woken as soon as the dead worker's lease is over
        print(f"second worker has {job.payload.decode()!r}, delivery {job.deliveries}")
        print("workers that died with it:", job.crashes)
        print("acked:", queue.ack(job) == [job.id])
        queue.drop()


if __name__ == "__main__":
    die_with_a_job() if sys.argv[1:] == ["die"] else main()

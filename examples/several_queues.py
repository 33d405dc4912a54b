"""One worker, several queues, strictly in order: the urgent ones first."""

from limpet import Limpet

with Limpet() as limpet:
    limpet.queue("example-low").push_many(["newsletter 1", "newsletter 2"])
    limpet.queue("example-high").push_many(["alarm 1", "alarm 2"])

    while jobs := limpet.pop("example-high", "example-low", count=3):
        print("taken together:", ", ".join(job.payload.decode() for job in jobs))
        limpet.ack(*jobs)

    limpet.queue("example-low").drop()
    limpet.queue("example-high").drop()

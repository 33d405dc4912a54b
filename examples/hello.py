"""Push three jobs, take them, end them."""

from limpet import Limpet

with Limpet() as limpet:
    queue = limpet.queue("example-hello")
    queue.push_many(["Anna", "Ben", "Cleo"])

    while jobs := queue.pop(count=2):
        for job in jobs:
            print("hello", job.payload.decode())
        queue.ack(*jobs)

    print("done:", queue.stats().completed)
    queue.drop()

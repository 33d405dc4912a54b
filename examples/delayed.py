"""Jobs for later: after a delay, at a moment, and another attempt after an error."""

from datetime import UTC, datetime, timedelta

from limpet import Limpet

with Limpet() as limpet:
    queue = limpet.queue("example-later")
    queue.push("in a moment", delay="300ms")
    queue.push("at a time", at=datetime.now(UTC) + timedelta(seconds=0.6))
    queue.push("at once")
    print("scheduled:", queue.stats().scheduled)

    # A waiting pop wakes up when a job becomes due; nothing polls.
    while jobs := queue.pop(wait="2s"):
        (job,) = jobs
        if job.payload == b"at a time" and job.retries == 0:
            print("not yet:", job.payload.decode())
            queue.retry(job, delay="200ms", message="the shop is closed")
        else:
            print("done:", job.payload.decode())
            queue.ack(job)

    queue.drop()

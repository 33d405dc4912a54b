"""The demo: a producer, two workers, one of them killed with jobs in hand, nothing lost.

    plan        how many jobs, how long they take, when the kill comes
    stage       the server: one of its own in a temporary home, or one that was named
    producer    a process that pushes
    worker      a process that pops, works and acks
    crew        starts these processes, kills one, stops the rest
    director    watches, kills at the right moment, notices the end
    notes       what every process writes down while it happens
    judge       compares the notes; knows nothing of the queue
    summary     what the judge found, in words
    view        the live picture

Producer and workers use nothing but the public API.
"""


def play(url: str | None = None, notes: str | None = None) -> int:
    """Run the demo; the answer is the exit code, 0 only if everything was proven."""
    from limpet.demo.director import direct

    return direct(url, notes)

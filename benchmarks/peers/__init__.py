"""One file per queue, each run in an environment of its own; none of them imports another.

A file offers functions of numbers of jobs: `enqueue` (one by one), and if it can `bulk` and
`concurrent` (100 at a time); `work` runs a worker until it gets SIGTERM. Each may be a coroutine.
"""

"""The parent of worker processes: it runs no user code, so nothing can starve or crash it.

It starts the children, keeps their leases alive beside their own hearts, sees at once when one
dies, returns its jobs and starts another. The pieces:

    loop        waits for signals, words and deaths, and acts on them
    crew        all children: started, replaced, stopped, buried
    children    one process and its wire
    signs       is a silent child frozen, or busy?
    leases      the second heartbeat, and the return of what the dead held
    restarts    what follows the end of a child, and how soon
    changes     which files were changed
    signals     signals as things to read
"""

from limpet.worker.parent.loop import Parent

__all__ = ["Parent"]

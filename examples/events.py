"""Listen to what happens in a queue."""

from limpet import Limpet

with Limpet() as limpet:
    queue = limpet.queue("example-events")

    with queue.events() as events:  # from here on; events are not kept for later listeners
        queue.push_many(["a", "b", "c"])
        first, second = queue.pop(count=2)
        queue.ack(first)
        queue.fail(second, "out of ink")
        queue.cancel(payload="c")
        queue.drop()

        while event := events.next(within="500ms"):
            print(event.kind, event.count or "")
            if event.kind == "delete":
                break

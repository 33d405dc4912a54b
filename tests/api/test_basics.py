"""The everyday path, in both flavours."""

from typing import Any


def test_a_pushed_job_is_popped_acked_and_gone(limpet: Any) -> None:
    """Push, pop and ack move a job through its life and count it."""
    queue = limpet.queue("mail")

    pushed = queue.push(b"hello")
    (delivery,) = queue.pop()
    acked = queue.ack(delivery)

    assert delivery.payload == b"hello"
    assert acked == [pushed.id]
    stats = queue.stats()
    assert (stats.waiting, stats.running, stats.completed) == (0, 0, 1)

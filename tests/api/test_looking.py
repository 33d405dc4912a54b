"""Looking into queues and keeping them, in both flavours."""

from typing import Any

from limpet import Event, State


def test_every_state_can_be_inspected(limpet: Any) -> None:
    """Each state shows its own jobs with what is known of them."""
    queue = limpet.queue("q")
    queue.push_many([b"dead", b"run", b"wait"])
    queue.push(b"later", delay="1h")
    dead, run = queue.pop(count=2)
    queue.fail(dead, "why")

    shown = {state: [j.payload for j in queue.inspect(state=state)] for state in State}

    assert shown == {
        State.SCHEDULED: [b"later"],
        State.WAITING: [b"wait"],
        State.PARKED: [],
        State.RUNNING: [b"run"],
        State.DEAD: [b"dead"],
    }
    (running,) = queue.inspect(state="running")
    assert (running.worker, running.receipt, running.deliveries) == (limpet.worker, run.receipt, 1)
    assert running.at == run.delivered_at
    assert running.elapsed >= 0


def test_positions_count_from_either_end(limpet: Any) -> None:
    """Negative starts count from the end; out of range is an empty list."""
    queue = limpet.queue("q")
    queue.push_many([b"a", b"b", b"c", b"d"])
    queue.release(*queue.pop(count=1))

    def shown(start: int, count: int) -> list[bytes]:
        return [j.payload for j in queue.inspect(start, count)]

    assert shown(0, 2) == [b"a", b"b"]
    assert shown(2, 9) == [b"c", b"d"]
    assert shown(-1, 1) == [b"d"]
    assert shown(-3, 2) == [b"b", b"c"]
    assert shown(4, 1) == shown(-5, 1) == shown(10**9, 1) == []


def test_a_cancelled_job_leaves_no_gap_in_positions(limpet: Any) -> None:
    """Positions count jobs, not what removed ones left behind."""
    queue = limpet.queue("q")
    pushed = queue.push_many([b"a", b"b", b"c", b"d"])

    queue.cancel(id=pushed[1].id)

    assert [j.payload for j in queue.inspect(0, 9)] == [b"a", b"c", b"d"]
    assert [j.payload for j in queue.inspect(1, 1)] == [b"c"]
    assert [j.payload for j in queue.inspect(-3, 1)] == [b"a"]
    assert queue.len() == 3


def test_one_job_is_found_by_id_and_by_payload(limpet: Any) -> None:
    """job(id) follows a job through its states; find(payload) shows all copies."""
    queue = limpet.queue("q")
    first = queue.push(b"x", lock="l")
    second = queue.push(b"x", lock="l")

    before = queue.job(first.id).state
    (taken,) = queue.pop(count=9)
    states = {view.id: view.state for view in queue.find(b"x")}
    queue.ack(taken)

    assert before is State.WAITING
    assert states == {first.id: State.RUNNING, second.id: State.PARKED}
    assert queue.job(first.id) is None
    assert queue.job(second.id).state is State.WAITING
    assert queue.job("no such job") is None


def test_peek_shows_what_pop_takes(limpet: Any) -> None:
    """Peek is the next job served, None on an empty queue, and changes nothing."""
    queue = limpet.queue("q")
    assert queue.peek() is None
    queue.push_many([b"a", b"b"])

    assert queue.peek().payload == b"a"
    assert queue.len() == 2
    assert queue.pop()[0].payload == b"a"


def test_a_paused_queue_takes_jobs_but_hands_none_out(limpet: Any) -> None:
    """Pause stops pop, not push; unpause goes on."""
    queue = limpet.queue("q")
    queue.pause()

    queue.push(b"a")

    assert queue.pop() == []
    assert queue.stats().paused
    queue.unpause()
    assert queue.pop()[0].payload == b"a"


def test_drop_takes_everything_and_late_receipts_bring_nothing_back(limpet: Any) -> None:
    """A dropped queue is gone with its running jobs, and off the list of queues."""
    queue = limpet.queue("q")
    queue.push_many([b"a", b"b"], unique="running")
    (held,) = queue.pop()

    assert queue.drop()
    assert not queue.drop()
    assert queue.ack(held) == []
    assert queue.release(held) == []

    assert limpet.queues() == []
    assert queue.stats().pending == 0
    assert queue.push(b"a", unique="running").created
    assert limpet.queues() == ["q"]


def test_events_tell_what_happens(limpet: Any) -> None:
    """The six kinds of events are published as things happen."""
    queue = limpet.queue("q")
    with queue.events() as events:
        pushed = queue.push_many([b"a", b"b", b"c"])
        a, b = queue.pop(count=2)
        queue.ack(a)
        queue.fail(b, "x")
        queue.cancel(id=pushed[2].id)
        queue.drop()

        told = [events.next(5) for _ in range(5)]

    assert told == [
        Event("q", "work", count=3),
        Event("q", "done", count=1),
        Event("q", "failed", subject=b.id),
        Event("q", "cancel", subject=pushed[2].id),
        Event("q", "delete"),
    ]


def test_events_can_be_iterated(limpet: Any) -> None:
    """The stream is an iterator over events of several queues."""
    with limpet.events("a", "b") as events:
        limpet.queue("b").push(b"x")

        assert next(iter(events)) == Event("b", "work", count=1)


def test_an_existing_list_is_adopted_in_order(limpet: Any, plain: Any) -> None:
    """Elements of a plain list become jobs, left to right; twins are merged by the policy."""
    plain.rpush("old", *[str(n) for n in range(250)], "7")

    adopted = limpet.queue("q", unique="waiting").adopt("old")

    assert adopted == 250
    assert plain.exists("old") == 0
    taken = limpet.queue("q").pop(count=300)
    assert [d.payload for d in taken] == [str(n).encode() for n in range(250)]

"""Batches and chains: pushed in one step, followed by the server."""

from collections.abc import Callable
from typing import Any

import pytest

from limpet import App, Batch, ConfigError, JobCancelled, Queue
from limpet.app.flow import STEP_KEPT
from limpet.keys import queue_keys
from limpet.tasks.message import read
from limpet.values import Tally
from tests.support.proxy import Proxy

Ask = Callable[..., Any]


@pytest.fixture
def work(app: App) -> Any:
    """A task for flows."""

    @app.task(name="work")
    def task(a: int = 0) -> int:
        return a

    return task


@pytest.fixture
def queue(app: App) -> Queue:
    """The queue under it."""
    return app.limpet.queue("default")


def test_the_follower_runs_when_all_ended(app: App, ask: Ask, work: Any, queue: Queue) -> None:
    """However they ended: done, failed or cancelled; it is told how many of each."""
    batch = ask(app, "batch", [work.item(n) for n in range(4)], then=work.item(9))
    first, second, third, _ = queue.pop(count=9)

    queue.ack(first)
    queue.fail(second, "broken")
    ask(batch.jobs[2], "cancel")
    queue.ack(third)
    assert ask(batch.then, "status") == "parked"
    assert queue.pop() == []
    ask(batch.jobs[3], "cancel")
    queue.release(*[d for d in (first, second, third, _) if d.id == batch.jobs[3].id])

    (last,) = queue.pop(count=9)
    assert last.id == batch.then.id
    assert last.tally == Tally(done=1, failed=1, cancelled=2)


def test_a_batch_is_one_round_trip(make_app: Callable[..., App], proxy: Proxy, ask: Ask) -> None:
    """A thousand jobs with their follower go in one push: nothing can come between."""
    app = make_app(proxy.url)

    @app.task
    def work(a: int) -> None: ...

    ask(work, "enqueue", 0)
    proxy.forget()

    batch = ask(app, "batch", [work.item(n) for n in range(999)], then=work.item(-1))

    assert proxy.names == ["EVALSHA"]
    assert len(batch.jobs) == 999


def test_a_batch_without_follower_is_just_jobs(app: App, ask: Ask, work: Any, queue: Queue) -> None:
    """Nothing waits for them."""
    batch = ask(app, "batch", [work.item(1), work.item(2)])

    assert batch.then is None
    assert [d.id for d in queue.pop(count=9)] == [job.id for job in batch.jobs]


def test_a_batch_without_follower_may_have_any_number(
    make_app: Callable[..., App], proxy: Proxy, ask: Ask
) -> None:
    """One round trip per thousand, all in one queue and in order; nothing is kept about them."""
    app = make_app(proxy.url)

    @app.task
    def work(a: int) -> None: ...

    ask(work, "enqueue", 0)
    proxy.forget()

    batch = ask(app, "batch", [work.item(n) for n in range(2001)], queue="many")

    queue = app.limpet.queue("many")
    assert proxy.names.count("EVALSHA") == 3
    assert len({job.id for job in batch.jobs}) == queue.stats().waiting == 2001
    assert [view.id for view in queue.inspect(1995, 9)] == [job.id for job in batch.jobs[1995:]]
    assert read(queue.inspect(2000, 1)[0].payload, app.codec).args == (2000,)
    assert app.limpet.link.raw("EXISTS", *queue_keys("many").pick(("groups", "members"))) == 0


def test_after_no_items_the_follower_runs_at_once(
    app: App, ask: Ask, work: Any, queue: Queue
) -> None:
    """An empty batch ended when it began; without a follower nothing is sent."""
    batch = ask(app, "batch", [], then=work.item(9))

    assert batch.jobs == []
    (last,) = queue.pop(count=9)
    assert (last.id, last.tally) == (batch.then.id, Tally())
    assert ask(app, "batch", []) == Batch([], None)


def test_twins_in_a_batch_are_not_waited_for(app: App, ask: Ask, queue: Queue) -> None:
    """A refused job belongs to whoever enqueued it first; the follower is never refused."""

    @app.task(unique="waiting")
    def once(a: int) -> None: ...

    other = ask(once, "enqueue", 1)
    ask(once, "enqueue", 3)

    batch = ask(app, "batch", [once.item(1), once.item(2)], then=once.item(3))
    deliveries = {d.id: d for d in queue.pop(count=9)}
    queue.ack(deliveries[batch.jobs[1].id])

    assert (batch.jobs[0].id, batch.jobs[0].created) == (other.id, False)
    assert batch.then.created
    assert [d.id for d in queue.pop(count=9)] == [batch.then.id]


def test_steps_run_one_after_the_other(app: App, ask: Ask, work: Any, queue: Queue) -> None:
    """Each can read the result of the one before, which is kept for it."""
    steps = ask(app, "chain", [work.item(n) for n in range(3)])

    ran = []
    for _ in steps:
        (delivery,) = queue.pop(count=9)
        call = read(delivery.payload, app.codec)
        before = queue.result(call.previous) if call.previous else None
        ran.append((delivery.id, call.args, before and before.body))
        queue.complete(delivery, b"%d" % (call.args[0] + 10))

    assert ran == [
        (steps[0].id, (0,), None),
        (steps[1].id, (1,), b"10"),
        (steps[2].id, (2,), b"11"),
    ]


def test_results_of_steps_are_kept_for_the_next_one(app: App, ask: Ask, work: Any) -> None:
    """For a day, or longer if the task says so; the last step's only if its task keeps results."""
    from limpet.app.flow import chain_items

    own = [work.using(result_ttl=time).item(1) for time in ("5m", "2d")]

    planned = chain_items([work.item(1), *own, work.item(3)], None)

    assert [item.item.keep for item in planned] == [STEP_KEPT, STEP_KEPT, "2d", None]
    assert [item.call.keep for item in planned] == [True, True, True, False]


def test_a_failed_step_cancels_the_rest(app: App, ask: Ask, work: Any, queue: Queue) -> None:
    """Nothing of a broken chain runs or hangs."""
    first, second, third = ask(
        app, "chain", [work.using(result_ttl="1h").item(n) for n in range(3)]
    )
    queue.fail(queue.pop()[0], "broken")

    assert queue.pop() == []
    assert [ask(job, "status") for job in (first, second, third)] == [
        "dead",
        "cancelled",
        "cancelled",
    ]
    with pytest.raises(JobCancelled):
        ask(third, "result", "5s")
    assert queue.stats().parked == 0


def test_a_cancelled_step_cancels_the_rest(app: App, ask: Ask, work: Any, queue: Queue) -> None:
    """Also one that never ran."""
    steps = ask(app, "chain", [work.item(n) for n in range(3)])

    ask(steps[1], "cancel")
    queue.ack(*queue.pop())

    assert queue.pop() == []
    assert queue.stats().pending == 0


def test_steps_are_never_twins(app: App, ask: Ask) -> None:
    """A chain of a unique task has all its steps."""

    @app.task(unique="waiting")
    def once(a: int) -> None: ...

    ask(once, "enqueue", 1)

    steps = ask(app, "chain", [once.item(1), once.item(1)])

    assert [step.created for step in steps] == [True, True]


def test_a_flow_may_be_given_its_queue(app: App, ask: Ask, work: Any) -> None:
    """Items of several queues come together in the one that is named."""
    items = [work.item(1), work.using(queue="other").item(2)]

    batch = ask(app, "batch", items, then=work.using(queue="third").item(3), queue="flow")
    steps = ask(app, "chain", items, queue="flow")

    assert {job.queue for job in [*batch.jobs, batch.then, *steps]} == {"flow"}


@pytest.mark.parametrize("flow", ["batch", "chain"])
def test_wrong_flows_are_refused_before_anything_is_sent(
    app: App, ask: Ask, work: Any, queue: Queue, flow: str
) -> None:
    """Too many, of several queues, or no items at all: each is told."""
    many, then = [work.item(n) for n in range(1001)], {"then": work.item(0)}
    mixed = [work.item(1), work.using(queue="other").item(2)]

    with pytest.raises(ConfigError, match=r"a .* may have 1,000 jobs, this one has 1,001; make"):
        ask(app, flow, many[1:], **then) if flow == "batch" else ask(app, flow, many)
    with pytest.raises(ConfigError, match=r"these are for default, other; say queue="):
        ask(app, flow, mixed)
    with pytest.raises(ConfigError, match=r"made by task\.item"):
        ask(app, flow, [work.item(1), work])
    assert queue.stats().waiting == 0


def test_a_chain_takes_no_ids_and_no_delays_in_its_middle(
    app: App, ask: Ask, work: Any, queue: Queue
) -> None:
    """A step waits for the one before it, not for a time; its id is the chain's to give."""
    with pytest.raises(ConfigError, match="ids of its own"):
        ask(app, "chain", [work.using(id="mine").item(1)])
    with pytest.raises(ConfigError, match="delay"):
        ask(app, "chain", [work.item(1), work.using(delay="1m").item(2)])
    assert queue.stats().waiting == 0


def test_the_first_step_may_wait_for_its_time(app: App, ask: Ask, work: Any) -> None:
    """A delay there is the delay of the whole chain."""
    first, second = ask(app, "chain", [work.using(delay="1h").item(1), work.item(2)])

    assert (ask(first, "status"), ask(second, "status")) == ("scheduled", "parked")

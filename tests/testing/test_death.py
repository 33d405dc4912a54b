"""A stage kills workers, so that users can test what their tasks do twice."""

import threading

import pytest

from limpet import App, ConfigError, Job
from limpet.testing import Stage, WorkerKilled
from limpet.worker.worker import Worker
from tests.testing.shop import NOWHERE, Shop


@pytest.fixture
def shop(limpet_stage: Stage) -> Shop:
    """A shop whose app is on the stage."""
    made = Shop()
    limpet_stage.use(made.app)
    return made


@pytest.mark.parametrize("name", ["note", "anote"])
def test_a_job_whose_worker_died_before_the_ack_runs_again(
    limpet_stage: Stage, shop: Shop, name: str
) -> None:
    """It ran to its end, comes back with one crash, and runs again: an effect made twice."""
    getattr(shop, name).enqueue("effect")

    limpet_stage.kill_worker()
    (first,) = limpet_stage.drain()

    assert (first.outcome, shop.did) == ("killed", ["effect"])
    (back,) = limpet_stage.jobs()
    assert (back.view.state, back.view.crashes) == ("waiting", 1)

    (second,) = limpet_stage.drain()

    assert (second.outcome, shop.did) == ("done", ["effect", "effect"])
    assert (second.job.crashes, second.job.deliveries) == (1, 2)
    assert second.job.fence > first.job.fence
    assert limpet_stage.jobs() == []


@pytest.mark.parametrize("name", ["charge", "acharge"])
def test_once_keeps_an_effect_from_happening_twice(
    limpet_stage: Stage, shop: Shop, name: str
) -> None:
    """The worker dies after the effect, the second run leaves it out."""
    getattr(shop, name).enqueue(7)

    limpet_stage.kill_worker()
    ran = limpet_stage.drain() + limpet_stage.drain()

    assert [one.outcome for one in ran] == ["killed", "done"]
    assert shop.did == [7]


@pytest.mark.parametrize("name", ["charge", "acharge"])
def test_a_worker_dies_at_a_note_of_its_job(limpet_stage: Stage, shop: Shop, name: str) -> None:
    """At `once` the note is taken and the rest does not happen, now or in the second run."""
    getattr(shop, name).enqueue(7)

    limpet_stage.kill_worker(at="charge")
    (first,) = limpet_stage.drain()
    (second,) = limpet_stage.drain()

    assert (first.outcome, type(first.error)) == ("killed", WorkerKilled)
    assert (second.outcome, second.job.crashes, shop.did) == ("done", 1, [])


def test_an_interrupt_that_comes_with_the_death_hides_nothing(
    limpet_stage: Stage, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The dying worker interrupts its threads, perhaps the one that writes the death down."""
    stop, never = Worker.stop, threading.Event()

    def stop_slowly(worker: Worker, *, now: bool = False) -> None:
        stop(worker, now=now)
        for _ in range(50):  # the interrupt comes between two steps of Python code
            never.wait(0.001)

    monkeypatch.setattr(Worker, "stop", stop_slowly)
    shop.charge.enqueue(7)

    limpet_stage.kill_worker(at="charge")
    ran = limpet_stage.drain() + limpet_stage.drain()

    assert [one.outcome for one in ran] == ["killed", "done"]


def test_a_worker_dies_at_a_report_of_progress(limpet_stage: Stage, shop: Shop) -> None:
    """Between the effect and the end of the job."""
    shop.charge.enqueue(7)

    limpet_stage.kill_worker(shop.charge, at="charged")
    ran = limpet_stage.drain() + limpet_stage.drain()

    assert [one.outcome for one in ran] == ["killed", "done"]
    assert shop.did == [7]


def test_a_worker_dies_after_so_many_jobs(limpet_stage: Stage, shop: Shop) -> None:
    """Those that ended before stay ended; the rest waits for the next drain."""
    for letter in "abcd":
        shop.note.enqueue(letter)

    limpet_stage.kill_worker(after=2)
    first, second = limpet_stage.drain(), limpet_stage.drain()

    assert [(one.args[0], one.outcome) for one in first] == [("a", "done"), ("b", "killed")]
    assert [one.args[0] for one in second] == ["b", "c", "d"]


def test_jobs_that_ended_before_the_death_do_not_come_back(limpet_stage: Stage) -> None:
    """Also where their end is told together with others, a little later."""
    app, did = App(NOWHERE, name="lines"), []

    @app.task(name="first", queue="first")
    def last(number: int) -> None:
        did.append(("last", number))

    @app.task(name="second", queue="second")
    def start(number: int) -> None:
        did.append(("start", number))
        last.enqueue(number)

    limpet_stage.use(app)
    for number in range(10):
        start.enqueue(number)
        limpet_stage.kill_worker(last)
        first, second = limpet_stage.drain(), limpet_stage.drain()

        assert [one.outcome for one in first] == ["done", "killed"]
        assert [(one.task, one.outcome) for one in second] == [("first", "done")]
    assert did.count(("start", 3)) == 1
    assert did.count(("last", 3)) == 2


def test_only_jobs_of_the_named_task_count(limpet_stage: Stage, shop: Shop) -> None:
    """Others end as ever."""
    shop.anote.enqueue("a")
    shop.note.enqueue("b")

    limpet_stage.kill_worker(shop.note)
    ran = limpet_stage.drain()

    assert [one.outcome for one in ran] == ["done", "killed"]


def test_a_failure_that_nobody_heard_of_does_not_count(limpet_stage: Stage, shop: Shop) -> None:
    """A job that raised on a worker that died is a crash, not a retry."""
    shop.flaky.enqueue()

    limpet_stage.kill_worker()
    limpet_stage.drain()

    (back,) = limpet_stage.jobs()
    assert (back.view.crashes, back.view.retries) == (1, 0)


def test_a_job_that_kills_worker_after_worker_is_given_up(limpet_stage: Stage, shop: Shop) -> None:
    """At the crash limit of its queue."""
    shop.note.enqueue("poison")

    for _ in range(3):
        limpet_stage.kill_worker()
        limpet_stage.drain()

    assert limpet_stage.drain() == []
    (dead,) = limpet_stage.jobs()
    assert (dead.view.state, dead.view.crashes) == ("dead", 3)


async def test_an_async_test_kills_workers_too(limpet_stage: Stage, shop: Shop) -> None:
    """In the loop of the test."""
    await shop.acharge.aenqueue(7)

    limpet_stage.kill_worker()
    ran = await limpet_stage.adrain() + await limpet_stage.adrain()

    assert [one.outcome for one in ran] == ["killed", "done"]
    assert shop.did == [7]


def test_a_worker_that_should_have_died_and_did_not_fails_the_test(
    limpet_stage: Stage, shop: Shop
) -> None:
    """A test must not pass because its worker never got so far; the plan is over then."""
    shop.charge.enqueue(7)

    limpet_stage.kill_worker(at="never")
    with pytest.raises(AssertionError, match="a job notes 'never'"):
        limpet_stage.drain()

    assert limpet_stage.drain() == []
    with pytest.raises(ConfigError, match="after"):
        limpet_stage.kill_worker(after=0)


def test_the_crash_limit_of_the_app_counts(limpet_stage: Stage) -> None:
    """Policies of queues are those of the app."""
    app = App(NOWHERE, name="strict", policies={"*": {"crash_limit": 1}})

    @app.task(name="strict.task")
    def task(job: Job) -> None:
        """Do nothing."""

    limpet_stage.use(app)
    task.enqueue()
    limpet_stage.kill_worker()
    limpet_stage.drain()

    assert [job.view.state for job in limpet_stage.jobs()] == ["dead"]


def test_with_many_slots_all_jobs_of_the_dead_worker_come_back(
    limpet_stage: Stage, shop: Shop
) -> None:
    """Nothing is lost, and everything ends in the second drain."""
    for number in range(20):
        shop.note.enqueue(str(number))

    limpet_stage.kill_worker(after=5)
    limpet_stage.drain(concurrency=10)
    limpet_stage.drain(concurrency=10)

    assert set(shop.did) == {str(number) for number in range(20)}
    assert limpet_stage.jobs() == []

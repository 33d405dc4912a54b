"""A stage moves the time that limpet sees, without waiting."""

import threading
import time
from datetime import UTC, datetime, timedelta

import pytest

from limpet import ConfigError, Limpet
from limpet.engine import Engine
from limpet.testing import Stage
from tests.testing.shop import Shop


@pytest.fixture
def shop(limpet_stage: Stage) -> Shop:
    """A shop whose app is on the stage."""
    made = Shop()
    limpet_stage.use(made.app)
    return made


def test_retries_run_when_their_time_has_come(limpet_stage: Stage, shop: Shop) -> None:
    """After the delay of the policy, not before; after the last one the job is dead."""
    shop.flaky.enqueue()

    outcomes = []
    for step in ("0s", "59s", "1s", "1m", "1m"):
        limpet_stage.advance(step)
        outcomes.append([one.outcome for one in limpet_stage.drain()])

    assert outcomes == [["retry"], [], ["retry"], [], ["failed"]]
    assert [job.view.state for job in limpet_stage.jobs()] == ["dead"]


def test_delayed_jobs_run_when_they_are_due(limpet_stage: Stage, shop: Shop) -> None:
    """Delays and moments count on the moved clock, also those said after it was moved."""
    limpet_stage.advance("1d")
    shop.note.using(delay="1h").enqueue("delay")
    shop.note.using(at=limpet_stage.now + timedelta(hours=2)).enqueue("moment")

    assert limpet_stage.drain() == []
    limpet_stage.advance("1h")
    limpet_stage.drain()
    assert shop.did == ["delay"]
    limpet_stage.advance(timedelta(hours=1))
    limpet_stage.drain()
    assert shop.did == ["delay", "moment"]


def test_schedules_fire_at_the_next_drain(limpet_stage: Stage, shop: Shop) -> None:
    """A nightly task runs once per night, whether its time passed in one step or in many."""
    shop.app.cron("nightly", "0 3 * * *", shop.note, "night")

    assert limpet_stage.drain() == []
    limpet_stage.advance("1d")
    limpet_stage.drain()
    for _ in range(24):
        limpet_stage.advance("1h")
        limpet_stage.drain()

    assert shop.did == ["night", "night"]


def test_a_schedule_declared_before_the_time_is_moved_fires(
    limpet_stage: Stage, shop: Shop
) -> None:
    """No drain is needed before the step that passes its time."""
    shop.app.every("often", "10m", shop.note, "tick")

    limpet_stage.advance("10m")
    limpet_stage.drain()

    assert shop.did == ["tick"]


def test_now_is_the_moved_time(limpet_stage: Stage, shop: Shop) -> None:
    """It is the server's time and the steps; a job sees it as its time of enqueuing."""
    limpet_stage.advance("30d")
    shop.note.enqueue("x")

    (ran,) = limpet_stage.drain()

    soon = timedelta(minutes=5)
    assert abs(limpet_stage.now - datetime.now(UTC) - timedelta(days=30)) < soon
    assert abs(limpet_stage.now - ran.job.enqueued_at) < soon


def test_results_are_forgotten_when_their_time_is_over(limpet_stage: Stage, shop: Shop) -> None:
    """The time for which a result is kept is moved as well."""
    job = shop.note.using(result_ttl="1h").enqueue("x", times=3)
    limpet_stage.drain()

    assert job.result("5s") == 3
    limpet_stage.advance("2h")
    assert job.status() == "unknown"


def test_a_living_worker_keeps_its_job_when_the_time_is_moved(limpet_stage: Stage) -> None:
    """However far and often: its lease is not touched, and it can still end its job."""
    with Limpet(limpet_stage.url, lease="2s", heartbeat="500ms") as one:
        queue = one.queue("default")
        queue.push(b"x")
        (held,) = queue.pop()

        with Limpet(limpet_stage.url) as other:
            for _ in range(50):
                limpet_stage.advance("1h")
                assert other.pop("default") == []

        assert queue.ack(held) == [held.id]


def test_all_connections_of_the_process_see_the_moved_time(limpet_stage: Stage) -> None:
    """Also those of other threads, and those that were open before."""
    with Limpet(limpet_stage.url) as client:
        queue = client.queue("later")
        queue.push(b"x", delay="1h")
        limpet_stage.advance("1h")
        found = []
        thread = threading.Thread(target=lambda: found.extend(queue.pop()))
        thread.start()
        thread.join()

        assert [delivery.payload for delivery in found] == [b"x"]
        queue.ack(*found)


def test_a_stage_leaves_the_time_as_it_was(limpet_server: Engine) -> None:
    """The next stage begins at the real time."""
    with Stage(limpet_server.url) as stage:
        stage.advance("1000d")

    with Stage(limpet_server.url) as stage, Limpet(stage.url) as client:
        client.queue("q").push(b"x", delay="1h")
        assert client.pop("q") == []
        assert abs(stage.now.timestamp() - time.time()) < 60


def test_time_does_not_go_back(limpet_stage: Stage) -> None:
    """A negative step, or one that is no duration, is refused."""
    for wrong in (-1, "soon", timedelta(seconds=-5)):
        with pytest.raises(ConfigError):
            limpet_stage.advance(wrong)

"""Missed times and runs that take too long, as a user sets them, at fixed times of the server."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
import redis

from limpet import Limpet, Queue
from limpet.flows.schedules import Fires, fire_due
from tests.support.servers import Server


class Stage:
    """A queue, and a clock that stands still until it is moved."""

    def __init__(self, limpet: Limpet) -> None:
        """Start on a day at noon."""
        self.limpet, self.queue = limpet, limpet.queue("q")
        self.move_to("12:00")

    def move_to(self, time: str) -> None:
        """Let it be this time."""
        self.now = datetime.fromisoformat(f"2026-05-05T{time}").replace(tzinfo=UTC)
        self.limpet.link.at_us = str(round(self.now.timestamp() * 1_000_000))

    def fire(self, time: str) -> list[bytes]:
        """Let it be this time and a worker look at the schedules; gives the waiting payloads."""
        self.move_to(time)
        self.fires = self.limpet.link.run(fire_due(self.queue._keys))
        return [job.payload for job in self.queue.inspect(count=1000)]

    @property
    def next(self) -> list[str]:
        """When the schedules fire next."""
        views = self.queue.schedules()
        return [f"{datetime.fromtimestamp(v.next_at / 1000, UTC):%d %H:%M:%S}" for v in views]


@pytest.fixture
def stage(server: Server, plain: redis.Redis) -> Iterator[Stage]:
    """An empty queue at noon."""
    with Limpet(server.url) as limpet:
        yield Stage(limpet)


def test_a_schedule_fires_at_its_time_and_not_before(stage: Stage) -> None:
    """Then it waits for the next."""
    assert stage.queue.schedule("hourly", b"h", "0 * * * *")

    assert stage.next == ["05 13:00:00"]
    assert stage.fire("12:59:59.999") == []
    assert stage.fires == Fires(-1)
    assert stage.fire("13:00:00") == [b"h"]
    assert stage.fires == Fires(1_000_000)
    assert stage.next == ["05 14:00:00"]
    assert stage.queue.schedules()[0].last_id == stage.queue.peek().id


def test_missed_times_make_one_run(stage: Stage) -> None:
    """By default."""
    stage.queue.schedule("hourly", b"h", "0 * * * *")

    assert stage.fire("17:30") == [b"h"]
    assert stage.next == ["05 18:00:00"]


def test_missed_times_are_skipped_where_asked(stage: Stage) -> None:
    """A minute late is not missed."""
    stage.queue.schedule("hourly", b"h", "0 * * * *", missed="skip")

    assert stage.fire("17:30") == []
    assert stage.next == ["05 18:00:00"]
    assert stage.fire("18:01") == [b"h"]


def test_missed_times_are_all_made_up_for_where_asked(stage: Stage) -> None:
    """One run each."""
    stage.queue.schedule("hourly", b"h", "0 * * * *", missed="all", overlap="queue")

    assert stage.fire("17:30") == [b"h"] * 5
    assert stage.fire("17:31") == [b"h"] * 5


def test_a_thousand_missed_times_are_made_up_for_at_most(stage: Stage) -> None:
    """Then the schedule goes on from the present."""
    stage.queue.schedule("often", b"o", every="1s", missed="all", overlap="queue")

    assert len(stage.fire("20:00")) == 1000
    assert stage.next == ["05 20:00:01"]


def test_a_time_is_left_out_while_the_last_run_is_not_over(stage: Stage) -> None:
    """By default; the next time after its end it runs again."""
    stage.queue.schedule("hourly", b"h", "0 * * * *")
    assert stage.fire("13:00") == [b"h"]
    assert stage.fire("14:00") == [b"h"]

    stage.queue.cancel(payload=b"h")

    assert stage.fire("14:59") == []
    assert stage.fire("15:00") == [b"h"]


def test_runs_queue_up_where_asked(stage: Stage) -> None:
    """Whether the last one is over or not."""
    stage.queue.schedule("hourly", b"h", "0 * * * *", overlap="queue")

    assert [len(stage.fire(time)) for time in ("13:00", "14:00", "15:00")] == [1, 2, 3]


def test_writing_the_same_again_keeps_the_time_that_was_missed(stage: Stage) -> None:
    """A worker that starts writes its schedules; what was due meanwhile still runs."""
    stage.queue.schedule("hourly", b"h", "0 * * * *")
    stage.move_to("13:30")

    assert not stage.queue.schedule("hourly", b"h", "0  *  * * *")
    assert stage.next == ["05 13:00:00"]
    assert stage.fire("13:30") == [b"h"]


def test_a_changed_schedule_starts_from_now(stage: Stage) -> None:
    """What its old form missed is not run."""
    stage.queue.schedule("hourly", b"h", "0 * * * *")
    stage.move_to("13:30")

    assert stage.queue.schedule("hourly", b"new", "0 * * * *")
    assert stage.fire("13:30") == []
    assert stage.fire("14:00") == [b"new"]


def test_many_schedules_fire_together(stage: Stage) -> None:
    """More than one page of them."""
    names = [f"s{n:03}" for n in range(250)]
    for name in names:
        stage.queue.schedule(name, name, "0 * * * *")

    assert sorted(job.decode() for job in stage.fire("13:00")) == names
    assert {view.name for view in stage.queue.schedules()} == set(names)
    assert stage.next == ["05 14:00:00"] * 250


def test_a_schedule_nobody_here_understands_does_not_stop_the_others(
    stage: Stage, plain: redis.Redis
) -> None:
    """It is named; it waits for a worker that knows its zone."""
    stage.queue.schedule("good", b"good", "0 * * * *")
    stage.queue.schedule("odd", b"odd", "30 12 * * *")
    key = stage.queue._keys["schedules"]
    plain.hset(key, "odd", plain.hget(key, "odd").replace(b'"UTC"', b'"Mars/Base"'))

    assert stage.fire("13:00") == [b"good"]

    assert "schedule 'odd' of queue 'q': there is no time zone 'Mars/Base'" in str(
        stage.fires.wrong
    )
    assert stage.fires.next_in_ms == 3_600_000
    assert stage.next == ["05 12:30:00", "05 14:00:00"]


def test_a_time_that_got_lost_is_set_by_whoever_looks(stage: Stage, plain: redis.Redis) -> None:
    """After a repair the schedule goes on; nothing is made up."""
    stage.queue.schedule("hourly", b"h", "0 * * * *")
    plain.delete(stage.queue._keys["firing"])
    assert [problem.kind for problem in stage.queue.repair().problems] == [
        "schedule that never fires"
    ]

    assert stage.fire("13:30") == []
    assert stage.next == ["05 14:00:00"]


def test_a_run_by_hand(stage: Stage) -> None:
    """Now, once; the times stay."""
    stage.queue.schedule("hourly", b"h", "0 * * * *")

    run: Queue = stage.queue
    pushed = run.run_schedule("hourly")

    assert pushed is not None
    assert [job.id for job in run.inspect()] == [pushed.id]
    assert stage.next == ["05 13:00:00"]
    assert run.run_schedule("nightly") is None

"""Schedules with many workers and no leader: every fire time has one effect."""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import pytest
import redis

from limpet import Limpet, Queue
from limpet.scripts import script
from limpet.values import JobView, ScheduleView
from tests.support.puppets import Program
from tests.support.servers import Server
from tests.support.waiting import wait_until

Hearts = Callable[[str, int], list[Program]]
STEP_MS = 200


def end(programs: list[Program]) -> None:
    """Let workers end well."""
    for program in programs:
        program.tell("stop")
    assert [program.end()[0] for program in programs] == [0] * len(programs)


def only(queue: Queue) -> ScheduleView:
    """Get the one schedule of a queue."""
    (view,) = queue.schedules()
    return view


def pushed(queue: Queue) -> list[JobView]:
    """Get all jobs that a queue holds."""
    return queue.inspect(count=1000)


@pytest.mark.slow
def test_with_five_workers_each_fire_time_runs_once(
    server: Server, plain: redis.Redis, hearts: Hearts
) -> None:
    """As many jobs as fire times, none missing, none twice."""
    crew = hearts(server.url, 5)
    with Limpet(server.url) as limpet:
        queue = limpet.queue("q")
        queue.schedule("tick", b"tick", every=STEP_MS / 1000, missed="all", overlap="queue")
        first = only(queue).next_at

        wait_until(lambda: queue.len() >= 15, within=20)
        end(crew)

        assert len(pushed(queue)) == (only(queue).next_at - first) // STEP_MS
        assert queue.verify().ok


@pytest.mark.slow
def test_each_fire_time_runs_once_though_the_server_is_killed_in_between(
    durable: Server, hearts: Hearts
) -> None:
    """What was missed while it was away is made up for, and nothing comes twice."""
    crew = hearts(durable.url, 5)
    with Limpet(durable.url, timeout="60s") as limpet:
        queue = limpet.queue("q")
        queue.schedule("tick", b"tick", every=STEP_MS / 1000, missed="all", overlap="queue")
        first = only(queue).next_at

        for _ in range(3):
            before = queue.len()
            wait_until(lambda b=before: queue.len() >= b + 4, within=20)
            durable.kill()
            durable.start()
        before = queue.len()
        wait_until(lambda: queue.len() >= before + 4, within=20)
        end(crew)

        assert len(pushed(queue)) == (only(queue).next_at - first) // STEP_MS
        assert len({job.id for job in pushed(queue)}) == len(pushed(queue))
        assert queue.verify().ok


@pytest.mark.slow
def test_schedules_outlive_any_worker(server: Server, plain: redis.Redis, hearts: Hearts) -> None:
    """Workers are killed one after the other; the last one still fires."""
    crew = hearts(server.url, 3)
    with Limpet(server.url) as limpet:
        queue = limpet.queue("q")
        queue.schedule("tick", b"tick", every=STEP_MS / 1000, missed="all", overlap="queue")
        first = only(queue).next_at

        for program in crew[:-1]:
            program.process.kill()
            before = queue.len()
            wait_until(lambda b=before: queue.len() >= b + 2, within=20)
        end(crew[-1:])

        assert len(pushed(queue)) == (only(queue).next_at - first) // STEP_MS


@pytest.mark.slow
def test_editing_and_removing_takes_effect_without_restart(
    server: Server, plain: redis.Redis, hearts: Hearts
) -> None:
    """The running worker pushes the new payload at the new times, and then nothing more."""
    (worker,) = hearts(server.url, 1)
    with Limpet(server.url) as limpet:
        queue = limpet.queue("q")
        queue.schedule("tick", b"old", every="200ms", overlap="queue")
        wait_until(lambda: queue.len() >= 2)

        assert queue.schedule("tick", b"new", every="100ms", overlap="queue")
        edited = queue.len()
        wait_until(lambda: queue.len() >= edited + 3)
        assert queue.unschedule("tick")
        removed = queue.len()
        queue.schedule("end", b"end", every="300ms", overlap="queue")
        wait_until(lambda: queue.find(b"end"))
        end([worker])

        payloads = [job.payload for job in pushed(queue)]
        assert payloads[:edited] == [b"old"] * edited
        assert payloads[edited:removed] == [b"new"] * (removed - edited)
        assert set(payloads[removed:]) == {b"end"}


@pytest.mark.slow
def test_an_idle_worker_sends_nothing_extra(
    server: Server, plain: redis.Redis, hearts: Hearts
) -> None:
    """A schedule that is far away costs no command beside the heartbeat."""
    with Limpet(server.url) as limpet:
        limpet.queue("q").schedule("yearly", b"x", "0 0 1 1 *")
    (worker,) = hearts(server.url, 1)
    with server.client() as other, other.monitor() as watch:
        seen = list(islice(sent(watch), 7))[-3:]  # after it has come to know the server
    end([worker])

    assert {line.split()[1].strip('"') for line in seen} == {script("beat").sha}


def sent(watch: Any) -> Iterator[str]:
    """Give the commands that clients send; those of scripts are left out."""
    while True:
        told = watch.next_command()
        if told["client_type"] != "lua":
            yield told["command"]

"""One worker in one process: taking, running and settling, on a real server."""

import json
import time
from collections.abc import Callable
from typing import Any

import pytest
import redis

from limpet.app.app import App
from limpet.errors import ConfigError, JobFailed
from limpet.states import State
from limpet.worker.worker import Worker
from tests.support.waiting import wait_until
from tests.worker import apps
from tests.worker.apps import gate, seen
from tests.worker.conftest import Working

Burst = Callable[..., int]


def queue_of(app: App, name: str = "default") -> Any:
    """Get a queue of the app's blocking client."""
    return app.limpet.queue(name)


def test_jobs_are_run_and_leave_nothing_behind(app: App, burst: Burst) -> None:
    """Enqueued, run in order by one slot, acked."""
    for number in range(5):
        apps.tell.enqueue(number)

    assert burst(concurrency=1) == 0

    assert seen == ["opened", 0, 1, 2, 3, 4, "closed"]
    stats = queue_of(app).stats()
    assert (stats.completed, stats.pending, stats.dead) == (5, 0, 0)


@pytest.mark.parametrize("task", [apps.add, apps.subtract, apps.multiply])
def test_results_come_back_from_every_executor(app: App, burst: Burst, task: Any) -> None:
    """From the loop, from a thread and from a process."""
    job = task.enqueue(7, 5)

    burst()

    result = job.result(5)
    expected = {"add": 12, "subtract": 2, "multiply": 35}[task.name.rpartition(".")[2]]
    assert (result[0] if isinstance(result, tuple) else result) == expected


def test_plain_functions_run_in_threads_of_the_worker(app: App, burst: Burst) -> None:
    """They do not block the loop."""
    apps.tell_from_thread.enqueue("hello")

    burst()

    assert ("hello", "limpet-thread-1") in seen


def test_a_process_is_used_again(app: App, burst: Burst) -> None:
    """One slot starts one process for all its jobs."""
    jobs = [apps.multiply.enqueue(number, 1) for number in range(3)]

    burst(concurrency=1)

    assert len({job.result(1)[1] for job in jobs}) == 1


def test_never_more_is_taken_than_can_run(app: App, work: Working) -> None:
    """With two slots two jobs are held, and the others wait for anybody."""
    for _ in range(5):
        apps.wait.enqueue()

    with work(concurrency=2):
        wait_until(lambda: seen.count("begun") == 2)
        stats = queue_of(app).stats()
        assert (stats.running, stats.waiting) == (2, 3)
        gate.set()
        wait_until(lambda: queue_of(app).stats().completed == 5)

    assert seen.count("ended") == 5


def test_an_ack_does_not_wait_for_a_slow_neighbour(app: App, work: Working) -> None:
    """With one slot still busy and the queue empty, the finished job is acked at once."""
    apps.wait.enqueue()
    apps.tell.enqueue("quick")

    with work(concurrency=2):
        wait_until(lambda: queue_of(app).stats().completed == 1, within=2)
        assert queue_of(app).stats().running == 1
        gate.set()


def test_an_ack_does_not_wait_while_all_slots_are_busy(app: App, work: Working) -> None:
    """A full worker takes nothing, and still acks what ended."""
    apps.tell.enqueue("quick")
    for _ in range(3):
        apps.wait.enqueue()

    with work(concurrency=2):
        wait_until(lambda: queue_of(app).stats().completed == 1, within=2)
        wait_until(lambda: queue_of(app).stats().running == 2)
        gate.set()


def test_acks_and_takings_share_their_round_trips(
    app: App, burst: Burst, plain: redis.Redis
) -> None:
    """A hundred quick jobs in ten slots cost about one script per ten of them."""
    app.enqueue_many([apps.tell.item(number) for number in range(100)])
    plain.config_resetstat()

    burst(concurrency=10, queues="default")

    scripts = plain.info("commandstats")["cmdstat_evalsha"]["calls"]
    assert queue_of(app).stats().completed == 100
    assert scripts <= 20


def test_who_supervises_is_told_of_identity_and_deadlines(app: App) -> None:
    """The identity before the first job; the nearest deadline whenever it changes."""
    worker = Worker(app, burst=True, handle_signals=False, queues="default", concurrency=2)
    told: list[Any] = []
    worker.on_identity = lambda name, queues: told.append((name, queues, list(seen)))
    worker.on_deadline = told.append
    apps.tell.using(timeout="1h").enqueue("long")
    apps.tell.using(timeout="1m").enqueue("short")

    worker.run()

    (name, queues, before), *deadlines = told
    assert name.startswith("worker-")
    assert (queues, before) == (["default"], ["opened"])
    assert deadlines[-1] is None
    assert all(at is None or at > time.monotonic() for at in deadlines)


def test_queues_are_served_strictly_in_order(app: App, burst: Burst) -> None:
    """All of the first, then the second."""
    for number in range(3):
        apps.low.enqueue(f"low {number}")
        apps.high.enqueue(f"high {number}")

    burst(queues="high,low", concurrency=1)

    assert seen[1:-1] == [f"high {n}" for n in range(3)] + [f"low {n}" for n in range(3)]


def test_queues_are_served_by_weight(app: App, burst: Burst) -> None:
    """While both have work, three to one; in the end all are done."""
    for number in range(40):
        apps.low.enqueue(f"low {number}")
        apps.high.enqueue(f"high {number}")

    burst(queues="high=3,low=1", concurrency=1)

    first = seen[1:41]
    assert sum(word.startswith("high") for word in first) == 30
    assert len(seen) == 82


def test_a_waiting_worker_starts_a_job_at_once(app: App, work: Working) -> None:
    """From whichever of its queues it comes."""
    with work(queues="high,low"):
        wait_until(lambda: queue_of(app, "low").stats().workers == 1)
        apps.low.enqueue("low")
        wait_until(lambda: "low" in seen, within=2)
        apps.high.enqueue("high")
        wait_until(lambda: "high" in seen, within=2)


def test_an_idle_worker_does_not_poll(app: App, work: Working, plain: redis.Redis) -> None:
    """It waits on the server: within a second, besides heartbeats, nothing is sent."""

    def scripts() -> int:
        return int(plain.info("commandstats").get("cmdstat_evalsha", {}).get("calls", 0))

    with work(queues="high,low", heartbeat="10s", lease="60s"):
        wait_until(lambda: plain.info("clients")["blocked_clients"] == 1)
        before, started = scripts(), time.monotonic()
        wait_until(lambda: time.monotonic() > started + 1, step=0.2)

        assert scripts() - before <= 1


def test_a_burst_leaves_scheduled_jobs(app: App, burst: Burst) -> None:
    """It ends when nothing waits and nothing runs; what is for later stays."""
    apps.tell.using(delay="1h").enqueue("later")
    apps.tell.enqueue("now")

    burst()

    assert "now" in seen
    assert queue_of(app).stats().scheduled == 1


def test_an_undecodable_payload_fails_and_the_worker_goes_on(app: App, burst: Burst) -> None:
    """With the reason in the dead list, whatever the bytes are."""
    queue_of(app).push_many([b"\xff\x00", b"[]", b'{"task": 3}', b"{" * 10_000])
    apps.tell.enqueue("still here")

    burst()

    assert "still here" in seen
    dead = queue_of(app).dead()
    assert len(dead) == 4
    assert all("the payload cannot be read" in (job.reason or "") for job in dead)


def test_wrong_arguments_fail_with_the_reason(app: App, burst: Burst) -> None:
    """A call from another language may not fit the function."""
    queue_of(app).push(json.dumps({"task": apps.tell.name, "args": [1, 2, 3]}))

    burst()

    assert "TypeError" in queue_of(app).last_failure().message


def test_an_unknown_task_waits_for_a_worker_that_knows_it(app: App, burst: Burst) -> None:
    """Set aside under its name, no delivery spent; a worker with the task runs it."""
    other = App()
    other.task(name="tests.newcomer")(lambda what: seen.append(f"newcomer {what}"))
    other.limpet.queue("default").push(json.dumps({"task": "tests.newcomer", "args": [1]}))

    burst()
    stats = queue_of(app).stats()
    assert (stats.parked, stats.dead, stats.completed) == (1, 0, 0)

    Worker(other, burst=True, handle_signals=False).run()
    other.close()
    assert "newcomer 1" in seen
    assert queue_of(app).stats().completed == 1


def test_an_error_sends_the_job_to_the_dead_list(app: App, burst: Burst) -> None:
    """With the error and where it happened."""
    apps.fail.enqueue("very wrong")

    burst()

    reason = queue_of(app).dead()[0].reason
    assert "ValueError: very wrong" in reason
    assert "apps.py" in queue_of(app).last_failure().message


def test_a_program_cannot_be_ended_by_a_job(app: App, burst: Burst) -> None:
    """SystemExit of a job, in a thread or on the loop, ends the job only."""
    apps.exit_program.enqueue()
    apps.exit_loop.enqueue()
    apps.tell.enqueue("still here")

    assert burst(concurrency=1) == 0

    assert "still here" in seen
    assert queue_of(app).stats().failed == 2


def test_errors_are_retried_as_the_policy_says(app: App, work: Working) -> None:
    """Two errors, two retries, then done."""
    apps.fail_twice.enqueue()

    with work():
        wait_until(lambda: queue_of(app).stats().completed == 1)

    assert [word for word in seen if isinstance(word, int)] == [0, 1, 2]
    assert queue_of(app).stats().failed == 0


def test_a_task_asks_for_another_attempt(app: App, work: Working) -> None:
    """By raising Retry with a delay."""
    apps.ask_again.enqueue()

    with work():
        wait_until(lambda: queue_of(app).stats().completed == 1)

    assert [word for word in seen if isinstance(word, int)] == [0, 1]


def test_hopeless_jobs_are_not_tried_again(app: App, burst: Burst) -> None:
    """`give_up_on` and Reject end a job at once, with the reason."""
    apps.hopeless.enqueue()
    apps.reject.enqueue()

    burst()

    reasons = {job.reason.partition("\n")[0] for job in queue_of(app).dead()}
    assert reasons == {"KeyError: 'hopeless'", "there is no such address"}


def test_a_result_that_cannot_travel_fails_the_job(app: App, burst: Burst) -> None:
    """Whoever waits for it is told why."""
    job = apps.give_object.enqueue()

    burst()

    with pytest.raises(JobFailed, match="the result cannot be kept"):
        job.result(1)


def test_a_result_that_is_too_large_fails_the_job(
    app: App, burst: Burst, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not lost silently."""
    job = apps.add.enqueue("x" * 90, "y" * 90)
    monkeypatch.setitem(app._client_options, "policies", {"*": {"max_payload": 150}})

    burst()

    with pytest.raises(JobFailed, match="the result cannot be kept"):
        job.result(1)


def test_a_crash_of_a_job_process_is_that_jobs_failure(app: App, burst: Burst) -> None:
    """The worker lives on, and says how the process ended."""
    apps.crash.enqueue()
    apps.tell.enqueue("still here")

    burst()

    assert "still here" in seen
    assert "killed by SIGABRT" in queue_of(app).dead()[0].reason


def test_the_lifespan_of_the_app_is_around_the_worker(app: App, burst: Burst) -> None:
    """Opened before the first job, closed after the last."""
    apps.tell.enqueue("job")

    burst()

    assert seen == ["opened", "job", "closed"]


def test_wrong_options_are_found_before_anything_starts(app: App) -> None:
    """Each with a rule in its message."""
    for options in (
        {"concurrency": 0},
        {"queues": ""},
        {"grace": "soon"},
        {"lease": 1, "heartbeat": 2},
        {"name": "no spaces please"},
    ):
        with pytest.raises(ConfigError):
            Worker(app, **options)
    with pytest.raises(ConfigError, match="no tasks"):
        Worker(App())
    with pytest.raises(ConfigError, match="App"):
        Worker("module:app")


def test_running_jobs_show_as_running(app: App, work: Working) -> None:
    """With their worker, to whoever looks."""
    job = apps.wait.enqueue()

    with work(name="painter") as helper:
        view = wait_until(lambda: queue_of(app).inspect(state=State.RUNNING))[0]
        assert view.id == job.id
        assert view.worker == helper.worker.id
        assert view.worker.startswith("painter-")
        gate.set()

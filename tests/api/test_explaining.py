"""Why a job does not run, in words, in both flavours. One test per sentence."""

import re
from collections.abc import Callable
from typing import Any

import pytest
import redis

from limpet import Explanation, Item
from tests.support.waiting import wait_until

Connect = Callable[..., Any]
CALL = b'{"task": "shop.send"}'


@pytest.fixture
def limpet(connect: Connect) -> Any:
    """A client whose worker keeps its lease for long, so that tests may look into the future."""
    return connect(name="web", lease="1h")


def later(limpet: Any, plain: redis.Redis, seconds: int) -> None:
    """Let this client look from a later time."""
    limpet.link.at_us = str((int(plain.time()[0]) + seconds) * 1_000_000)


def hire(limpet: Any, *tasks: str, queue: str = "mail") -> str:
    """Let the worker of a client serve a queue and know these tasks."""
    limpet.start_worker(tasks=tasks)
    return str(limpet.start_work(queue))


def seconds_in(text: str) -> int:
    """Read the age that ends a sentence."""
    found = re.search(r" for (\d+) s$", text)
    assert found, text
    return int(found[1])


def test_a_job_waits_at_a_position(limpet: Any) -> None:
    """Where it is in line, how many work, since when it is there; nothing is to be done."""
    queue = limpet.queue("mail")
    hire(limpet)
    ids = [pushed.id for pushed in queue.push_many([b"x"] * 5)]
    queue.pop(count=2)

    said = queue.explain(ids[3])

    assert isinstance(said, Explanation)
    assert (said.queue, said.id, said.state) == ("mail", ids[3], "waiting")
    assert said.headline == "waits at position 2 of 3"
    assert said.details[0] == "queue 'mail' has 1 worker and 2 running jobs"
    assert re.fullmatch(r"enqueued [\d,.]+ m?s ago", said.details[1])
    assert said.next_step is None


def test_a_job_far_behind_waits_behind_a_position(limpet: Any) -> None:
    """So far the line is searched and no further."""
    queue = limpet.queue("mail")
    hire(limpet)
    ids = [pushed.id for _ in range(11) for pushed in queue.push_many([b"x"] * 1000)]

    assert queue.explain(ids[-1]).headline == "waits behind position 10,000 of 11,000"


def test_a_paused_queue_hands_nothing_out(limpet: Any) -> None:
    """And that is said before all else."""
    queue = limpet.queue("mail")
    pushed = queue.push(b"x")
    queue.pause()

    said = queue.explain(pushed.id)

    assert said.headline == "waits at position 1 of 1: queue 'mail' is paused"
    assert said.details[0] == "no worker serves queue 'mail'"
    assert said.next_step == "let it go on: limpet queue unpause mail"


def test_no_worker_serves_the_queue(limpet: Any) -> None:
    """The command that starts one is named, fit for a shell."""
    pushed = limpet.queue("my mail").push(b"x")

    said = limpet.queue("my mail").explain(pushed.id)

    assert said.headline == "waits at position 1 of 1: no worker serves queue 'my mail'"
    assert said.next_step == "start one: limpet worker module:app -q 'my mail'"


def test_workers_that_fell_silent_serve_nothing(
    limpet: Any, connect: Connect, plain: redis.Redis
) -> None:
    """A worker that was killed is still registered, and nobody noticed yet."""
    queue = limpet.queue("mail")
    other = connect(name="other", lease="1h")
    hire(other)
    pushed = queue.push(b"x")
    later(limpet, plain, 2 * 3600)

    said = queue.explain(pushed.id)

    silent = "(1 worker gave no sign of life for too long)"
    assert said.headline.endswith(f"no worker serves queue 'mail' {silent}")


def test_no_worker_knows_the_task(limpet: Any) -> None:
    """It is said before a worker has taken the job."""
    queue = limpet.queue("mail")
    hire(limpet, "shop.bill")
    pushed = queue.push(CALL)

    said = queue.explain(pushed.id)

    assert said.headline == (
        "waits at position 1 of 1: task 'shop.send' is known to no running worker"
    )
    assert said.next_step == "start one whose app has it: limpet worker module:app -q mail"


@pytest.mark.parametrize("tasks", [("shop.bill", "shop.send"), ()])
def test_a_worker_may_know_the_task(limpet: Any, tasks: tuple[str, ...]) -> None:
    """Whoever names it does, and one that names none takes whatever there is."""
    queue = limpet.queue("mail")
    hire(limpet, *tasks)

    assert queue.explain(queue.push(CALL).id).headline == "waits at position 1 of 1"


def test_a_job_set_aside_waits_for_a_worker_that_knows_its_task(
    limpet: Any, connect: Connect
) -> None:
    """Nobody does; then somebody comes who does."""
    queue = limpet.queue("mail")
    hire(limpet, "shop.bill")
    pushed = queue.push(CALL)
    (held,) = queue.pop()
    queue.strand(held, "shop.send")

    before = queue.explain(pushed.id)
    knowing = hire(connect(name="new", lease="1h"), "shop.send")
    after = queue.explain(pushed.id)

    assert before.headline == "is parked: task 'shop.send' is known to no running worker"
    assert before.next_step == "start one whose app has it: limpet worker module:app -q mail"
    assert after.headline == (
        "is parked: task 'shop.send' was not known to the worker that took it;"
        f" known to worker {knowing}: it is handed out next"
    )
    assert after.next_step is None


def test_a_lock_is_held(limpet: Any, plain: redis.Redis) -> None:
    """By which job, on which worker, for how long; and who waits before."""
    queue = limpet.queue("mail")
    first, _, third = queue.push_many([b"x"] * 3, lock="mail:a@x")
    queue.pop(count=3)
    later(limpet, plain, 60)

    said = queue.explain(third.id)

    lock = f"lock 'mail:a@x' is held by job {first.id} on worker {limpet.worker}"
    assert said.headline.startswith(f"is parked: {lock} for ")
    assert 59 <= seconds_in(said.headline) <= 61
    assert said.details[0] == "parked before it for the same lock: 1 job"


def test_a_lock_is_held_by_several(limpet: Any) -> None:
    """One is named, the others are counted."""
    queue = limpet.queue("mail", lock="L", lock_limit=3)
    *_, last = queue.push_many([b"x"] * 4)
    queue.pop(count=4)

    assert queue.explain(last.id).headline.endswith(" and 2 more")


def test_a_free_lock_goes_to_the_job_before(limpet: Any) -> None:
    """The holder ended; the first of those who waited is in line, the second still parked."""
    queue = limpet.queue("mail", lock="L")
    *_, third = queue.push_many([b"x"] * 3)
    (held,) = queue.pop(count=3)
    queue.ack(held)

    assert queue.explain(third.id).headline == (
        "is parked: lock 'L' has room, and the job before it takes it first"
    )


def test_a_waiting_job_whose_lock_is_held_will_be_parked(limpet: Any) -> None:
    """It is said before it happens."""
    queue = limpet.queue("mail", lock="L")
    _, second = queue.push_many([b"x"] * 2)
    queue.pop()

    said = queue.explain(second.id).headline

    assert said.startswith("waits at position 1 of 1: lock 'L' is held by job ")
    assert said.endswith("and it will be parked when its turn comes")


def test_a_follower_waits_for_its_group(limpet: Any) -> None:
    """What has not ended, how others did, and what comes of it."""
    queue = limpet.queue("mail")
    members = [Item(b"m", group="g", id=f"m{n}") for n in range(3)]
    queue.push_many([*members, Item(b"f", after="g", needs=True, id="then")])

    before = queue.explain("then")
    queue.ack(*queue.pop(count=2))
    after = queue.explain("then")

    assert before.headline == "is parked: it runs after job m0 and 2 more, which have not ended"
    assert before.details[-1] == "it is called off unless all of them succeed"
    assert after.headline == "is parked: it runs after job m2, which has not ended"
    assert "ended before it so far: 2 done, 0 failed, 0 cancelled" in after.details


def test_a_job_is_scheduled(limpet: Any, plain: redis.Redis) -> None:
    """For when, and in how long; what would stop it then is said as well."""
    queue = limpet.queue("mail")
    pushed = queue.push(b"x", at=4_102_444_800)

    said = queue.explain(pushed.id)
    limpet.link.at_us = str(4_102_444_800_000_000 - 7_200_000_000)
    soon = queue.explain(pushed.id)

    assert said.headline.startswith("is scheduled for 2100-01-01 00:00:00 UTC, in ")
    assert said.details == ("as of now, no worker serves queue 'mail'",)
    assert soon.headline.endswith("UTC, in 2 h")


def test_a_job_was_due_and_nobody_came(limpet: Any) -> None:
    """A worker brings it in line; there is none."""
    queue = limpet.queue("mail")
    pushed = queue.push(b"x", at=4_102_444_800)
    limpet.link.at_us = str(4_102_444_800_000_000 + 5_000_000)

    said = queue.explain(pushed.id)

    assert said.headline == "was due 5 s ago: no worker serves queue 'mail'"
    assert said.next_step == "start one: limpet worker module:app -q mail"


def test_a_retried_job_tells_its_last_error(limpet: Any) -> None:
    """While it waits for its next attempt."""
    queue = limpet.queue("mail")
    pushed = queue.push(b"x")
    (held,) = queue.pop()
    queue.retry(held, "1h", "no route")

    assert "its last error: no route" in queue.explain(pushed.id).details


def test_a_job_runs(limpet: Any, plain: redis.Redis) -> None:
    """On which worker and for how long."""
    queue = limpet.queue("mail")
    pushed = queue.push(b"x")
    queue.pop()
    later(limpet, plain, 60)

    said = queue.explain(pushed.id)

    assert said.headline.startswith(f"has run on worker {limpet.worker} for ")
    assert 59 <= seconds_in(said.headline) <= 61
    assert said.next_step is None


def test_a_running_job_was_cancelled(limpet: Any) -> None:
    """Its worker knows and has not ended it yet."""
    queue = limpet.queue("mail")
    pushed = queue.push(b"x")
    queue.pop()
    queue.cancel(id=pushed.id)

    said = queue.explain(pushed.id)

    assert said.headline.endswith(": it was cancelled, and its worker was told to end it")


def test_a_job_runs_on_a_silent_worker(limpet: Any, plain: redis.Redis) -> None:
    """It goes back to its place when somebody is there to see to it."""
    queue = limpet.queue("mail")
    pushed = queue.push(b"x")
    queue.pop()
    later(limpet, plain, 2 * 3600)

    said = queue.explain(pushed.id)

    assert said.headline.endswith(
        f"worker {limpet.worker} gives no sign of life,"
        " so the job goes back to its place once a worker starts"
    )
    assert said.next_step == "start one: limpet worker module:app -q mail"


def test_a_job_is_dead(limpet: Any) -> None:
    """Why, after how many deliveries, and how to give it another life."""
    queue = limpet.queue("mail")
    pushed = queue.push(b"x")
    (held,) = queue.pop()
    queue.fail(held, "no such address")

    said = queue.explain(pushed.id)

    assert re.fullmatch(
        r"has been dead for [\d,]+ m?s, after 1 delivery: no such address", said.headline
    )
    assert said.next_step == f"give it another life: limpet job retry {pushed.id} -q mail"


def test_a_suspect_needs_a_worker_that_runs_no_other(limpet: Any, connect: Connect) -> None:
    """Once its worker died; after the next death it runs alone."""
    queue = limpet.queue("mail")
    hire(limpet)
    pushed = queue.push(b"x")

    def crash() -> str:
        doomed = connect(name="doomed", lease="1h")
        assert doomed.queue("mail").pop()
        limpet.fail_worker(doomed.worker)
        wait_until(lambda: queue.job(pushed.id).state == "waiting")
        return str(queue.explain(pushed.id).headline)

    first, second = crash(), crash()

    where = "waits at position 1 of 1"
    assert first == (
        f"{where}: 1 worker died with it, so it needs a worker that runs no other such job"
    )
    assert second == (
        f"{where}: 2 workers died with it, so it has one more chance, alone:"
        " it needs a worker without jobs"
    )


def test_a_job_ended(limpet: Any) -> None:
    """It is told while the outcome is kept; of other jobs nothing is known."""
    queue = limpet.queue("mail")
    pushed = queue.push(b"x", keep="1h")
    (held,) = queue.pop()
    queue.complete(held, b"42")

    said = queue.explain(pushed.id)

    assert said.state == "done"
    assert re.fullmatch(r"ended as done at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC", said.headline)
    assert queue.explain("no-such-job") is None
    assert queue.explain("no id at all \n") is None


def test_a_job_in_no_line_is_to_be_mended(limpet: Any, plain: redis.Redis) -> None:
    """Somebody deleted keys by hand."""
    pushed = limpet.queue("mail").push(b"x")
    plain.delete("limpet:{mail}:waiting")

    said = limpet.queue("mail").explain(pushed.id)

    assert said.headline == "is in no line: something was deleted by hand"
    assert said.next_step == "mend it: limpet repair mail"


def test_the_whole_text_is_made_for_reading(limpet: Any) -> None:
    """Headline, details and the next step, line by line."""
    pushed = limpet.queue("mail").push(b"x")

    head, enqueued, step = str(limpet.queue("mail").explain(pushed.id)).splitlines()

    where = "waits at position 1 of 1: no worker serves queue 'mail'"
    assert head == f"job {pushed.id} of queue 'mail' {where}"
    assert enqueued.startswith("  enqueued ")
    assert step == "  -> start one: limpet worker module:app -q mail"

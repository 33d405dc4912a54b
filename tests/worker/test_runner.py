"""The pipeline of one job, step by step, without a server."""

import json
from typing import Any

import pytest

from limpet.app.context import Job
from limpet.errors import JobCancelled, JobTimeout, PayloadError
from limpet.options import MAX_MESSAGE
from limpet.tasks.codec import JSON
from limpet.tasks.message import Call
from limpet.tasks.steering import Reject, Retry
from limpet.values import Delivery, Receipt
from limpet.worker.outcomes import (
    Cancelled,
    Done,
    Failed,
    Lost,
    Rejected,
    Released,
    RetryLater,
    TimedOut,
    Unknown,
    Why,
)
from limpet.worker.runner import (
    DONE,
    Kit,
    Run,
    bounded,
    decode,
    find,
    inject,
    judge_error,
    judge_stop,
    judge_value,
    prepare,
    told,
)
from tests.worker import apps

DESK = Job.detached()._desk


def delivery(payload: bytes = b"", retries: int = 0) -> Delivery:
    """Make a delivery."""
    return Delivery("q", "1-1", payload, Receipt("1-1", 7), 1, 1, 1, retries=retries)


def run(task: Any = apps.tell, retries: int = 0, **facts: Any) -> Run:
    """Make a run that is ready to be performed."""
    ready = inject(delivery(retries=retries), Call(task.name), task, DESK)
    return ready._replace(**facts)


# -- decode, find, inject -------------------------------------------------------------------


def test_a_payload_is_decoded_to_a_call() -> None:
    """Task, arguments and options come out."""
    payload = json.dumps({"task": "t", "args": [1], "options": {"timeout_ms": 5}}).encode()

    assert decode(payload, JSON()) == Call("t", (1,), {}, 5)


@pytest.mark.parametrize("payload", [b"", b"\xff", b"[]", b'{"task": 7}', b'{"task":"t","args":1}'])
def test_an_undecodable_payload_is_a_failure_with_its_reason(payload: bytes) -> None:
    """There is no use in trying again."""
    outcome = decode(payload, JSON())

    assert isinstance(outcome, Failed)
    assert outcome.message.startswith("the payload cannot be read: ")
    assert isinstance(outcome.error, PayloadError)


def test_a_codec_that_breaks_is_a_failure_too() -> None:
    """Whatever a codec raises ends the job, not the worker."""

    class Broken(JSON):
        def value(self, plain: Any, name: str) -> Any:
            raise ZeroDivisionError("broken codec")

    outcome = decode(b'{"task": "t", "args": [1]}', Broken())

    assert isinstance(outcome, Failed)
    assert "ZeroDivisionError: broken codec" in outcome.message


def test_an_unknown_task_is_an_outcome() -> None:
    """It names the task, under which the job will wait."""
    assert find(Call("nobody"), apps.app.tasks) == Unknown("nobody")
    assert find(Call(apps.tell.name), apps.app.tasks) is apps.tell


def test_a_call_nobody_here_can_read_waits_if_nobody_here_knows_its_task() -> None:
    """Its arguments may need what only newer code has; one of a known task is a failure."""
    kit = Kit(apps.app.tasks, apps.app.codec, DESK)
    strange = b'{"task":"%s","args":[{"$class":"new.Thing","fields":{}}]}'

    unknown = prepare(delivery(strange % b"nobody"), kit)
    known = prepare(delivery(strange % apps.tell.name.encode()), kit)

    assert unknown == Unknown("nobody")
    assert isinstance(known, Failed)


def test_a_job_is_injected_where_it_is_asked_for() -> None:
    """As the first argument, and only there."""
    with_job = inject(delivery(), Call(apps.charge.name, (1,)), apps.charge, DESK)
    without = inject(delivery(), Call(apps.tell.name, (1,)), apps.tell, DESK)

    assert with_job.args == (with_job.job, 1)
    assert without.args == (1,)


def test_options_of_the_call_go_over_those_of_the_task() -> None:
    """Numbers come from the job, classes of errors from the task; zero is no time limit."""
    call = Call(apps.hopeless.name, timeout_ms=0, retry=Retry(9), keep=True)

    ready = inject(delivery(), call, apps.hopeless, DESK)

    assert ready.timeout_ms is None
    assert ready.retry is not None
    assert ready.retry.limit == 9
    assert ready.retry.give_up_on == (KeyError,)
    assert ready.keep


def test_the_steps_are_one_pipeline() -> None:
    """A payload becomes a run; or an outcome, at the step that could not be taken."""
    kit = Kit(apps.app.tasks, JSON(), DESK)
    payload = json.dumps({"task": apps.tell.name, "args": ["x"]}).encode()

    ready = prepare(delivery(payload), kit)

    assert isinstance(ready, Run)
    assert (ready.task, ready.args) == (apps.tell, ("x",))
    assert prepare(delivery(b'{"task": "nobody"}'), kit) == Unknown("nobody")
    assert isinstance(prepare(delivery(b"?"), kit), Failed)


# -- judging values -------------------------------------------------------------------------


def test_a_value_nobody_asked_for_is_dropped() -> None:
    """It is not even encoded."""
    assert judge_value(run(), None, JSON().encode) is DONE
    assert judge_value(run(), object(), JSON().encode).body is None


def test_a_result_that_is_kept_is_encoded() -> None:
    """As bytes for the server."""
    outcome = judge_value(run(keep=True), {"a": 1}, JSON().encode)

    assert isinstance(outcome, Done)
    assert outcome.body == b'{"a":1}'


def test_a_result_that_cannot_be_encoded_is_a_failure() -> None:
    """The reason says what is wrong."""
    outcome = judge_value(run(keep=True), object(), JSON().encode)

    assert isinstance(outcome, Failed)
    assert outcome.message.startswith("the result cannot be kept: ")


# -- judging errors -------------------------------------------------------------------------


def test_an_error_without_a_policy_is_a_failure() -> None:
    """Its text and the end of its traceback are kept."""
    outcome = judge_error(run(), ValueError("no"), 0.5)

    assert isinstance(outcome, Failed)
    assert outcome.message.startswith("ValueError: no")


def test_an_error_with_retries_left_comes_again() -> None:
    """After the delay of the policy."""
    policy = Retry(2, base="1s", jitter=False)

    assert judge_error(run(retry=policy), ValueError(), 0).delay_ms == 1000
    assert judge_error(run(retries=1, retry=policy), ValueError(), 0).delay_ms == 2000
    assert isinstance(judge_error(run(retries=2, retry=policy), ValueError(), 0), Failed)


def test_an_error_the_policy_does_not_cover_is_a_failure() -> None:
    """`on` and `give_up_on` decide."""
    assert isinstance(judge_error(run(retry=Retry(on=KeyError)), ValueError(), 0), Failed)
    assert isinstance(judge_error(run(retry=Retry(give_up_on=ValueError)), ValueError(), 0), Failed)


def test_a_rejection_is_final_whatever_the_policy() -> None:
    """The reason is kept as it was said."""
    outcome = judge_error(run(retry=Retry(5)), Reject("no such address"), 0)

    assert isinstance(outcome, Rejected)
    assert outcome.message == "no such address"


def test_a_raised_retry_sets_its_own_delay() -> None:
    """Without a policy there is no limit."""
    outcome = judge_error(run(retries=100), Retry(delay="10s"), 0)

    assert isinstance(outcome, RetryLater)
    assert outcome.delay_ms == 10_000


def test_a_raised_retry_counts_against_the_limit_of_the_policy() -> None:
    """Then it is a failure that says so."""
    policy = Retry(2, delay="3s")

    assert judge_error(run(retries=1, retry=policy), Retry(), 0).delay_ms == 3000
    outcome = judge_error(run(retries=2, retry=policy), Retry(delay="1s"), 0)
    assert isinstance(outcome, Failed)
    assert "there were 2 retries already" in outcome.message


# -- judging stops --------------------------------------------------------------------------


def test_what_stopped_a_job_decides() -> None:
    """Whatever it did after it was told."""
    assert isinstance(judge_stop(run(), Why.CANCELLED, 0), Cancelled)
    assert isinstance(judge_stop(run(), Why.CANCELLED, 0).error, JobCancelled)
    assert judge_stop(run(), Why.LOST, 0) == Lost()
    assert judge_stop(run(), Why.RELEASED, 0) == Released()


def test_a_time_out_is_an_error_like_others() -> None:
    """It is retried where the policy covers it, else final."""
    outcome = judge_stop(run(timeout_ms=1500), Why.TIMED_OUT, 0)

    assert isinstance(outcome, TimedOut)
    assert outcome.message == "it took longer than 1.5 s and was stopped"
    assert isinstance(outcome.error, JobTimeout)
    again = judge_stop(run(timeout_ms=1500, retry=Retry(delay=1)), Why.TIMED_OUT, 0)
    assert isinstance(again, RetryLater)
    assert again.delay_ms == 1000


# -- words ----------------------------------------------------------------------------------


def test_messages_are_bounded() -> None:
    """By what the server keeps, also in bytes."""
    assert len(bounded("ä" * MAX_MESSAGE).encode()) <= MAX_MESSAGE
    assert bounded("short") == "short"


def test_an_error_is_told_with_the_error_first_and_the_place_last() -> None:
    """Frames of limpet that only led to user code are left out."""
    try:
        apps.fail.fn("told")
    except ValueError as error:
        text = told(error)

    assert text.startswith("ValueError: told\n")
    assert "raise ValueError(text)" in text
    assert "limpet/worker" not in text


def test_an_error_that_cannot_be_told_is_named() -> None:
    """A broken `__str__` breaks nothing else."""

    class Mute(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    assert "Mute" in told(Mute())

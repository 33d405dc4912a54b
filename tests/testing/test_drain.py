"""A drain runs what is due, through a real worker, and tells what ran."""

import asyncio
import os

import pytest

from limpet import App, ConfigError, Reject
from limpet.engine import Engine
from limpet.testing import Stage
from tests.testing.shop import NOWHERE, Shop


@pytest.fixture
def shop(limpet_stage: Stage) -> Shop:
    """A shop whose app is on the stage."""
    made = Shop()
    limpet_stage.use(made.app)
    return made


def told(ran: list) -> list[tuple]:
    """What ran, in short."""
    return [(one.task.rpartition(".")[2], one.args, one.outcome) for one in ran]


def test_a_drain_runs_jobs_in_order_and_tells_what_ran(limpet_stage: Stage, shop: Shop) -> None:
    """Plain and async tasks run; the records name task, arguments, outcome and result."""
    shop.note.enqueue("a", times=2)
    shop.anote.enqueue("b")

    ran = limpet_stage.drain()

    assert shop.did == ["a", "a", "b"]
    assert told(ran) == [("note", ("a",), "done"), ("anote", ("b",), "done")]
    assert (ran[0].kwargs, ran[0].result, ran[0].job.deliveries) == ({"times": 2}, 2, 1)
    assert limpet_stage.jobs() == []
    assert shop.app.limpet.queue("default").stats().completed == 2


def test_a_drain_without_work_runs_nothing(limpet_stage: Stage, shop: Shop) -> None:
    """The list is empty, again and again."""
    assert limpet_stage.drain() == limpet_stage.drain() == []


def test_a_drain_runs_what_its_jobs_enqueue_in_queues_that_are_new(
    limpet_stage: Stage, shop: Shop
) -> None:
    """A job that a job puts in a queue of which nobody heard before runs in the same drain."""
    shop.parent.enqueue()

    ran = limpet_stage.drain()

    assert told(ran) == [("parent", (), "done"), ("note", ("child",), "done")]


def test_an_error_is_told_and_raised_where_asked_for(limpet_stage: Stage, shop: Shop) -> None:
    """Without `raises` it is in the record, with it the drain raises it after all ran."""
    shop.hopeless.enqueue()

    (failed,) = limpet_stage.drain()

    assert (failed.outcome, type(failed.error)) == ("failed", Reject)

    shop.flaky.enqueue()
    shop.note.enqueue("after")
    with pytest.raises(ConnectionError, match="nobody answers"):
        limpet_stage.drain(raises=True)
    assert shop.did == ["tried", "after"]


def test_a_payload_that_is_no_call_fails_and_breaks_nothing(
    limpet_stage: Stage, shop: Shop
) -> None:
    """Foreign bytes in a queue end in the dead list; the drain goes on."""
    shop.app.limpet.queue("default").push(b"\xff not a call")
    shop.note.enqueue("fine")

    ran = limpet_stage.drain()

    assert ("", "failed") in [(one.task, one.outcome) for one in ran]
    assert shop.did == ["fine"]
    assert [job.view.state for job in limpet_stage.jobs()] == ["dead"]


async def test_an_async_test_drains_in_its_own_loop(limpet_stage: Stage, shop: Shop) -> None:
    """An async task runs in the loop of the test, so it may use what the test made there."""
    loops = []

    @shop.app.task(name="where")
    async def where() -> None:
        loops.append(asyncio.get_running_loop())

    await where.aenqueue()
    await shop.note.aenqueue("x")
    ran = await limpet_stage.adrain()

    assert loops == [asyncio.get_running_loop()]
    assert [one.outcome for one in ran] == ["done", "done"]
    with pytest.raises(ConfigError, match="adrain"):
        limpet_stage.drain()


def test_several_apps_share_a_stage(limpet_stage: Stage, shop: Shop) -> None:
    """Each runs its own tasks, whoever meets their jobs first."""
    other, did = App(NOWHERE, name="other"), []

    @other.task(name="other.task")
    def task() -> None:
        did.append("other")
        shop.note.enqueue("from other")

    limpet_stage.use(other)
    task.enqueue()

    ran = limpet_stage.drain()

    assert (did, shop.did) == (["other"], ["from other"])
    assert [one.outcome for one in ran] == ["done", "done"]


def test_a_stage_gives_everything_back(limpet_server: Engine) -> None:
    """Server of the app, variable of the environment, jobs of the next stage: as before."""
    shop, before = Shop(), os.environ.get("LIMPET_URL")

    with Stage(limpet_server.url) as stage:
        stage.use(shop.app)
        shop.note.enqueue("left over")
        stage.advance("1h")
        assert os.environ["LIMPET_URL"] == stage.url == shop.app.url
        assert App().limpet.link.target.url == stage.url

    assert (shop.app.url, os.environ.get("LIMPET_URL")) == (NOWHERE, before)
    with Stage(limpet_server.url) as stage:
        stage.use(shop.app)
        assert stage.jobs() == stage.drain() == []


def test_an_app_keeps_the_client_it_had_before(limpet_stage: Stage) -> None:
    """What was open before the stage is neither closed nor used by it."""
    shop = Shop()
    own = shop.app.limpet

    with shop.app.connect(limpet_stage.url):
        assert shop.app.limpet is not own
        shop.note.enqueue("x")

    assert shop.app.limpet is own
    assert own.link.target.url == NOWHERE


def test_mistakes_are_named(limpet_stage: Stage, limpet_server: Engine) -> None:
    """A drain without an app, a second stage, and one that was not set."""
    with pytest.raises(ConfigError, match="call stage"):
        limpet_stage.drain()
    second = Stage(limpet_server.url)
    with pytest.raises(ConfigError, match="a stage already"):
        second.__enter__()
    with pytest.raises(ConfigError, match="with block"):
        second.use(Shop().app)


def test_enqueued_jobs_are_found_by_their_arguments(limpet_stage: Stage, shop: Shop) -> None:
    """Arguments count as a call binds them, defaults included; a miss shows what is there."""
    shop.note.using(delay="1h").enqueue("a")

    assert limpet_stage.assert_enqueued(shop.note).view.state == "scheduled"
    assert limpet_stage.assert_enqueued(shop.note, what="a", times=1).args == ("a",)
    with pytest.raises(AssertionError, match="args=\\('a',\\)"):
        limpet_stage.assert_enqueued(shop.note, "b")
    with pytest.raises(AssertionError, match="no such job of"):
        limpet_stage.assert_enqueued(shop.anote)
    assert limpet_stage.jobs("pay") == []

"""The pytest plugin, in a project of a user's own."""

import importlib.metadata
import textwrap
import tomllib
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.docs.pages import files
from tests.support.programs import run_python
from tests.testing.shop import NOWHERE

ROOT = Path(__file__).resolve().parents[2]
ENTRY = ("limpet", "limpet.testing.plugin")

SHOP = f"""
from limpet import App, Job, Retry

app = App("{NOWHERE}", name="shop", timeout="1s")
charged = []

@app.task(retry=Retry(3, base="1m"))
def charge(job: Job, order: int) -> None:
    if job.once("charge"):
        charged.append(order)

@app.task
async def remind(order: int) -> None:
    charged.append(-order)

@app.task(runs_in="process")
def heavy(job: Job, order: int) -> bool:
    remind.using(delay="1h").enqueue(order)
    return job.once("heavy")
"""

INI = """
[pytest]
asyncio_mode = strict
asyncio_default_fixture_loop_scope = function
"""

CONFTEST = """
import pytest
import shop

@pytest.fixture
def stage(limpet_stage):
    limpet_stage.use(shop.app)
    shop.charged.clear()
    return limpet_stage
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with an app and a fixture for it, and with the plugin as an installer puts it."""
    (tmp_path / "shop.py").write_text(SHOP)
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "pytest.ini").write_text(INI)
    if ENTRY not in [(e.name, e.value) for e in importlib.metadata.entry_points(group="pytest11")]:
        facts = tmp_path / "limpet_probe-1.dist-info"
        facts.mkdir()
        (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: limpet-probe\nVersion: 1\n")
        (facts / "entry_points.txt").write_text(f"[pytest11]\n{ENTRY[0]} = {ENTRY[1]}\n")
    return tmp_path


def run_tests(project: Path, text: str, *options: str) -> CompletedProcess[str]:
    """Write and run a user's tests."""
    (project / "test_shop.py").write_text("import shop\n" + textwrap.dedent(text))
    return run_pytest(project, *options)


def run_pytest(project: Path, *options: str) -> CompletedProcess[str]:
    """Run the tests of a project; every warning is an error there too."""
    always = ("-W", "error", "-p", "no:cacheprovider", "-p", "no:valkey", "-p", "no:randomly")
    home = str(project / "home")
    return run_python(
        *("-m", "pytest", "-q", *always, *options),
        cwd=project,
        PYTHONPATH=str(project),
        LIMPET_HOME=home,
    )


def passed(done: CompletedProcess[str], count: int) -> bool:
    """Tell whether so many tests passed and nothing else happened; show the run if not."""
    print(done.stdout, done.stderr)
    return done.returncode == 0 and f"{count} passed in" in done.stdout


def test_the_package_announces_the_plugin() -> None:
    """Whoever installs limpet has the fixtures."""
    facts = tomllib.loads((ROOT / "pyproject.toml").read_text())

    assert facts["project"]["entry-points"]["pytest11"] == dict([ENTRY])


def test_a_user_tests_that_a_payment_is_charged_once(project: Path) -> None:
    """The fixtures are there by themselves; each test begins with nothing."""
    text = """
    def test_charged_once(stage):
        shop.charge.enqueue(7)
        stage.kill_worker()
        assert [one.outcome for one in stage.drain()] == ["killed"]
        assert [one.outcome for one in stage.drain()] == ["done"]
        assert shop.charged == [7]

    def test_empty(stage):
        shop.charge.enqueue(8)
        assert [job.args for job in stage.jobs()] == [(8,)]
    """

    done = run_tests(project, text)

    assert passed(done, 2)
    assert not (project / "home").exists(), "the user's own engine is left alone"


def test_the_example_of_the_page_works(project: Path) -> None:
    """Its files, as printed."""
    shown = files(ROOT / "docs" / "howto" / "testing.md")
    for name, text in shown.items():
        (project / name).write_text(text)

    assert set(shown) == {"shop.py", "conftest.py", "test_shop.py"}
    assert passed(run_pytest(project), 3)


def test_a_user_tests_with_asyncio_and_with_anyio(project: Path) -> None:
    """Connections that async tests opened leave no warning behind."""
    pytest.importorskip("anyio")
    text = """
    import pytest

    @pytest.mark.asyncio
    async def test_asyncio(stage):
        await shop.remind.using(delay="1h").aenqueue(7)
        stage.advance("1h")
        assert [one.outcome for one in await stage.adrain()] == ["done"]

    @pytest.mark.anyio
    @pytest.mark.parametrize("anyio_backend", ["asyncio"])
    async def test_anyio(stage, anyio_backend):
        await shop.remind.aenqueue(7)
        await stage.adrain(raises=True)
        assert shop.charged == [-7]

    @pytest.mark.asyncio
    async def test_enqueue_only(stage):
        await shop.remind.aenqueue(7)
        stage.assert_enqueued(shop.remind, 7)
    """

    assert passed(run_tests(project, text), 3)


def test_tasks_in_processes_find_the_stage(project: Path) -> None:
    """Their notes and what they enqueue go to its server, at its time."""
    text = """
    def test_heavy(stage):
        stage.advance("1d")
        shop.heavy.enqueue(7)
        (ran,) = stage.drain(raises=True)
        assert ran.result is True
        stage.assert_enqueued(shop.remind, 7)
        assert stage.drain() == []
        stage.advance("1h")
        stage.drain()
        assert shop.charged == [-7]
    """

    assert passed(run_tests(project, text), 1)


def test_a_failing_test_shows_what_the_task_raised(project: Path) -> None:
    """The traceback of the task is in the report of the test."""
    text = """
    @shop.app.task
    def broken() -> None:
        raise ZeroDivisionError("of the task")

    def test_broken(stage):
        broken.enqueue()
        (ran,) = stage.drain()
        assert ran.outcome == "done"

    def test_raises(stage):
        broken.enqueue()
        stage.drain(raises=True)
    """

    done = run_tests(project, text)

    assert "2 failed" in done.stdout
    assert "ZeroDivisionError: of the task" in done.stdout
    assert 'raise ZeroDivisionError("of the task")' in done.stdout


def test_a_run_that_uses_no_fixture_loads_nothing(project: Path) -> None:
    """Not the redis library, not the engine, not asyncio's worker, nor the app."""
    (project / "conftest.py").unlink()
    text = """
    import sys
    def test_light(request):
        assert request.config.pluginmanager.has_plugin("limpet")
        ours = {name for name in sys.modules if name.partition(".")[0] in ("limpet", "redis")}
        assert ours == {
            "limpet", "limpet._version", "limpet.testing", "limpet.testing.plugin"
        }
    """
    (project / "shop.py").write_text("")

    assert passed(run_tests(project, text), 1)


def test_two_processes_of_a_run_do_not_meet(project: Path) -> None:
    """With xdist each process has a server of its own."""
    pytest.importorskip("xdist")
    text = """
    import pytest

    @pytest.mark.parametrize("number", range(6))
    def test_alone(stage, number):
        shop.charge.enqueue(number)
        assert [one.args for one in stage.drain()] == [(number,)]
    """

    assert passed(run_tests(project, text, "-n", "2"), 6)

"""`limpet worker` as its users meet it: what it says, and how it ends."""

import re
from pathlib import Path

import pytest

from tests.parent.conftest import House
from tests.support.programs import run_python
from tests.support.servers import Server
from tests.support.waiting import wait_until

LINE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d (INFO   |WARNING|ERROR  ) \S.*")


APP = "from limpet import App\napp = App()\n@app.task\ndef f(): ...\n"
LIFESPAN = """
from contextlib import asynccontextmanager

@asynccontextmanager
async def needs_database(app):
    if not (HERE / "database").exists():
        raise LookupError("no database")
    yield

app.lifespan = needs_database
"""


def refused(folder: Path, *arguments: str) -> str:
    """Run `limpet worker`, which must end with code 2 and one line; answers the line."""
    done = run_python("-m", "limpet", "worker", *arguments, cwd=folder)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    return line


def test_a_wrong_module_path_is_one_line(tmp_path: Path) -> None:
    """It names the search path; no traceback, exit code 2."""
    line = refused(tmp_path, "shop:app", "--processes", "2")

    assert line.startswith(f"limpet: there is no module 'shop'; searched in {tmp_path}, ")


def test_an_error_in_the_module_is_one_line(tmp_path: Path) -> None:
    """It names the user's own line."""
    (tmp_path / "shop.py").write_text("import json\n\njson.loads('')\n")

    line = refused(tmp_path, "shop:app")

    assert f"{tmp_path / 'shop.py'}, line 3: JSONDecodeError: " in line


def test_the_whole_story_is_told_when_asked_for(tmp_path: Path) -> None:
    """With -v there is a traceback before the line."""
    (tmp_path / "shop.py").write_text("1 / 0\n")

    done = run_python("-m", "limpet", "worker", "-v", "shop:app", cwd=tmp_path)

    assert done.returncode == 2
    assert "Traceback" in done.stderr
    assert "ZeroDivisionError" in done.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["shop.py:app"], "write module:name, such as shop:app"),
        (["shop:app", "-q", ""], "name at least one queue"),
        (["shop:app", "-q", "high=x"], "the weight of queue 'high' is 'x'"),
        (["shop:app", "-c", "0"], "concurrency must be a whole number of at least 1"),
        (["shop:app", "--processes", "0"], "processes must be a whole number of at least 1"),
        (["shop:app", "--grace", "soon"], "grace is 'soon': write it like"),
        (["shop:app", "--lease", "500ms"], "must be longer than heartbeat"),
        (["shop:app", "--burst", "--reload"], "choose one of them"),
        (["shop:app", "--url", "http://x"], "has the scheme 'http'"),
        (["shop:app", "--log-level", "loud"], "see limpet worker --help"),
        ([], "see limpet worker --help"),
    ],
)
def test_nonsense_is_one_line(tmp_path: Path, arguments: list[str], said: str) -> None:
    """Whether the parent finds it or only the child."""
    (tmp_path / "shop.py").write_text(APP)

    assert said in refused(tmp_path, *arguments)


def test_an_app_without_tasks_needs_queues(tmp_path: Path) -> None:
    """There is nothing it could serve."""
    (tmp_path / "shop.py").write_text("from limpet import App\napp = App()\n")

    assert "the app has no tasks" in refused(tmp_path, "shop:app")


def test_it_says_what_works_where(house: House) -> None:
    """App, queues, slots, server; afterwards lines with time and level."""
    program = house.start("-q", "default=2,low", "-c", "3", "--processes", "2", "--name", "me")
    house.workers(2)
    wait_until(lambda: house.said.count("works on default=2,low=1") == 2)
    program.terminate()
    assert program.wait(20) == 0

    banner, lines = house.said.splitlines()[:6], house.said.splitlines()[6:]
    assert re.fullmatch(r"limpet \S+ works for shop:app", banner[0])
    assert banner[1:5] == [
        "  queues   default=2,low",
        "  slots    3 in each of 2 processes",
        "  tasks    8 tasks",
        f"  server   {house.url}, named by LIMPET_URL",
    ]
    assert [line for line in lines if not LINE.fullmatch(line)] == []
    assert all(" parent: " in line or " child " in line for line in lines)
    assert {line.split()[5].partition("-")[0] for line in lines if "works on" in line} == {"me"}


def test_a_password_is_not_shown(tmp_path: Path) -> None:
    """Neither in the banner nor in the log."""
    server = Server("--requirepass", "secret-word", tcp=True)
    server.spawn()
    url = f"redis://:secret-word@127.0.0.1:{server.port}"
    house = House(tmp_path, url)
    try:
        house.start("--url", url)
        house.workers()
        wait_until(lambda: "works on" in house.said)
    finally:
        house.close()
        server.remove()

    assert f"server   redis://***@127.0.0.1:{server.port}" in house.said
    assert "secret" not in house.said


def test_the_parent_imports_no_user_code(house: House) -> None:
    """Whatever a module does, the parent does not do it."""
    program = house.start("--processes", "2", "--reload")
    children = house.workers(2)

    importers = [int(line) for line in (house.folder / "imports").read_text().split()]
    assert sorted(importers) == children
    assert program.pid not in importers


def test_a_server_that_is_away_is_waited_for(tmp_path: Path) -> None:
    """The worker starts when it comes."""
    server = Server(tcp=True)
    house = House(tmp_path, server.url)
    try:
        program = house.start()
        wait_until(lambda: "is not available" in house.said, within=20)
        assert program.poll() is None

        server.start()
        house.workers()
    finally:
        house.close()
        server.remove()


def test_a_missing_engine_ends_it(tmp_path: Path) -> None:
    """No server is named and none can be run: one line, exit code 69."""
    (tmp_path / "shop.py").write_text(APP)

    done = run_python(
        *("-m", "limpet", "worker", "shop:app"), cwd=tmp_path, LIMPET_ENGINE="/no/such/thing"
    )

    assert done.returncode == 69
    assert done.stderr.splitlines() == [
        "limpet: LIMPET_ENGINE names '/no/such/thing', which is not a program"
    ]


def test_an_app_whose_lifespan_fails_is_tried_again(house: House) -> None:
    """What it needs may come later; one line names the user's own code."""
    with (house.folder / "shop.py").open("a") as file:
        file.write(LIFESPAN)

    house.start()
    wait_until(lambda: "next start in 0.2 s" in house.said, within=20)
    house.let_go("database")
    house.workers()

    assert re.search(r"cannot start: .*shop.py, line \d+: LookupError: no database;", house.said)
    assert "Traceback" not in house.said


def test_queues_are_all_of_the_tasks_unless_said(house: House) -> None:
    """One task has a queue of its own."""
    with (house.folder / "shop.py").open("a") as file:
        file.write(
            "\n@app.task(name='mail', queue='mail')\ndef mail() -> None:\n    note('mailed')\n"
        )
    house.client.queue("mail").push('{"task": "mail"}')
    house.push("count", 1)

    program = house.start("--burst")

    assert program.wait(30) == 0, house.said
    assert sorted(house.notes) == ["counted 1", "mailed"]

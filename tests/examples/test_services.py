"""The examples that need a worker: run as they say, by a real worker process."""

import importlib.util
import os
import shutil
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from tests.support.commands import LIMPET, run, worker
from tests.support.programs import clean_environment
from tests.support.waiting import wait_until

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An engine of its own."""
    return clean_environment(LIMPET_HOME=str(tmp_path / "home"))


def copied(name: str, folder: Path) -> Path:
    """Copy an example to a folder, to run it there."""
    source = EXAMPLES / name
    if source.is_dir():
        ours = shutil.ignore_patterns("__pycache__", "pictures")
        return shutil.copytree(source, folder / name, ignore=ours)
    shutil.copy(source, folder)
    return folder


def test_thumbnails_are_made(tmp_path: Path, environment: dict[str, str]) -> None:
    """Three pictures become small, a file that is none is told so, and all are counted."""
    folder = copied("thumbnails", tmp_path)

    with worker("service:app", cwd=folder, environment=environment):
        said = run([sys.executable, "client.py"], folder, environment)

    assert said.splitlines() == [
        "enqueued 4",
        "anemone.ppm: 32 x 24",
        "barnacle.ppm: 32 x 24",
        "cockle.ppm: 32 x 24",
        "driftwood.ppm: pictures.NoPictureError: driftwood.ppm is not a PPM picture",
        "all: 3 done, 1 failed",
    ]
    thumb = folder / "pictures" / "anemone.thumb.ppm"
    assert len(thumb.read_bytes()) == len(b"P6 32 24 255\n") + 3 * 32 * 24


def test_mails_go_out_once_and_one_at_a_time(tmp_path: Path, environment: dict[str, str]) -> None:
    """Twins are refused, and letters to one address never overlap and keep their order."""
    folder = copied("mail.py", tmp_path)

    queued = run([sys.executable, "mail.py"], folder, environment)
    sent = run([*LIMPET, "worker", "mail:app", "--burst"], folder, environment)

    assert queued.count("queued\n") == 6
    assert queued.count("is in the queue already") == 3
    by_address = defaultdict(list)
    for line in sent.splitlines():
        to, _, what = line.partition(": ")
        by_address[to].append(what)
    letters = ["begin welcome", "end welcome", "begin invoice", "end invoice"]
    assert by_address == {f"{to}@example.com": letters for to in ("anna", "ben", "cleo")}


def test_the_nightly_chore_is_planned_and_can_be_run(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    """The worker plans it, what is due fires by itself, and `cron run` runs it at once."""
    folder = copied("nightly.py", tmp_path)

    with worker("nightly:app", cwd=folder, environment=environment) as started:
        planned = run([*LIMPET, "cron", "ls"], folder, environment)
        wait_until(lambda: "pulse" in started.said)
        run([*LIMPET, "cron", "run", "nightly"], folder, environment)
        wait_until(lambda: any(line.startswith("removing all") for line in started.said))

    assert "0 3 * * * Europe/Berlin" in planned
    assert sum(line.startswith("removing all") for line in started.said) == 1


def test_the_web_service_hands_work_over(
    tmp_path: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Order a report, order it again, wait for it, ask for one that is not there, cancel one."""
    testclient = pytest.importorskip("fastapi.testclient")
    folder = copied("web.py", tmp_path)
    for name in os.environ.keys() - environment.keys():
        monkeypatch.delenv(name)
    monkeypatch.setenv("LIMPET_HOME", environment["LIMPET_HOME"])
    spec = importlib.util.spec_from_file_location("web", folder / "web.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "web", module)
    spec.loader.exec_module(module)

    with testclient.TestClient(module.web) as client:
        first, again = client.post("/reports/2026").json(), client.post("/reports/2026").json()
        assert (first["created"], again) == (True, {"id": first["id"], "created": False})
        look = f"/reports/{first['id']}"
        assert client.get(look).json() == {"status": "waiting", "progress": None}
        with worker("web:jobs", cwd=folder, environment=environment):
            done = client.get(look, params={"wait": 20}).json()
        assert done == {"status": "done", "report": {"year": 2026, "total": 2026 * 78}}
        assert client.get("/reports/nothing").status_code == 404
        other = client.post("/reports/2025").json()["id"]
        assert client.delete(f"/reports/{other}").json() == {"cancelled": True}

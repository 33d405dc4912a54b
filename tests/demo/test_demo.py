"""The demo as users run it."""

import json
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import redis

from tests.support.programs import clean_environment, run_python
from tests.support.servers import Server, free_port
from tests.support.waiting import wait_until

ESCAPE = "\x1b"


def notes_of(folder: Path, who: str, what: str) -> list[str]:
    """Read the ids out of the notes, without the code that wrote them."""
    lines = (folder / f"{who}.jsonl").read_text().splitlines()
    return [note["id"] for note in map(json.loads, lines) if note["what"] == what]


@pytest.fixture
def demo(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run `limpet demo` with arguments; temporary files are looked for in one place."""
    (tmp_path / "tmp").mkdir()

    def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        extra = {"TMPDIR": str(tmp_path / "tmp"), **environment}
        return run_python("-m", "limpet", "demo", *arguments, cwd=tmp_path, **extra)

    return run


def test_the_demo_proves_that_no_job_is_lost(
    demo: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    """A worker is killed with jobs in hand; every job is done, each acked once; exit code 0.

    The notes it keeps are counted here once more, and judged again when doctored.
    """
    notes = tmp_path / "notes"

    done = demo("--notes", str(notes))

    assert done.returncode == 0, done.stdout + done.stderr
    assert "\nPROVEN: every job done, none lost, each acked once" in done.stdout
    assert re.search(r"worker-1 was killed \(SIGKILL\) with [1-9]\d* jobs in hand", done.stdout)
    assert re.search(r"\d+ jobs were started twice, because the killed worker had", done.stdout)
    assert re.search(r"ran again \d+\.\d s after the kill", done.stdout)
    pushed = notes_of(notes, "producer", "pushed")
    acked = [job for who in ("worker-1", "worker-2") for job in notes_of(notes, who, "acked")]
    assert len(pushed) == len(set(pushed)) == 200
    assert len(acked) == len(set(acked))
    assert set(acked) | set(notes_of(notes, "worker-1", "acking")) == set(pushed)
    assert ESCAPE not in done.stdout + done.stderr
    assert max(len(line) for line in (done.stdout + done.stderr).splitlines()) <= 80
    assert list((tmp_path / "tmp").iterdir()) == []

    ack = f'{{"what": "acked", "at": 1e9, "id": "{pushed[0]}"}}\n'
    with (notes / "worker-2.jsonl").open("a") as file:
        file.write(ack)
    doctored = demo("--judge", str(notes))

    assert doctored.returncode == 1
    assert f"acked 2 times: {pushed[0]}" in doctored.stdout
    assert "NOT PROVEN" in doctored.stdout


def interrupted(folder: Path, **environment: str) -> tuple[int, str]:
    """Run the demo, press Ctrl-C once both workers work, and give its code and its words."""
    (folder / "tmp").mkdir()
    with subprocess.Popen(
        [sys.executable, "-m", "limpet", "demo"],
        cwd=folder,
        env=clean_environment(TMPDIR=str(folder / "tmp"), **environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        notes = ("*/notes/worker-1.jsonl", "*/notes/worker-2.jsonl", "*/notes/producer.jsonl")
        wait_until(lambda: all([*(folder / "tmp").glob(name)] for name in notes), within=20)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=20)[1]
    return process.returncode, said


def test_ctrl_c_leaves_nothing_behind(tmp_path: Path) -> None:
    """Stopped in the middle: code 130, no file, no server left."""
    code, said = interrupted(tmp_path)

    assert code == 130
    assert said.endswith("limpet: stopped\n")
    assert list((tmp_path / "tmp").iterdir()) == []


def test_a_named_server_is_used_and_left_clean(
    tmp_path: Path, server: Server, plain: redis.Redis
) -> None:
    """With LIMPET_URL the demo runs there, and takes nothing away but its own, even stopped."""
    plain.set("other", "mine")

    code, said = interrupted(tmp_path, LIMPET_URL=server.url)

    assert code == 130
    assert f"on {server.url}" in said
    assert plain.get("other") == b"mine"
    assert plain.smembers("limpet:queues") == set()
    assert all(plain.ttl(key) > 0 for key in plain.keys("limpet:*"))


def test_a_server_out_of_reach_is_one_line(
    demo: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    """Nothing is started, code 69."""
    done = demo("--url", f"redis://127.0.0.1:{free_port()}")

    assert (done.returncode, done.stdout) == (69, "")
    assert done.stderr.startswith("limpet: ")


def test_notes_are_not_mixed_with_other_files(
    demo: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    """A directory that is not empty is refused before anything starts: code 2."""
    done = demo("--notes", str(tmp_path))

    assert done.returncode == 2
    assert "is not empty" in done.stderr

"""The judge of the demo believes nothing: every way to fake or miss the proof is a fault."""

import json
from pathlib import Path

import pytest

from limpet.demo import judge
from limpet.demo.notes import Notebook
from limpet.demo.summary import judge_again
from limpet.errors import ConfigError

JOBS = ("1-1", "1-2", "1-3")
DONE = {"waiting": 0, "parked": 0, "scheduled": 0, "running": 0, "dead": 0, "completed": 3}
#: Worker 1 is killed at 10 with 1-2 in hand; worker 2 starts that one again at 12.
STORY = (
    *[("producer", "pushed", job, 1) for job in JOBS],
    ("worker-1", "started", "1-1", 2),
    ("worker-1", "acking", "1-1", 3),
    ("worker-1", "acked", "1-1", 3),
    ("worker-1", "started", "1-2", 4),
    ("worker-2", "started", "1-3", 5),
    ("worker-2", "acking", "1-3", 6),
    ("worker-2", "acked", "1-3", 6),
    ("worker-2", "started", "1-2", 12),
    ("worker-2", "acking", "1-2", 13),
    ("worker-2", "acked", "1-2", 13),
)


class Folder:
    """A folder of notes that can be doctored."""

    def __init__(self, path: Path) -> None:
        """Write the notes of a run in which everything went as promised."""
        self.path = path
        for who, what, job, at in STORY:
            self.add(who, what, job, at)
        Notebook(path, "director").note("killed", at=10, worker="worker-1", in_hand=["1-2"])
        Notebook(path, "director").note("end", counts=DONE)

    def add(self, who: str, what: str, job: str = "", at: float = 20, **facts: object) -> None:
        """Write one more note."""
        Notebook(self.path, who).note(what, job, at=at, **facts)

    def remove(self, who: str, what: str, job: str = "") -> None:
        """Take notes out."""
        file = self.path / f"{who}.jsonl"
        lines = file.read_text().splitlines()
        kept = [x for x in lines if (json.loads(x)["what"], json.loads(x)["id"]) != (what, job)]
        assert len(kept) < len(lines)
        file.write_text("".join(f"{line}\n" for line in kept))

    def count(self, **counts: int) -> None:
        """Change what the queue counted at the end."""
        self.remove("director", "end")
        self.add("director", "end", counts={**DONE, **counts})

    @property
    def faults(self) -> list[str]:
        """What the judge finds."""
        return judge.faults(judge.load(self.path))


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """The notes of a run in which everything went as promised."""
    return Folder(tmp_path)


def test_a_run_as_promised_is_proven(folder: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    """No fault, exit code 0, and the summary names the job that ran twice and why."""
    assert folder.faults == []

    code = judge_again(str(folder.path))

    said = capsys.readouterr().out
    assert code == 0
    assert "3 jobs were pushed, 3 were done." in said
    assert "1 jobs were started twice, because the killed worker had them:\n    1-2\n" in said
    assert "2.0 s after the kill" in said
    assert "\nPROVEN" in said


def test_a_lost_job_is_found(folder: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    """A pushed job that nobody acked fails the run: exit code 1, and its id."""
    folder.remove("worker-2", "acked", "1-3")

    assert judge_again(str(folder.path)) == 1

    said = capsys.readouterr().out
    assert "lost: 1-3 was pushed and never acked" in said
    assert "NOT PROVEN" in said


def test_a_second_ack_is_found(folder: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    """A job that two workers ended fails the run: exit code 1, and its id."""
    folder.add("worker-1", "acked", "1-3")

    assert judge_again(str(folder.path)) == 1

    assert "acked 2 times: 1-3" in capsys.readouterr().out


def test_a_second_start_needs_a_reason(folder: Folder) -> None:
    """A job that the killed worker did not hold must not start again."""
    folder.add("worker-2", "started", "1-1")

    assert folder.faults == ["started 2 times without a reason: 1-1"]


def test_a_kill_excuses_one_more_start_only(folder: Folder) -> None:
    """Three starts of a job that was in the killed worker's hands are one too many."""
    folder.add("worker-2", "started", "1-2")

    assert folder.faults == ["started 3 times without a reason: 1-2"]


def test_a_start_before_the_kill_is_no_recovery(folder: Folder) -> None:
    """While the killed worker lived, nobody else may have had its job."""
    folder.remove("worker-2", "started", "1-2")
    folder.add("worker-2", "started", "1-2", at=9)

    assert folder.faults == ["in two hands at once: 1-2"]


def test_a_frozen_worker_is_a_reason(folder: Folder) -> None:
    """A worker that was silent for longer than its lease says so, and its jobs may start again."""
    folder.add("worker-2", "lost", at=7, ids=["1-3"])
    folder.add("worker-1", "started", "1-3", at=8)

    assert folder.faults == []


def test_a_job_nobody_pushed_is_found(folder: Folder) -> None:
    """Workers must not work on what no producer knows."""
    folder.add("worker-2", "started", "9-9")

    assert folder.faults == ["never pushed, but worked on: 9-9"]


def test_an_ack_the_killed_worker_could_not_note_counts(folder: Folder) -> None:
    """It was sent, nobody started the job again, and the queue counted it."""
    folder.remove("worker-1", "acked", "1-1")

    assert folder.faults == []

    folder.count(completed=2)
    assert folder.faults == ["the queue counts 2 ended jobs, 3 were pushed"]


def test_what_is_left_in_the_queue_is_found(folder: Folder) -> None:
    """Every job must have ended in the eyes of the queue too."""
    folder.count(waiting=1)

    assert folder.faults == ["1 jobs are still in the queue"]


def test_a_run_without_an_end_is_no_proof(folder: Folder) -> None:
    """If the director did not see the end, nothing is proven."""
    folder.remove("director", "end")

    assert folder.faults == ["the run did not come to its end"]


def test_a_run_without_a_kill_is_no_proof(folder: Folder) -> None:
    """Neither is one in which nobody was killed, or one with empty hands."""
    folder.remove("director", "killed")

    assert "no worker was killed" in folder.faults

    folder.add("director", "killed", worker="worker-1", in_hand=[], at=10)
    assert "worker-1 had nothing in hand when it was killed" in folder.faults


def test_a_note_that_was_cut_off_is_none(folder: Folder) -> None:
    """A kill in the middle of a write leaves half a line, which is not held against anybody."""
    with (folder.path / "worker-1.jsonl").open("a") as file:
        file.write('{"what": "ack')

    assert folder.faults == []


@pytest.mark.parametrize("line", ["nonsense", "[]", "{}", '{"what": 1, "at": "x", "id": ""}'])
def test_a_line_that_is_no_note_is_named(folder: Folder, line: str) -> None:
    """Notes somebody spoiled are refused, not skipped."""
    with (folder.path / "worker-1.jsonl").open("a") as file:
        file.write(f"{line}\n")

    with pytest.raises(ConfigError, match=r"worker-1\.jsonl"):
        judge.load(folder.path)


def test_a_folder_without_notes_is_refused(tmp_path: Path) -> None:
    """Nothing to judge is not proven by that."""
    with pytest.raises(ConfigError, match="no notes of a demo"):
        judge_again(str(tmp_path))

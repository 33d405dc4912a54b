"""The documents are true: their code runs, their links lead somewhere, their commands exist."""

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, blocks, files, pages
from tests.docs.session import follow
from tests.support.commands import LIMPET, run
from tests.support.programs import clean_environment, run_python

WITH_CODE = [page for page in pages() if any(b.language == "python" for b in blocks(page))]
TUTORIAL = ROOT / "docs" / "tutorial.md"
BARE_QUEUES = ROOT / "docs" / "howto" / "bare-queues.md"


def name(page: Path) -> str:
    """Name a page as its readers do."""
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", WITH_CODE, ids=name)
def test_the_code_of_a_page_does_what_the_page_says(page: Path, tmp_path: Path) -> None:
    """Every Python block runs, and prints what stands behind it."""
    runner = str(ROOT / "tests" / "docs" / "pages.py")

    done = run_python(runner, str(page), cwd=tmp_path, LIMPET_HOME=str(tmp_path / "home"))

    assert done.returncode == 0, done.stderr


def test_the_pages_are_found() -> None:
    """The tests above look at real pages, not at an empty list."""
    known = {"README.md", "docs/tutorial.md", "docs/guarantees.md", "docs/howto/bare-queues.md"}
    assert known <= {name(page) for page in WITH_CODE}


@pytest.mark.parametrize("page", pages(), ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    """A link to a file finds it, and one to a heading finds that."""
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in target:
            continue
        path, _, heading = target.partition("#")
        file = (page.parent / path).resolve() if path else page

        assert file.exists(), f"{target} leads nowhere"
        if heading:
            titles = re.findall(r"^#+ (.+)$", file.read_text("utf-8"), re.MULTILINE)
            anchors = {re.sub(r"[^\w -]", "", t).strip().lower().replace(" ", "-") for t in titles}
            assert heading in anchors, f"{target} has no such heading"


@pytest.mark.parametrize("page", pages(), ids=name)
def test_commands_exist(page: Path) -> None:
    """Every `limpet ...` that a page tells to type is a command, with the options it has."""
    from limpet.cli.group import limpet

    shell = "".join(block.text for block in blocks(page) if block.language == "sh")
    typed = re.findall(r"^limpet ([^\n#]+)", shell, re.MULTILINE)
    typed += re.findall(r"`limpet ([a-z][^`]*)`", page.read_text("utf-8"))
    for words in typed:
        command, rest = limpet, words.split()
        while rest and hasattr(command, "commands"):
            assert rest[0] in command.commands, f"limpet {words}"
            command, rest = command.commands[rest[0]], rest[1:]
        known = {option for parameter in command.params for option in parameter.opts}
        assert {word for word in rest if word.startswith("-")} <= known, f"limpet {words}"


@pytest.mark.timeout(180)
def test_the_tutorial_can_be_followed_literally(tmp_path: Path) -> None:
    """Every file is written, every command typed, and each prints what the page shows.

    Among them: a worker killed in the middle of a job, and a worker killed with its parent.
    """
    here = str(Path(sys.executable).parent)
    environment = clean_environment(LIMPET_HOME=str(tmp_path / "home"))
    environment["PATH"] = f"{here}:{environment['PATH']}"

    typed = follow(TUTORIAL, tmp_path, environment)

    assert len(typed) == 11
    for step in typed:
        assert step.printed == step.told, f"line {step.line}: {step.commands}"


def test_the_first_program_of_the_readme_works(tmp_path: Path) -> None:
    """It enqueues a letter, and a worker sends it."""
    environment = clean_environment(LIMPET_HOME=str(tmp_path / "home"))
    (tmp_path / "shop.py").write_text(files(ROOT / "README.md")["shop.py"])

    run([sys.executable, "shop.py"], tmp_path, environment)
    said = run([*LIMPET, "worker", "shop:app", "--burst"], tmp_path, environment)

    assert said == "welcome anna@example.com\n"


def write_files(folder: Path) -> dict[str, str]:
    """Do what the page on bare queues tells: write its files; answers the environment for them."""
    for file, text in files(BARE_QUEUES).items():
        (folder / file).write_text(text)
    return clean_environment(LIMPET_HOME=str(folder / "home"))


def start_worker(folder: Path, environment: dict[str, str]) -> "subprocess.Popen[str]":
    """Start the worker of that page."""
    return subprocess.Popen(
        [sys.executable, "worker.py"],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_bare_queues_survive_kill_9(tmp_path: Path) -> None:
    """Five letters, a worker killed while it writes, a second worker: all are written.

    What the killed worker held is delivered twice, everything else once.
    """
    environment = write_files(tmp_path)
    subprocess.run([sys.executable, "produce.py"], cwd=tmp_path, env=environment, check=True)

    with start_worker(tmp_path, environment) as first:
        assert first.stdout is not None
        while not first.stdout.readline().startswith("writing"):
            pass
        first.send_signal(signal.SIGKILL)
    with start_worker(tmp_path, environment) as second:
        said = second.communicate(timeout=40)[0].splitlines()

    written = {line for line in said if line.startswith("writing")}
    assert written == {
        "writing letter 1, delivery 2",
        "writing letter 2, delivery 2",
        *[f"writing letter {number}, delivery 1" for number in (3, 4, 5)],
    }
    assert said.count("done") == 5

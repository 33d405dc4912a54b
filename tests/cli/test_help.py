"""Help, version and bad input."""

from pathlib import Path

import pytest

from limpet.cli import main
from tests.cli.conftest import Run
from tests.support.programs import run_python

COMMANDS = (
    "cron",
    "dead",
    "demo",
    "doctor",
    "engine",
    "job",
    "queue",
    "repair",
    "status",
    "verify",
    "worker",
)
#: Of commands in groups: one or two each.
INNER = ("engine stop", "cron next", "job explain", "dead ls", "dead retry", "queue drop")


def test_help_names_every_command(run: Run) -> None:
    """Without arguments, and with --help, each command stands there with a line."""
    bare, asked = run(), run("--help")

    assert (bare.returncode, asked.returncode) == (0, 0)
    assert bare.stdout == asked.stdout
    lines = [line.split() for line in asked.stdout.splitlines()]
    assert [line[0] for line in lines if line and line[0] in COMMANDS] == list(COMMANDS)


@pytest.mark.parametrize(
    "command",
    [*COMMANDS, *INNER],
)
def test_every_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Help of a command ends well and fits 80 columns."""
    with pytest.raises(SystemExit) as end:
        main([*command.split(), "--help"])

    assert end.value.code == 0
    assert max(len(line) for line in capsys.readouterr().out.splitlines()) <= 80


def test_the_help_of_burst_says_what_stays(capsys: pytest.CaptureFixture[str]) -> None:
    """A worker that ended has not necessarily left an empty queue."""
    with pytest.raises(SystemExit):
        main(["worker", "--help"])

    told = " ".join(capsys.readouterr().out.split())
    assert "Jobs for later, such as delays and retries not due, stay." in told


def test_help_waits_for_nothing_heavy(tmp_path: Path) -> None:
    """Neither the client library, nor an event loop, nor the painter is imported for help."""
    code = (
        "import sys\n"
        "from limpet.cli import main\n"
        "try: main(['status', '--help'])\n"
        "except SystemExit: pass\n"
        "print('heavy:', sorted({'redis', 'asyncio', 'rich', 'platformdirs'} & set(sys.modules)))"
    )

    done = run_python("-c", code, cwd=tmp_path)

    assert done.stdout.splitlines()[-1] == "heavy: []"


def test_version_is_that_of_the_package(run: Run) -> None:
    """--version prints the version and nothing else."""
    import limpet

    assert run("--version").stdout == f"limpet {limpet.__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nonsense"], "No such command 'nonsense'; see limpet --help"),
        (["cron", "next", "61 * * * *"], "Bad minute; write five fields"),
        (["cron", "next", "0 3 * * *", "--tz", "Atlantis"], "there is no time zone 'Atlantis'"),
        (["engine"], "Missing command; see limpet engine --help"),
        (["dead", "ls", "-n", "0"], "; see limpet dead ls --help"),
        (["dead", "retry"], "Name jobs by their ids, or say --all; see limpet dead retry --help"),
        (["dead", "purge", "x", "--all"], "not both; see limpet dead purge --help"),
        (["queue", "drop"], "Missing argument 'NAME'; see limpet queue drop --help"),
        (["status", "--nonsense"], "; see limpet status --help"),
        (["verify"], "Missing argument 'QUEUE'; see limpet verify --help"),
        (["status", "--url", "http://there"], "has the scheme 'http'"),
        (["verify", "a{b}", "--url", "unix:///nowhere"], "braces and control characters"),
        (["demo", "--judge", "x", "--notes", "y"], "--judge runs nothing"),
    ],
)
def test_bad_input_is_one_line_and_code_2(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is not understood is named with the next step; no traceback, nothing on stdout."""
    with pytest.raises(SystemExit) as end:
        main(arguments)

    out, told = capsys.readouterr()
    assert end.value.code == 2
    assert out == ""
    assert told.count("\n") == 1
    assert told.startswith("limpet: ")
    assert said in told


def test_a_bug_is_one_line_and_code_70(tmp_path: Path) -> None:
    """An error nobody expected names itself and asks for a report, traceback only with -v."""
    broken = "import limpet.cli.options as o; o.connect = None\n"
    call = "import limpet.cli.status as s; s.connect = None; from limpet.cli import main; main("

    quiet = run_python("-c", f"{broken}{call}['status'])", cwd=tmp_path)
    loud = run_python("-c", f"{broken}{call}['status', '-v'])", cwd=tmp_path)

    assert (quiet.returncode, loud.returncode) == (70, 70)
    assert quiet.stderr.count("\n") == 1
    assert "a bug: TypeError" in quiet.stderr
    assert "Traceback" in loud.stderr

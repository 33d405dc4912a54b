"""Every example runs, ends by itself and says what it should."""

from pathlib import Path

import pytest

from tests.support.programs import run_python

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

SAID = {
    "hello.py": """\
hello Anna
hello Ben
hello Cleo
done: 3
""",
    "async_worker.py": """\
ended 7, of these failed 1
last error, after 2 deliveries: ValueError: not a picture
""",
    "unique_mail.py": """\
queued twice? False - same job: True
queued while the first runs? True
indexed once: page 7, final
refused, in the way is a job of queue example-mail
""",
    "locked_accounts.py": """\
anna: +1 +2 +3 +4, at most 1 at once
ben: +1 +2 +3 +4, at most 1 at once
cleo: +1 +2 +3 +4, at most 1 at once
""",
    "delayed.py": """\
scheduled: 2
done: at once
done: in a moment
not yet: at a time
done: at a time
""",
    "recover.py": """\
first worker has 'write the report', delivery 1
second worker has 'write the report', delivery 2
workers that died with it: 1
acked: True
""",
    "events.py": """\
work 3
done 1
failed
cancel
delete
""",
    "several_queues.py": """\
taken together: alarm 1, alarm 2, newsletter 1
taken together: newsletter 2
""",
}


#: Those that need a worker, or are folders: test_services.py runs them.
SERVICES = {"mail.py", "nightly.py", "web.py", "thumbnails"}


def test_every_example_is_run() -> None:
    """No example is forgotten, none is missing."""
    found = {path.name for path in EXAMPLES.iterdir() if not path.name.startswith(("_", "."))}
    assert found == {*SAID, *SERVICES, "README.md"}


@pytest.mark.parametrize("name", SAID)
def test_an_example_does_what_it_says(name: str, tmp_path: Path) -> None:
    """It runs on an engine of its own, ends with code 0, prints what it should, complains not."""
    home = str(tmp_path / "home")

    done = run_python(str(EXAMPLES / name), cwd=tmp_path, LIMPET_HOME=home)

    lines = [line.rstrip() for line in done.stdout.splitlines()]
    assert (done.returncode, done.stderr) == (0, "")
    assert lines == SAID[name].splitlines()

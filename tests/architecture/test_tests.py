"""The shape of the tests: each says what it proves, and none sleeps."""

from tests.architecture import rules

TESTS = list(rules.TESTS.rglob("*.py"))


def test_tests_do_not_sleep() -> None:
    """Nothing under tests calls the blocking sleep of the standard library."""
    rules.demand(rules.sleeping, TESTS)


def test_tests_say_what_they_prove() -> None:
    """Every test function has a docstring."""
    rules.demand(rules.tests_without_docstring, TESTS)


def test_sleeping_is_caught() -> None:
    """Under whatever name it was imported; other sleeps are not meant."""
    text = (
        "import time\nimport time as t\nfrom time import sleep as nap\n"
        "time.sleep(1)\nt.sleep(1)\nnap(1)\nasyncio.sleep(0)\ntime.monotonic()\n"
    )

    assert list(rules.sleeping(text)) == [":4: time.sleep()", ":5: t.sleep()", ":6: nap()"]


def test_a_silent_test_is_caught() -> None:
    """Also in a class and also when asynchronous; helpers are free."""
    text = "class TestA:\n    async def test_b(self): ...\ndef test_c(): ...\ndef helper(): ...\n"

    assert len(list(rules.tests_without_docstring(text))) == 2

"""Scripts are loaded by name, and called by names."""

import pytest

from limpet.commands.base import command, dumps, loads
from limpet.keys import KEY_TYPES, queue_keys
from limpet.scripts import all_scripts, script


@pytest.mark.parametrize("name", all_scripts())
def test_every_script_names_known_keys(name: str) -> None:
    """The keys a script names are keys of a queue (or the list it adopts), each once."""
    keys = script(name).keys

    assert keys
    assert len(set(keys)) == len(keys)
    assert set(keys) <= {*KEY_TYPES, "source"}


@pytest.mark.parametrize("name", all_scripts())
def test_every_include_is_put_in(name: str) -> None:
    """No include line is left, and the shebang stays the first line."""
    text = script(name).text

    assert "@include" not in text
    assert text.startswith("#!lua")


def test_a_wrong_name_fails_before_anything_is_sent() -> None:
    """A missing or an unknown argument is an error of the caller."""
    keys = queue_keys("q")

    with pytest.raises(TypeError, match="count"):
        command("pop", keys, list, worker="w")
    with pytest.raises(TypeError, match="colour"):
        command("pause", keys, list, colour="red")


def test_any_bytes_survive_the_json_in_between() -> None:
    """What goes into a script's JSON and comes back is the same, byte for byte."""
    odd = bytes(range(256))

    read = loads(dumps({"lock": odd}))["lock"]

    assert read.encode("utf-8", "surrogateescape") == odd
    assert loads(b"torn {") == loads(b"[1]") == loads(b"") == {}

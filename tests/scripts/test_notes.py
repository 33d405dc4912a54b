"""progress.lua, log.lua, once.lua and notes.lua."""

import pytest

from limpet.commands import finish, manage, notes
from limpet.errors import ConfigError
from limpet.values import Notes
from tests.scripts.helpers import NOW, World, jid


def test_a_job_tells_about_itself_while_it_runs(world: World) -> None:
    """Progress is replaced, lines add up, effects are kept by name; all goes with the job."""
    world.start()
    world.push(b"a")
    receipt = world.pop()[0].receipt

    assert world.run(notes.progress(world.keys, receipt, 0.1, "start"))
    assert world.run(notes.progress(world.keys, receipt, 0.5, "hälfte \x00"), at=NOW + 1)
    assert world.run(notes.log(world.keys, receipt, "one"))
    assert world.run(notes.log(world.keys, receipt, "two"), at=NOW + 2)
    assert world.run(notes.once(world.keys, receipt, "charge")) is True

    told = Notes(0.5, "hälfte \x00", NOW + 1, ((NOW, "one"), (NOW + 2, "two")), ("charge",))
    assert world.run(notes.notes(world.keys, jid(1))) == told
    world.run(finish.ack(world.keys, [receipt]))
    assert world.run(notes.notes(world.keys, jid(1))) == Notes()
    assert "notes" not in world.snapshot()


def test_an_effect_is_noted_once_for_all_deliveries(world: World) -> None:
    """The second delivery is told so; the receipt of the first counts no more."""
    world.start()
    world.push(b"a")
    old = world.pop()[0].receipt
    assert world.run(notes.once(world.keys, old, "charge")) is True
    assert world.run(notes.once(world.keys, old, "charge")) is False
    world.run(finish.release(world.keys, [old], None))
    new = world.pop()[0].receipt

    assert world.run(notes.once(world.keys, new, "charge")) is False
    assert world.run(notes.once(world.keys, new, "ship")) is True
    assert world.run(notes.once(world.keys, old, "mail")) is None


def test_a_stale_receipt_tells_nothing(world: World) -> None:
    """Nothing changes."""
    world.start()
    world.push(b"a")
    receipt = world.pop()[0].receipt
    world.run(finish.release(world.keys, [receipt], None))

    for made in (
        notes.progress(world.keys, receipt, 0.1, ""),
        notes.log(world.keys, receipt, "x"),
        notes.once(world.keys, receipt, "x"),
    ):
        reply, changed = world.step(made)
        assert reply == [b"stale"]
        assert changed == {}


def test_what_is_kept_is_bounded(world: World) -> None:
    """The oldest lines go; one effect too many is refused."""
    world.start()
    world.push(b"a")
    receipt = world.pop()[0].receipt
    for n in range(notes.MAX_LINES + 5):
        world.run(notes.log(world.keys, receipt, f"line {n}"))
        if n < notes.MAX_EFFECTS:
            world.run(notes.once(world.keys, receipt, f"effect {n}"))

    found = world.run(notes.notes(world.keys, jid(1)))
    assert found.log[0][1] == "line 5"
    assert len(found.log) == notes.MAX_LINES
    with pytest.raises(ConfigError, match="100 effects"):
        world.run(notes.once(world.keys, receipt, "one more"))


def test_the_dead_keep_their_notes(world: World) -> None:
    """Until they are purged; a revived job remembers its effects."""
    world.start()
    world.push(b"a")
    receipt = world.pop()[0].receipt
    world.run(notes.once(world.keys, receipt, "charge"))
    world.run(finish.fail(world.keys, receipt, b"no", 10))
    assert world.run(notes.notes(world.keys, jid(1))).once == ("charge",)

    world.run(manage.purge(world.keys, [], 10))

    assert "notes" not in world.snapshot()

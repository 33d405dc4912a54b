"""Poison: jobs that kill their worker, or would keep it for ever."""

from tests.matrix.judge import Bounds, Verdict
from tests.matrix.scenes import scene
from tests.matrix.stage import SLOTS, Stage
from tests.matrix.tasks import DEADLY

#: Each death may cost the other jobs of that worker a start.
BOUNDS = Bounds(per_strike=SLOTS)
BY_DEATH = "its worker died 3 times"


@scene("F8a", BOUNDS)
def one_poison(stage: Stage) -> Verdict:
    """One job kills its worker whenever it runs."""
    kind = stage.chance.choice(sorted(DEADLY))
    return _play(stage, [kind])


@scene("F8b", BOUNDS)
def poison_of_all_kinds(stage: Stage) -> Verdict:
    """One job of each deadly kind, all at once."""
    return _play(stage, sorted(DEADLY), "--processes", "2")


@scene("F8c", BOUNDS)
def harmless_poison(stage: Stage) -> Verdict:
    """Memory bomb, unreadable payload, a loop in C in a process of its own: one run each."""
    return _play(stage, ["bomb", "garbage", "spin apart"])


@scene("F8d", BOUNDS, slow=True)
def spinning_poison(stage: Stage) -> Verdict:
    """A loop in C that holds the interpreter, with a time limit: the parent ends it."""
    return _play(stage, ["spin"])


@scene("F8e", BOUNDS, slow=True)
def much_poison(stage: Stage) -> Verdict:
    """Twenty deadly jobs at once."""
    kinds = sorted(DEADLY)
    poison = [kinds[number % len(kinds)] for number in range(20)]
    return _play(stage, poison, "--processes", "2")


def _play(stage: Stage, poison: list[str], *options: str) -> Verdict:
    stage.produce(poison=poison, pace_ms=1)
    stage.worker(*options)
    verdict = stage.settle(within=120)
    by_death = sum(BY_DEATH in why for why in verdict.poison.values())
    assert by_death == sum(kind in DEADLY or kind == "spin" for kind in poison), verdict.poison
    return verdict

"""What follows the end of a child. Pure: deciding only."""

from dataclasses import dataclass
from typing import Literal, Self

FIRST_S = 0.1
LONGEST_S = 30.0
#: After one that had worked: then a job killed it, and the limit of crashes ends that. Others wait.
LONGEST_AFTER_WORK_S = 1.0
#: A child that lived so long was fine: the next pause is the first one again.
HEALTHY_S = 60.0

Next = Literal["nothing", "restart", "await change", "give up"]


@dataclass(frozen=True, slots=True)
class Restarts:
    """How often in a row a child ended too early."""

    in_a_row: int = 0
    #: The last one had begun to take jobs.
    worked: bool = False

    def after(self, life_s: float, *, worked: bool = False) -> Self:
        """Count one more end, of a child that lived so long."""
        return type(self)(1 if life_s >= HEALTHY_S else self.in_a_row + 1, worked)

    @property
    def pause_s(self) -> float:
        """How long to wait before the next start."""
        doublings = min(max(self.in_a_row - 1, 0), 30)
        longest_s = LONGEST_AFTER_WORK_S if self.worked else LONGEST_S
        return min(FIRST_S * 2.0**doublings, longest_s)


@dataclass(frozen=True, slots=True)
class End:
    """The end of a child, and what was known then."""

    #: It said that its work ended as it should.
    clean: bool
    #: It was told to stop, or another one took its place.
    wanted: bool = False
    #: It said that it cannot start, for a reason that stays until somebody changes something.
    hopeless: bool = False
    #: Some child of this parent once worked.
    ever_worked: bool = False
    burst: bool = False
    reload: bool = False


def decide(end: End) -> Next:
    """Say what follows the end of a child."""
    if end.wanted or (end.burst and end.clean):
        return "nothing"
    if end.hopeless and not end.ever_worked:
        return "give up"
    if end.hopeless and end.reload:
        return "await change"
    return "restart"

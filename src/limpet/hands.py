"""What a worker holds at the moment, as far as it knows."""

from dataclasses import dataclass, field

from limpet.commands.take import Burden
from limpet.values import Delivery, Receipt


@dataclass(slots=True)
class Hands:
    """Deliveries in hand over all queues; the suspect rule needs to know.

    The heart looks from another thread: each change of a set is a single step.
    """

    _held: set[Receipt] = field(default_factory=set)
    _leaving: set[Receipt] = field(default_factory=set)
    #: Those whose workers died before, and whether one must run alone.
    _suspects: dict[Receipt, bool] = field(default_factory=dict)

    def take(self, deliveries: list[Delivery], crash_limit: int) -> None:
        """Note new deliveries."""
        for delivery in [d for d in deliveries if d.crashes]:
            alone = crash_limit > 0 and delivery.crashes >= crash_limit - 1
            self._suspects[delivery.receipt] = alone
        self._held.update([delivery.receipt for delivery in deliveries])

    def drop(self, receipts: list[Receipt]) -> None:
        """Forget deliveries that ended or were lost."""
        self._held.difference_update(receipts)
        self._leaving.difference_update(receipts)
        for receipt in receipts if self._suspects else ():
            self._suspects.pop(receipt, None)

    def set_down(self, receipts: list[Receipt]) -> None:
        """Have deliveries on their way out: no burden any more, but ours until they ended."""
        mine = self._held.intersection(receipts)
        self._leaving.update(mine)
        self._held.difference_update(mine)

    def pick_up(self, receipts: list[Receipt]) -> None:
        """Have deliveries in hand again that did not end after all."""
        mine = self._leaving.intersection(receipts)
        self._held.update(mine)
        self._leaving.difference_update(mine)

    def receipts(self) -> frozenset[Receipt]:
        """List what is in hand or on its way out."""
        # Held twice: what moves from one to the other meanwhile, either way, is seen once at least.
        return frozenset([*self._held.copy(), *self._leaving.copy(), *self._held.copy()])

    def clear(self) -> None:
        """Forget them all: the worker is a new one."""
        self._held.clear()
        self._leaving.clear()
        self._suspects.clear()

    @property
    def burden(self) -> Burden:
        """What the server must know before it hands out more."""
        if not self._held:
            return "none"
        found = [alone for receipt, alone in self._suspects.copy().items() if receipt in self._held]
        if any(found):
            return "alone"
        return "suspect" if found else "plain"

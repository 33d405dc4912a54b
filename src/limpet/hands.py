"""What a worker holds at the moment, as far as it knows."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from limpet.commands.take import Burden
from limpet.values import Delivery, Receipt

#: Receipts, each with its crashes and whether it must run alone.
Held = dict[Receipt, tuple[int, bool]]


@dataclass(slots=True)
class Hands:
    """Deliveries in hand over all queues; the suspect rule needs to know."""

    _held: Held = field(default_factory=dict)
    _leaving: Held = field(default_factory=dict)

    def take(self, deliveries: Iterable[Delivery], crash_limit: int) -> None:
        """Note new deliveries."""
        for delivery in deliveries:
            alone = crash_limit > 0 and 0 < delivery.crashes >= crash_limit - 1
            self._held[delivery.receipt] = (delivery.crashes, alone)

    def drop(self, receipts: Iterable[Receipt]) -> None:
        """Forget deliveries that ended or were lost."""
        for receipt in receipts:
            self._held.pop(receipt, None)
            self._leaving.pop(receipt, None)

    def set_down(self, receipts: Iterable[Receipt]) -> None:
        """Have deliveries on their way out: no burden any more, but ours until they ended."""
        for receipt in receipts:
            if receipt in self._held:
                self._leaving[receipt] = self._held[receipt]
                del self._held[receipt]

    def pick_up(self, receipts: Iterable[Receipt]) -> None:
        """Have deliveries in hand again that did not end after all."""
        for receipt in receipts:
            if receipt in self._leaving:
                self._held[receipt] = self._leaving[receipt]
                del self._leaving[receipt]

    def receipts(self) -> frozenset[Receipt]:
        """List what is in hand or on its way out."""
        # Held twice: what moves from one to the other meanwhile, either way, is seen once at least.
        return frozenset([*list(self._held), *list(self._leaving), *list(self._held)])

    def clear(self) -> None:
        """Forget them all: the worker is a new one."""
        self._held.clear()
        self._leaving.clear()

    @property
    def burden(self) -> Burden:
        """What the server must know before it hands out more."""
        held = list(self._held.values())  # in one step: the heartbeat looks from another thread
        if not held:
            return "none"
        if any(alone for _, alone in held):
            return "alone"
        return "suspect" if any(crashes for crashes, _ in held) else "plain"

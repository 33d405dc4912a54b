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

    def take(self, deliveries: Iterable[Delivery], crash_limit: int) -> None:
        """Note new deliveries."""
        for delivery in deliveries:
            alone = crash_limit > 0 and 0 < delivery.crashes >= crash_limit - 1
            self._held[delivery.receipt] = (delivery.crashes, alone)

    def drop(self, receipts: Iterable[Receipt]) -> Held:
        """Forget deliveries that ended or were lost; answers what was forgotten."""
        found = [(receipt, self._held.pop(receipt, None)) for receipt in receipts]
        return {receipt: load for receipt, load in found if load is not None}

    def keep(self, dropped: Held) -> None:
        """Remember again what was forgotten too early."""
        self._held.update(dropped)

    def receipts(self) -> frozenset[Receipt]:
        """List what is in hand."""
        return frozenset(list(self._held))

    def clear(self) -> None:
        """Forget them all: the worker is a new one."""
        self._held.clear()

    @property
    def burden(self) -> Burden:
        """What the server must know before it hands out more."""
        held = list(self._held.values())  # in one step: the heartbeat looks from another thread
        if not held:
            return "none"
        if any(alone for _, alone in held):
            return "alone"
        return "suspect" if any(crashes for crashes, _ in held) else "plain"

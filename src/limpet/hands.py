"""What a worker holds at the moment, as far as it knows."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from limpet.commands.take import Burden
from limpet.values import Delivery, Receipt


@dataclass(slots=True)
class Hands:
    """Deliveries in hand over all queues; the suspect rule needs to know."""

    _held: dict[Receipt, tuple[int, bool]] = field(default_factory=dict)

    def take(self, deliveries: Iterable[Delivery], crash_limit: int) -> None:
        """Note new deliveries."""
        for delivery in deliveries:
            alone = crash_limit > 0 and 0 < delivery.crashes >= crash_limit - 1
            self._held[delivery.receipt] = (delivery.crashes, alone)

    def drop(self, receipts: Iterable[Receipt]) -> None:
        """Forget deliveries that ended or were lost."""
        for receipt in receipts:
            self._held.pop(receipt, None)

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

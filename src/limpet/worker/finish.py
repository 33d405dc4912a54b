"""What becomes of an outcome: one call of the core for each."""

import asyncio
import logging
from typing import assert_never

from limpet.errors import BackendError, PayloadError
from limpet.values import Delivery
from limpet.worker.outcomes import (
    Cancelled,
    Done,
    Failed,
    Lost,
    Outcome,
    Rejected,
    Released,
    RetryLater,
    TimedOut,
    Unknown,
)
from limpet.worker.taking import Acks, Queues

log = logging.getLogger("limpet.worker")
#: Before an outcome is told again that the server could not be told.
AGAIN_S = 0.5


class Finish:
    """Tells the server how jobs ended."""

    def __init__(self, queues: Queues, acks: Acks) -> None:
        """Tell these queues, and collect plain acks there."""
        self._queues, self._acks = queues, acks

    async def settle(self, delivery: Delivery, outcome: Outcome) -> None:
        """Tell an outcome, again and again until the server answers."""
        while True:
            try:
                accepted = await self.tell(delivery, outcome)
            except PayloadError as error:
                outcome = Failed(f"the result cannot be kept: {error}", error)
            except BackendError as error:
                log.warning(
                    "limpet: the end of job %s waits for the server: %s", delivery.id, error
                )
                await asyncio.sleep(AGAIN_S)
            else:
                if not accepted:
                    log.warning(
                        "limpet: job %s was not ours any more when it ended (%s)",
                        *(delivery.id, type(outcome).__name__.lower()),
                    )
                return

    async def tell(self, delivery: Delivery, outcome: Outcome) -> bool:
        """Tell an outcome once; answers whether it counted."""
        queue = self._queues[delivery.queue]
        match outcome:
            case Done(bytes() as body):
                return await queue.complete(delivery, body)
            case Done():
                self._acks.add(delivery)
            case Failed(message) | Rejected(message) | TimedOut(message):
                return await queue.fail(delivery, message)
            case RetryLater(delay_ms, message):
                return await queue.retry(delivery, delay_ms / 1000, message)
            case Unknown(task):
                return await queue.strand(delivery, task)
            case Cancelled():
                await queue.ack(delivery)  # whatever ends it now ends it as cancelled
            case Released():
                return bool(await queue.release(delivery))
            case Lost():
                pass
            case _:
                assert_never(outcome)
        return True

# Generated from src/limpet/aio/notes.py by `python3 dev.py docs`; edit that file.
"""What jobs tell about themselves, and how they ended."""

import math
import time

from limpet.commands import finish, notes
from limpet.errors import ConfigError
from limpet.intake import Shown, id_of, message_bytes, receipt_of
from limpet.options import Duration, payload_bytes
from limpet.sync.base import QueueBase
from limpet.sync.listening import Subscription
from limpet.values import Notes, Outcome

#: How often to look although nobody told: a message may be missed while the server is away.
LOOK_AGAIN_S = 5.0
_MAX_LINE, _MAX_NAME = 1024, 200


class Notebook(QueueBase):
    """Complete, strand, result, progress, log, once, notes."""

    def complete(self, delivery: Shown, result: bytes) -> bool:
        """End a job as done and keep its result, if it was pushed with `keep`; False if stale."""
        receipt = receipt_of(delivery, self.name)
        body = payload_bytes(result, self.policy.max_payload)
        if receipt is None:
            return False
        ended = self._send(finish.complete(self._keys, receipt, body))
        self._limpet.hands.drop([receipt])
        return ended

    def strand(self, delivery: Shown, task: str) -> bool:
        """Set a job aside: this worker does not know its task. It goes to one that does.

        No delivery is spent. False if the receipt is stale.
        """
        receipt = receipt_of(delivery, self.name)
        if receipt is None:
            return False
        stranded = self._send(finish.strand(self._keys, receipt, task))
        self._limpet.hands.drop([receipt])
        return stranded

    def stranded(self) -> dict[str, int]:
        """Count the jobs that were set aside, by the task that nobody knew."""
        return self._send(notes.stranded(self._keys))

    def result(self, id: str, wait: Duration | None = 0) -> Outcome | None:
        """Show how a job ended; None if it has not within that time. Waits without polling.

        Outcomes are kept for jobs pushed with `keep`. "unknown" is one that is not there and
        whose outcome is not kept (any more).
        """
        job_id = id_of(id)
        if job_id is None:
            return Outcome(str(id), "unknown")
        wait_s = self._limpet.wait_ms(wait) / 1000
        found = self._send(notes.result(self._keys, job_id))
        if found is not None or wait_s == 0:
            return found
        return self._await_end(job_id, time.monotonic() + wait_s)

    def _await_end(self, job_id: str, deadline: float) -> Outcome | None:
        channel = self._keys.outcome(job_id)
        told = Subscription(self._limpet.link, [channel], self.name)
        try:
            told.open()
            while True:
                found = self._send(notes.result(self._keys, job_id))
                left_s = deadline - time.monotonic()
                if found is not None or left_s <= 0:
                    return found
                told.next(min(left_s, LOOK_AGAIN_S))
        finally:
            told.close()

    def progress(self, delivery: Shown, fraction: float, text: str = "") -> bool:
        """Note how far a running job has come, from 0 to 1; False if the receipt is stale."""
        if not isinstance(fraction, (int, float)) or not 0 <= fraction <= 1 or math.isnan(fraction):
            raise ConfigError(f"progress is a number from 0 to 1, got {fraction!r}")
        receipt = receipt_of(delivery, self.name)
        if receipt is None:
            return False
        said = message_bytes(text, _MAX_LINE).decode("utf-8", "replace")
        return self._send(notes.progress(self._keys, receipt, float(fraction), said))

    def log(self, delivery: Shown, line: str) -> bool:
        """Add a line to a running job's log, which keeps the last 100; False if stale."""
        receipt = receipt_of(delivery, self.name)
        if receipt is None:
            return False
        said = message_bytes(line, _MAX_LINE).decode("utf-8", "replace")
        return self._send(notes.log(self._keys, receipt, said))

    def once(self, delivery: Shown, name: str) -> bool | None:
        """Note an effect of a running job by name, under its receipt.

        True the first time, False if a delivery of this job noted it before, None if the receipt
        is stale: then somebody else has the job, and the effect is theirs.
        """
        if not isinstance(name, str) or not 0 < len(name) <= _MAX_NAME:
            raise ConfigError(f"an effect is named by 1 to {_MAX_NAME} characters")
        receipt = receipt_of(delivery, self.name)
        return None if receipt is None else self._send(notes.once(self._keys, receipt, name))

    def notes(self, id: str) -> Notes:
        """Show what a job told about itself while it runs, or ran if it is dead now."""
        job_id = id_of(id)
        return Notes() if job_id is None else self._send(notes.notes(self._keys, job_id))

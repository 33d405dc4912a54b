# Generated from src/limpet/aio/consumer.py by `python3 dev.py docs`; edit that file.
"""The consuming side of a queue."""

from limpet.commands import finish, take, workers
from limpet.commands.finish import settled
from limpet.errors import ConfigError, WorkerLost
from limpet.flows import pop as pop_flows
from limpet.intake import Shown, message_bytes, receipt_of, receipts_of
from limpet.options import MAX_BATCH, MAX_MESSAGE, Duration, count_of, milliseconds
from limpet.sync.base import QueueBase
from limpet.sync.events import Events
from limpet.values import Claim, Delivery, Renewed

Message = str | bytes | BaseException


class Consumer(QueueBase):
    """Pop and what ends a delivery; take-over by age; events."""

    def pop(self, count: int = 1, wait: Duration | None = 0) -> list[Delivery]:
        """Take up to `count` jobs under the worker's lease.

        With `wait`, block until there is a job, at most that long (None: for ever). The first
        pop starts a worker with a heartbeat of its own.
        """
        return self._limpet.pop_from([self._source], count, wait)

    def ack(self, *shown: Shown) -> list[str]:
        """End jobs as done; answers the ids really acked: stale ones are missing."""
        receipts = receipts_of(shown, self.name)
        acked: list[str] = []
        for first in range(0, len(receipts), MAX_BATCH):
            part = receipts[first : first + MAX_BATCH]
            acked.extend(self._send(finish.ack(self._keys, part)))
        self._limpet.hands.drop(receipts)
        return acked

    def ack_and_pop(
        self, done: list[Delivery], count: int = 1, wait: Duration | None = 0
    ) -> tuple[list[str], list[Delivery]]:
        """End jobs and take new ones in one step; answers the acked ids and the new deliveries."""
        receipts = receipts_of(tuple(done), self.name)
        acked = []
        if len(receipts) > MAX_BATCH:
            acked = self.ack(*receipts[MAX_BATCH:])
            receipts = receipts[:MAX_BATCH]
        asker = self._limpet.asker_for(self._source)
        self._limpet.hands.set_down(receipts)
        flow = pop_flows.ack_and_pop(
            self._source, asker, receipts, count_of(count), self._limpet.wait_ms(wait)
        )
        try:
            taken = self._limpet.take(flow, self._source)
        except BaseException as error:
            if not isinstance(error, WorkerLost):
                self._limpet.hands.pick_up(receipts)
            raise
        self._limpet.hands.drop(receipts)
        self._limpet.hands.take(taken.deliveries, self.policy.crash_limit)
        return settled(receipts, taken.not_acked) + acked, taken.deliveries

    def fail(self, delivery: Shown, message: Message = "") -> bool:
        """End a job in failure: counted, among the last 100 errors, kept in the dead list.

        Answers False for a stale receipt, or if the job was cancelled meanwhile.
        """
        receipt = receipt_of(delivery, self.name)
        if receipt is None:
            return False
        text = message_bytes(message, MAX_MESSAGE)
        ended = self._send(finish.fail(self._keys, receipt, text, self.policy.dead_limit))
        self._limpet.hands.drop([receipt])
        return ended

    def release(self, *shown: Shown, delay: Duration | None = None) -> list[str]:
        """Give jobs back: to their place at the front, or for later. No attempt is spent."""
        receipts = receipts_of(shown, self.name)
        delay_ms = None if delay is None else milliseconds(delay, "delay")
        released: list[str] = []
        for first in range(0, len(receipts), MAX_BATCH):
            part = receipts[first : first + MAX_BATCH]
            released.extend(self._send(finish.release(self._keys, part, delay_ms)))
        self._limpet.hands.drop(receipts)
        return released

    def retry(self, delivery: Shown, delay: Duration = 0, message: Message = "") -> bool:
        """Schedule another attempt after `delay` and note the error; False for a stale receipt."""
        receipt, delay_ms = receipt_of(delivery, self.name), milliseconds(delay, "delay")
        if receipt is None:
            return False
        text = message_bytes(message, MAX_MESSAGE)
        retried = self._send(finish.retry(self._keys, receipt, delay_ms, text))
        self._limpet.hands.drop([receipt])
        return retried

    def renew(self, *deliveries: Delivery) -> Renewed:
        """Renew the worker's lease now; answers which of these are lost or cancelled."""
        for given in deliveries:
            if not isinstance(given, Delivery) or receipt_of(given, self.name) is None:
                raise ConfigError(f"show deliveries to renew, not {type(given).__name__}")
        asker = self._limpet.asker_for(self._source)
        lost: list[Delivery] = []
        told: list[Delivery] = []
        for first in range(0, len(deliveries), MAX_BATCH) or (0,):
            part = deliveries[first : first + MAX_BATCH]
            command = workers.renew(self._keys, asker.worker, [d.receipt for d in part])
            gone, cancelled = self._limpet.send_as_worker(command)
            lost += [d for n, d in enumerate(part, 1) if n in gone]
            told += [d for n, d in enumerate(part, 1) if n in cancelled]
        self._limpet.hands.drop([d.receipt for d in lost])
        return Renewed(tuple(lost), tuple(told))

    def recover(self, count: int = 1, older_than: Duration | None = None) -> list[Delivery]:
        """Take over deliveries not ended for that long (the queue's timeout), oldest first.

        Each gets a new receipt, the old one is stale from then on.
        """
        asker = self._limpet.asker_for(self._source)
        older_ms = milliseconds(self._timeout(older_than), "older_than")
        command = take.recover(self._keys, asker.worker, min(count_of(count), MAX_BATCH), older_ms)
        found = self._limpet.send_as_worker(command)
        self._limpet.hands.take(found, self.policy.crash_limit)
        return found

    def claim(self, timeout: Duration | None = None) -> Claim:
        """One look: READY (taken), TIMEDOUT (the oldest one, not taken), PROCESSING or NONE."""
        asker = self._limpet.asker_for(self._source)
        timeout_ms = milliseconds(self._timeout(timeout), "timeout")
        flow = pop_flows.claim(self._source, asker, timeout_ms)
        found = self._limpet.take(flow, self._source)
        if found.state == "READY" and found.delivery is not None:
            self._limpet.hands.take([found.delivery], self.policy.crash_limit)
        return found

    def resume(self, delivery: Shown, timeout: Duration | None = None) -> Delivery | None:
        """Take a timed-out delivery over; of many callers one wins, the others get None."""
        receipt = receipt_of(delivery, self.name)
        if receipt is None:
            return None
        asker = self._limpet.asker_for(self._source)
        timeout_ms = milliseconds(self._timeout(timeout), "timeout")
        command = take.resume(self._keys, asker.worker, receipt, timeout_ms)
        found = self._limpet.send_as_worker(command)
        if found is not None:
            self._limpet.hands.take([found], self.policy.crash_limit)
        return found

    def events(self) -> Events:
        """Listen to what happens in this queue, from now on; events carry no guarantee."""
        return Events(self._limpet.link, [self.name])

    def _timeout(self, given: Duration | None) -> Duration:
        return self.policy.timeout if given is None else given
